#include "top_table.h"

#include "common/columns.h"
#include "lock_text.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace pawl::cli {
namespace {

[[nodiscard]] std::chrono::milliseconds age_of(const lock_info& lock)
{
    const bool is_known = !lock.holders.empty() && lock.holders.front().held_for;
    return is_known ? *lock.holders.front().held_for : std::chrono::milliseconds{0};
}

// Most waiters first, then the longest hold.
[[nodiscard]] bool matters_more(const lock_info& one, const lock_info& other)
{
    return std::tuple{other.waiters, age_of(other), one.name} <
           std::tuple{one.waiters, age_of(one), other.name};
}

// Cuts after so many characters, not bytes.
[[nodiscard]] std::string cut(const std::string& line, std::size_t columns)
{
    std::size_t bytes = 0;
    for (std::size_t seen = 0; bytes < line.size(); ++bytes) {
        const bool begins = (static_cast<unsigned char>(line[bytes]) & 0xC0U) != 0x80U;
        if (begins && ++seen > columns) break;
    }
    return line.substr(0, bytes);
}

[[nodiscard]] std::string counted(std::uint64_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

void top_table::add(const lock_info& lock)
{
    held_ += lock.holder_count > 0 ? 1U : 0U;
    waiting_ += lock.waiters;
    if (shown_.size() == most_) {
        if (!matters_more(lock, shown_.front())) return;
        std::ranges::pop_heap(shown_, matters_more);
        shown_.pop_back();
    }
    shown_.push_back(lock);
    std::ranges::push_heap(shown_, matters_more);
}

std::string top_table::text(const list_summary& summary, std::optional<std::size_t> columns) const
{
    auto sorted = shown_;
    std::ranges::sort(sorted, matters_more);
    std::vector<common::row> rows{heading()};
    for (const auto& each : sorted) rows.push_back(row_of(each));
    auto whole = counted(summary.locks, "lock", "locks") + " in use, " + std::to_string(held_) +
                 " held, " + counted(waiting_, "waiter", "waiters");
    for (const auto& note : summary.notes) whole += "; " + printable(note);
    whole += "\n" + common::lay_out(rows);
    if (!columns) return whole;
    std::string text;
    for (std::size_t begin = 0; begin < whole.size();) {
        const auto end = whole.find('\n', begin);
        text += cut(whole.substr(begin, end - begin), *columns) + "\n";
        begin = end + 1;
    }
    return text;
}

}  // namespace pawl::cli
