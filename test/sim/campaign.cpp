#include "sim/campaign.h"

#include "sim/workers.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <new>
#include <sstream>
#include <utility>

#include <sys/mman.h>

namespace pawl::sim {
namespace {

using steady = std::chrono::steady_clock;

// Shared by all workers.
struct shared_state {
    std::atomic<std::uint64_t> next_seed;
    std::atomic<std::uint64_t> runs;
    std::atomic<std::uint64_t> grants;
    std::atomic<bool> over;
    std::array<std::atomic<std::uint64_t>, 64> seed_of;  // the current seed of each worker
};

class shared_memory {
public:
    explicit shared_memory(std::uint64_t first_seed)
        : where_{::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0)}
    {
        if (where_ == MAP_FAILED) throw std::bad_alloc{};
        state_ = new (where_) shared_state{};
        state_->next_seed = first_seed;
    }
    ~shared_memory() { ::munmap(where_, sizeof(shared_state)); }
    shared_memory(const shared_memory&) = delete;
    shared_memory& operator=(const shared_memory&) = delete;

    shared_state* operator->() const noexcept { return state_; }

private:
    void* where_;
    shared_state* state_;
};

std::optional<finding> finding_of(const report& one, std::uint64_t seed)
{
    if (!one.found) return std::nullopt;
    return finding{seed, one.found->check, one.found->text};
}

void write(std::ostream& out, const tally& sum)
{
    out << sum.runs << ' ' << sum.steps << ' ' << sum.grants << ' ' << sum.losses << ' '
        << sum.stale_writes << ' ' << sum.simulated_seconds;
    for (const auto count : sum.fired) out << ' ' << count;
    out << '\n';
}

void read(std::istream& in, tally& sum)
{
    in >> sum.runs >> sum.steps >> sum.grants >> sum.losses >> sum.stale_writes >>
        sum.simulated_seconds;
    for (auto& count : sum.fired) in >> count;
    in.ignore();
}

void write(std::ostream& out, const finding& what)
{
    out << what.seed << '\n' << what.check << '\n' << what.text << '\n';
}

std::optional<finding> read_finding(std::istream& in)
{
    finding what;
    if (!(in >> what.seed)) return std::nullopt;
    in.ignore();
    std::getline(in, what.check);
    std::getline(in, what.text);
    return what;
}

std::string work_through_seeds(const campaign_options& options, shared_memory& shared,
                               unsigned worker)
{
    become(options.as);
    const auto start = steady::now();
    tally sum;
    std::optional<finding> found;
    while (!found && !shared->over) {
        const auto seed = shared->next_seed++;
        const auto late = options.time && steady::now() - start >= *options.time;
        if (late || (!options.time && seed >= options.first_seed + options.seeds)) break;
        shared->seed_of[worker] = seed;
        const auto one = run{draw_plan(seed, options.kinds), false}.execute();
        sum.add(one);
        shared->grants += one.grants;
        found = finding_of(one, seed);
        if (found) shared->over = true;
        if (options.progress && ++shared->runs % 1000 == 0) {
            std::cerr << "  " << shared->runs << " seeds, " << shared->grants << " grants\n";
        }
    }
    std::ostringstream out;
    write(out, sum);
    if (found) write(out, *found);
    return out.str();
}

// If a smaller plan still finds the problem, it becomes the plan.
bool try_smaller(plan& best, plan smaller, const std::string& check)
{
    const auto one = run{smaller, false}.execute();
    if (!one.found || one.found->check != check) return false;
    best = std::move(smaller);
    return true;
}

}  // namespace

void tally::add(const report& one)
{
    ++runs;
    steps += one.steps;
    grants += one.grants;
    losses += one.losses;
    stale_writes += one.stale_writes;
    simulated_seconds += std::chrono::duration<double>(one.simulated).count();
    for (std::size_t i = 0; i < fault_count; ++i) fired[i] += one.fired[i];
}

void tally::add(const tally& other)
{
    runs += other.runs;
    steps += other.steps;
    grants += other.grants;
    losses += other.losses;
    stale_writes += other.stale_writes;
    simulated_seconds += other.simulated_seconds;
    for (std::size_t i = 0; i < fault_count; ++i) fired[i] += other.fired[i];
}

campaign_result run_campaign(const campaign_options& options)
{
    shared_memory shared{options.first_seed};
    const auto start = steady::now();
    const auto results = in_processes(
        options.jobs, [&](unsigned worker) { return work_through_seeds(options, shared, worker); });
    campaign_result all;
    for (unsigned i = 0; i < options.jobs; ++i) {
        if (results[i].empty()) {
            all.found.push_back({shared->seed_of[i], "crash", "the process of the run crashed"});
            continue;
        }
        std::istringstream in{results[i]};
        tally part;
        read(in, part);
        all.sum.add(part);
        if (auto found = read_finding(in)) all.found.push_back(std::move(*found));
    }
    std::ranges::sort(all.found, {}, &finding::seed);
    all.took = steady::now() - start;
    return all;
}

plan shrink(const plan& what, const std::string& check)
{
    auto best = what;
    for (std::size_t i = 0; i < fault_count; ++i) {
        auto smaller = best;
        smaller.faults.reset(i);
        if (best.faults.test(i)) try_smaller(best, std::move(smaller), check);
    }
    const auto reduce = [&](auto member) {
        while (best.*member > 1) {
            auto smaller = best;
            --(smaller.*member);
            if (!try_smaller(best, std::move(smaller), check)) return;
        }
    };
    reduce(&plan::processes);
    reduce(&plan::threads);
    while (best.locks.size() > 1) {
        auto smaller = best;
        smaller.locks.pop_back();
        if (!try_smaller(best, std::move(smaller), check)) break;
    }
    return best;
}

}  // namespace pawl::sim
