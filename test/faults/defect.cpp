#include "faults/defect.h"

#include <array>

namespace pawl::faults {

namespace {

[[nodiscard]] bool has_readers(const cell_result& cell)
{
    return cell.left_out.find(to_string(kind::shared_mutex)) == std::string::npos;
}

}  // namespace

std::span<const known_defect> all_defects()
{
    // Without the checker, histories are empty.
    static constexpr std::array all{
        known_defect{.which = defect::no_lock,
                     .name = "they write without a lock, and wait at no gate",
                     .checks = "lost updates, history, gates",
                     .found =
                         [](const cell_result& cell) {
                             return cell.lost_updates > 0 && cell.wrong_gates > 0 &&
                                    (cell.history.empty() || cell.history_bad);
                         }},
        known_defect{
            .which = defect::lock_of_its_own,
            .name = "each has a lock of its own",
            .checks = "exclusion during faults, exclusion in calm periods",
            .found = [](const cell_result& cell) { return cell.too_many > 0 && cell.in_calm > 0; }},
        known_defect{.which = defect::old_fence,
                     .name = "their fences are old",
                     .checks = "fences, fences of readers",
                     .found =
                         [](const cell_result& cell) {
                             return cell.bad_fences > 0 &&
                                    (!has_readers(cell) || cell.old_readers + cell.in_calm > 0);
                         }},
        known_defect{.which = defect::fence_ahead,
                     .name = "sometimes they write with the fence of a later grant",
                     .checks = "refused writes of valid holders",
                     .found = [](const cell_result& cell) { return cell.refused_valid > 0; }},
        known_defect{.which = defect::stops_asking,
                     .name = "one of them stops asking for a lock",
                     .checks = "liveness",
                     .found = [](const cell_result& cell) { return cell.late > 0; }}};
    return all;
}

}  // namespace pawl::faults
