#include "sim/gate_state.h"

#include <sstream>

namespace pawl::sim {

std::string gate_state::describe() const
{
    return std::to_string(left) + " missing of " + std::to_string(expected) + ", phase " +
           std::to_string(phase - first);
}

std::optional<gate_state> read_gate(server& where, std::string_view name)
{
    gate_state found;
    bool known = false;
    for (const auto& [field, value] : where.fields_of(name)) {
        std::istringstream in{value};
        if (field == "gate") {
            std::string made_as;
            in >> made_as >> found.made_for >> found.expected >> found.left >> found.phase >>
                found.first;
            found.is_barrier = made_as == "barrier";
            known = true;
        } else {
            std::uint64_t phase = 0;
            in >> found.arrived[field] >> phase;
            if (phase == 0) found.refused.insert(field);
        }
    }
    return known ? std::optional{found} : std::nullopt;
}

}  // namespace pawl::sim
