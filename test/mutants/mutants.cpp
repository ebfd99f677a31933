#include "mutants/mutants.h"

#include <array>
#include <string>

namespace pawl::test {
namespace {

using code = base::mutant;

const std::vector<real_mutant::change>* changes = nullptr;

// The text is copied into a request before the same thread needs the next one.
std::string_view changed(std::string_view script)
{
    thread_local std::string text;
    text = script;
    for (const auto& [from, to] : *changes) {
        for (auto at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

// A waiter is told of its grant first, and the number that PUBLISH returns says whether it has heard.
const std::vector<real_mutant::change>& believes_publish()
{
    static const std::vector<real_mutant::change> all{
        {"if listeners and listeners > 0 and", "if"},
        {"if type(told) ~= 'number' then", "if type(told) ~= 'number' or told == 0 then"}};
    return all;
}

}  // namespace

std::span<const real_mutant> real_mutants()
{
    static const std::array all{
        real_mutant{
            .name = "trap_1",
            .in_scripts = believes_publish(),
            .test = "two_servers.a_waiter_that_listens_at_a_replica_is_not_told_of_a_grant"},
        real_mutant{
            .name = "trap_1_in_cluster",
            .in_scripts = believes_publish(),
            .test =
                "in_changing_cluster.a_waiter_that_listens_at_a_replica_is_not_told_of_a_grant"},
        real_mutant{.name = "trap_2",
                    .in_code = code::stays_with_old_primary,
                    .test = "forced_failover.leaves_the_old_primary_although_it_accepts_writes"},
        real_mutant{.name = "trap_2_role",
                    .in_code = code::role_ignored,
                    .test = "demoted_server.does_not_count_as_a_server_that_answers"},
        real_mutant{.name = "trap_2_readonly",
                    .in_code = code::readonly_is_final,
                    .test = "demoted_server.is_left_by_a_blocking_acquire"},
        real_mutant{.name = "trap_3",
                    .in_code = code::unwritten_is_acknowledged,
                    .test = "acknowledged.hand_over_that_the_replica_does_not_have_is_no_grant"},
        real_mutant{.name = "trap_3_renewal",
                    .in_scripts = {{"if redis.pcall('PEXPIRE', key, lease, 'GT') ~= 1 then",
                                    "if redis.pcall('PEXPIRE', key, lease, 'GT') == nil then"}},
                    .test = "acknowledged.request_writes_something_even_if_nothing_changes"},
        real_mutant{.name = "trap_4",
                    .in_code = code::tryagain_is_final,
                    .test = "in_moving_cluster.an_acquire_waits_for_the_end_of_the_move"},
        real_mutant{.name = "trap_6",
                    .in_code = code::bare_after_replica,
                    .test = "promoted_again.a_server_gives_no_fence_twice"},
        real_mutant{.name = "D11",
                    .in_code = code::d11_even_quorum,
                    .test = "quorum.even_numbers_and_duplicates_are_refused"},
        real_mutant{.name = "D35",
                    .in_code = code::d35_slots_in_one_call,
                    .test = "cluster.renews_a_thousand_locks_in_few_round_trips"}};
    return all;
}

void become(const real_mutant& which)
{
    base::active_mutant = which.in_code;
    if (which.in_scripts.empty()) return;
    changes = &which.in_scripts;
    base::script_change = changed;
}

}  // namespace pawl::test
