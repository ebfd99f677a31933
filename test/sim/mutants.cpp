#include "sim/mutants.h"

#include "sim/script_call.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pawl::sim {
namespace {

using code = base::mutant;

std::function<std::string(std::string_view)> mutation;

std::string changed(std::string_view script, const std::vector<mutant::change>& changes)
{
    std::string text{script};
    for (const auto& [from, to] : changes) {
        // The text may occur in a script several times.
        for (auto at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

}  // namespace

std::span<const mutant> all_mutants()
{
    static const auto all = [] {
        std::vector<mutant> found;
        for (const auto& each : all_families()) {
            for (auto& one : each.mutants()) {
                one.kinds = each.which;
                found.push_back(std::move(one));
            }
        }
        return found;
    }();
    return all;
}

const mutant* mutant_named(std::string_view name)
{
    const auto all = all_mutants();
    const auto found = std::ranges::find(all, name, &mutant::name);
    return found == all.end() ? nullptr : &*found;
}

void check_changes(const mutant& which)
{
    for (const auto& [from, to] : which.in_scripts) {
        const bool fits = std::ranges::any_of(known_scripts(), [&](const known_script& each) {
            return each.text->text.find(from) != std::string_view::npos;
        });
        if (!fits) {
            throw std::logic_error{"mutant " + std::string{which.name} + ": no script has \"" +
                                   std::string{from} + '"'};
        }
    }
}

void become(const mutant* which)
{
    base::active_mutant = which == nullptr ? code::none : which->in_code;
    mutation = nullptr;
    if (which != nullptr && !which->in_scripts.empty()) {
        mutation = [which](std::string_view script) { return changed(script, which->in_scripts); };
    }
}

const std::function<std::string(std::string_view)>& script_mutation()
{
    return mutation;
}

}  // namespace pawl::sim
