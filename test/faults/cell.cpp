#include "faults/cell.h"

#include "support/eventually.h"
#include "support/process.h"
#include "support/server_info.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <sys/mount.h>
#include <system_error>
#include <utility>
#include <vector>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

// Until all workers have connected and had their first grants.
constexpr milliseconds warm_up_limit{20'000};
constexpr milliseconds longest_check{90'000};

// A delay that a busy machine may cause.
constexpr milliseconds slack{2'000};

// Between two faults.
constexpr milliseconds calm{500};

[[nodiscard]] milliseconds rounded(nanoseconds_t span)
{
    return std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds{span});
}

// A disk of 64 KiB, in the mounts of this process.
class small_disk {
public:
    small_disk()
    {
        if (::mount("pawl", dir_.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
            throw std::system_error{errno, std::generic_category(), "mount a small disk"};
        }
    }
    ~small_disk() { ::umount2(dir_.path().c_str(), MNT_DETACH); }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    [[nodiscard]] std::string path() const { return dir_.path().string(); }

private:
    test::temp_dir dir_;
};

[[nodiscard]] std::string missing(row where, const fault& what, const campaign_options& options)
{
    const bool led = what.needs.proxies && (failing_over & only(where)) != 0;
    if ((what.needs.network || what.needs.scratch || led) && options.net == nullptr) {
        return "no network namespace here";
    }
    if (what.needs.stepping && options.stepping.server.empty()) return "no server for clock steps";
    return {};
}

// Whether everyone goes on within the bound.
[[nodiscard]] bool all_go_on(crew& workers, milliseconds bound, cell_result& result)
{
    const nanoseconds_t over = clock_now();
    if (test::eventually(bound, [&] { return workers.all_granted_since(over); })) {
        result.slowest_return = std::max(result.slowest_return, rounded(clock_now() - over));
        return true;
    }
    ++result.late;
    result.detail += "not served within " + std::to_string(bound.count()) +
                     " ms: " + workers.who_waits_since(over) + "\n";
    return false;
}

// Who decides: the servers that run and say that they are primaries, and how often some were elected. After two failovers
// the same server may be the primary as before.
struct reign {
    std::vector<std::size_t> primaries;
    std::vector<std::uint64_t> elections;
};

[[nodiscard]] reign reign_of(rig& servers)
{
    reign found{.primaries = {}, .elections = servers.elections()};
    for (std::size_t i = 0; i < servers.size(); ++i) {
        if (servers.server(i).state() != test::server_state::running) continue;
        if (test::info_of(servers.probe(i), "replication", "role") == "master") {
            found.primaries.push_back(i);
        }
    }
    return found;
}

// A server that was restarted counts elections anew, so only more of them tell of a failover.
[[nodiscard]] bool has_changed(const reign& before, const reign& now)
{
    if (before.primaries != now.primaries) return true;
    const std::size_t both = std::min(before.elections.size(), now.elections.size());
    for (std::size_t i = 0; i < both; ++i) {
        if (now.elections[i] > before.elections[i]) return true;
    }
    return false;
}

// When the servers have recovered and every lock was granted since: see board::calm. Returns who
// decides, or nothing if a lock is not granted any more.
[[nodiscard]] std::optional<reign> begin_calm(scene& here, cell_result& result)
{
    here.servers.settle();
    reign found = reign_of(here.servers);
    const nanoseconds_t settled = clock_now();
    if (!test::eventually([&] { return here.workers.each_lock_granted_since(settled); })) {
        ++result.late;
        result.detail += "a lock is not granted any more, although the servers have recovered\n";
        return std::nullopt;
    }
    here.workers.shared().calm.store(result.strikes + 1);
    return found;
}

// Takes what was counted in a calm period. If another server took over in it, the period was not calm.
void count_calm(board& shared, bool was_calm, cell_result& result)
{
    for (lock_board& lock : shared.locks) {
        const std::uint64_t counted = lock.in_calm.exchange(0);
        (was_calm ? result.in_calm : result.too_many) += counted;
    }
}

// A client of a quorum warns when it sees that the clock of a node was stepped.
[[nodiscard]] bool must_be_reported(const cell_result& result)
{
    const fault& what = *result.what;
    return what.needs.stepping && !what.needs.clocks_apart && (quorums & only(result.where)) != 0;
}

// Strikes at least once, and until the time is over. After each fault everyone must go on within the bound.
void strike_again_and_again(scene& here, const fault& what, const campaign_options& options,
                            cell_result& result)
{
    const milliseconds bound = usual_bound(options) + recovery_of(what, result.where);
    const bool fails_over = (what.fails_over & only(result.where)) != 0;
    const nanoseconds_t end = clock_now() + count(options.cell_time);
    reign last = reign_of(here.servers);
    while (result.strikes == 0 || (clock_now() < end && here.workers.has_spare())) {
        const std::optional<reign> begun = begin_calm(here, result);
        if (!begun) return;
        pause(calm);
        here.workers.shared().calm.store(0);
        const bool was_calm = !has_changed(*begun, reign_of(here.servers));
        const auto& reported = here.workers.shared().reported_steps;
        const std::uint64_t reported_before = reported;
        what.strike(here);
        ++result.strikes;
        if (!all_go_on(here.workers, bound, result)) return;
        if (must_be_reported(result) &&
            !test::eventually([&] { return reported > reported_before; })) {
            ++result.unreported;
            result.detail += "a clock was stepped, and no worker reported it\n";
        }
        count_calm(here.workers.shared(), was_calm, result);
        here.servers.settle();
        // Compared with the end of the fault before, so that no time in between is left out.
        reign now = reign_of(here.servers);
        if (!was_calm || (!fails_over && has_changed(last, now))) ++result.failovers;
        last = std::move(now);
    }
}

void read_board(board& shared, cell_result& result)
{
    for (const kind which : all_kinds) {
        lock_board& lock = shared.locks[static_cast<std::size_t>(which)];
        result.lost += lock.lost;
        result.refused_writes += lock.refused_writes;
        result.too_many += lock.too_many;
        result.refused_valid += lock.refused_valid;
        result.old_readers += lock.old_readers;
        result.in_calm += lock.in_calm;
        result.bad_fences += lock.bad_fences;
        result.wrong_gates += lock.gate.wrong;
        result.longest_stall = std::max(result.longest_stall, rounded(lock.longest_stall));
        // A worker that was killed may have written without counting it.
        const std::uint64_t value = lock.data.value();
        if (value < lock.increments) result.lost_updates += lock.increments - value;
        if (lock.left_out != 0) {
            result.left_out +=
                (result.left_out.empty() ? "" : ", ") + std::string{to_string(which)};
        }
        if (lock.too_many + lock.refused_valid + lock.old_readers + lock.bad_fences +
                lock.gate.wrong !=
            0) {
            result.detail += std::string{to_string(which)} + ": too many holders " +
                             std::to_string(lock.too_many) + ", refused while valid " +
                             std::to_string(lock.refused_valid) + ", readers with old fences " +
                             std::to_string(lock.old_readers) + ", bad fences " +
                             std::to_string(lock.bad_fences) + ", wrong gates " +
                             std::to_string(lock.gate.wrong) + "\n";
        }
    }
}

void check_history(const crew& workers, const std::string& checker, cell_result& result)
{
    if (checker.empty()) return;
    std::vector<std::string> command{checker};
    for (std::string& path : workers.histories()) command.push_back(std::move(path));
    test::process porcupine{std::move(command)};
    const std::optional<test::ending> ending = porcupine.wait(longest_check);
    result.history = porcupine.out() + porcupine.err();
    if (result.history.ends_with('\n')) result.history.pop_back();
    result.history_bad = ending != test::exited(0);
}

void run(cell_result& result, rig& servers, const campaign_options& options, std::uint64_t seed)
{
    const fault& what = *result.what;
    std::optional<small_disk> disk;
    if (what.needs.scratch) disk.emplace();
    const std::string scratch = disk ? disk->path() : std::string{};
    crew workers{options.workers,
                 {.url = servers.url(),
                  .ca_file = servers.ca_file(),
                  .scratch = scratch,
                  .seed = seed,
                  .lease = options.lease,
                  .keeps_arrivals = result.where == row::one_server && result.gates_promised(),
                  .wrong = options.wrong}};
    std::mt19937_64 random{seed};
    scene here{.servers = servers,
               .workers = workers,
               .net = options.net,
               .scratch = scratch,
               .lease = options.lease,
               .random = random};
    if (!test::eventually(warm_up_limit, [&] { return workers.all_granted_since(1); })) {
        ++result.late;
        result.detail += "no first grant: " + workers.who_waits_since(1) + "\n";
    } else {
        const crew::totals before = workers.count();
        const nanoseconds_t start = clock_now();
        strike_again_and_again(here, what, options, result);
        result.time = rounded(clock_now() - start);
        const crew::totals after = workers.count();
        result.grants = after.grants - before.grants;
        result.failed_calls = after.failed_calls - before.failed_calls;
    }
    result.died = workers.end();
    read_board(workers.shared(), result);
    check_history(workers, options.porcupine, result);
    const bool is_meant = options.wrong != defect::none;
    if (result.promised_violations() > 0 && !is_meant) result.detail += workers.messages();
}

}  // namespace

std::uint64_t cell_result::grants_per_second() const
{
    return time.count() == 0 ? 0 : grants * 1'000 / static_cast<std::uint64_t>(time.count());
}

bool cell_result::one_holder_promised() const
{
    // A new primary may lack grants. By its own clock, leases that it knows may be over.
    const rows forgetful = what->needs.stepping ? failing_over : lagging;
    const bool failed_over = failovers > 0 && (forgetful & only(where)) != 0;
    return (what->two_holders & only(where)) == 0 && !failed_over;
}

bool cell_result::fences_promised() const
{
    const bool may_be_behind =
        failovers > 0 && what->needs.stepping && (lagging & only(where)) != 0;
    return (what->old_fences & only(where)) == 0 && !may_be_behind;
}

bool cell_result::gates_promised() const
{
    const bool may_fail_over = failovers > 0 || (what->fails_over & only(where)) != 0;
    return one_holder_promised() && !may_fail_over;
}

std::uint64_t cell_result::two_holders() const
{
    return too_many + refused_valid + old_readers;
}

std::uint64_t cell_result::promised_violations() const
{
    const std::uint64_t all =
        two_holders() + bad_fences + lost_updates + (history_bad ? 1 : 0) + wrong_gates;
    return all - other_violations() + in_calm + late + unreported + died;
}

std::uint64_t cell_result::other_violations() const
{
    return (one_holder_promised() ? 0 : two_holders()) +
           (fences_promised() ? 0 : bad_fences + lost_updates + (history_bad ? 1 : 0)) +
           (gates_promised() ? 0 : wrong_gates);
}

milliseconds usual_bound(const campaign_options& options)
{
    // The rest of the longest lease, a look, the command limit of a call that is under way, the
    // longest pause between two connects, and a holder that stays in for one and a half leases.
    const milliseconds look = std::max(options.lease, milliseconds{1'500}) / 3;
    return options.lease + look + milliseconds{1'000} + milliseconds{1'000} +
           options.lease * 3 / 2 + slack;
}

cell_result run_cell(row where, const fault& what, const campaign_options& options,
                     std::uint64_t seed)
{
    cell_result result{.where = where, .what = &what};
    result.not_run = missing(where, what, options);
    if (!result.not_run.empty()) return result;
    try {
        const std::unique_ptr<rig> servers =
            make_rig(where, {.proxies = what.needs.proxies,
                             .tls = what.needs.tls,
                             .stepping = what.needs.stepping ? &options.stepping : nullptr,
                             .clocks_apart = what.needs.clocks_apart,
                             .own_addresses = what.needs.network,
                             .net = options.net});
        run(result, *servers, options, seed);
    } catch (const std::exception& problem) {
        // The fixture failed, not the library. It must be seen all the same.
        ++result.died;
        result.detail += std::string{"the cell broke off: "} + problem.what() + "\n";
    }
    if (options.net != nullptr) options.net->pass();
    return result;
}

void add(cell_result& total, const cell_result& more)
{
    total.time += more.time;
    total.strikes += more.strikes;
    total.grants += more.grants;
    total.lost += more.lost;
    total.refused_writes += more.refused_writes;
    total.failed_calls += more.failed_calls;
    total.longest_stall = std::max(total.longest_stall, more.longest_stall);
    total.slowest_return = std::max(total.slowest_return, more.slowest_return);
    total.failovers += more.failovers;
    total.too_many += more.too_many;
    total.refused_valid += more.refused_valid;
    total.old_readers += more.old_readers;
    total.in_calm += more.in_calm;
    total.bad_fences += more.bad_fences;
    total.lost_updates += more.lost_updates;
    total.wrong_gates += more.wrong_gates;
    total.late += more.late;
    total.unreported += more.unreported;
    total.died += more.died;
    total.history_bad = total.history_bad || more.history_bad;
    if (more.history_bad || total.history.empty()) total.history = more.history;
    total.detail += more.detail;
}

}  // namespace pawl::faults
