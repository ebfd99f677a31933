#include "lock_text.h"

#include "duration.h"

#include "common/printable.h"

#include <optional>
#include <vector>

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

[[nodiscard]] std::string text_of(const std::optional<milliseconds>& span)
{
    return span ? describe(*span) : "";
}

// Who has it, in a few words.
[[nodiscard]] std::string holders_text(const lock_info& lock)
{
    if (lock.holder_count == 0) return "";
    if (lock.holders.empty()) return std::to_string(lock.holder_count) + " holders";
    const auto& first = lock.holders.front();
    auto name = process_text(first.id, first.process);
    if (lock.holder_count == 1) return name;
    return name + " and " + std::to_string(lock.holder_count - 1) + " more";
}

[[nodiscard]] std::string counts_text(const lock_info& lock)
{
    if (!lock.counts) return "";
    const auto of = " of " + std::to_string(lock.counts->capacity);
    const bool permits = lock.kind == lock_kind::counting_semaphore;
    return std::to_string(lock.counts->used) + of +
           (permits ? " permits are out" : " have arrived");
}

[[nodiscard]] std::string mode_text(const lock_info& lock, bool reader, std::uint64_t weight)
{
    switch (lock.kind) {
    case lock_kind::shared_mutex: return reader ? "reader" : "writer";
    case lock_kind::counting_semaphore:
        return std::to_string(weight) + (weight == 1 ? " permit" : " permits");
    case lock_kind::recursive_mutex:
        return weight == 1 ? "" : "held " + std::to_string(weight) + " times";
    default: return "";
    }
}

void add_holders(const lock_info& lock, std::string& text)
{
    if (lock.holders.empty()) return;
    std::vector<common::row> rows{{"holder", "process", "address", "", "held at most", "lease"}};
    for (const auto& each : lock.holders) {
        const auto& who = each.process;
        rows.push_back({printable(each.id), who ? process_text({}, who) : "",
                        who ? printable(who->address) : "",
                        mode_text(lock, each.reader, each.weight), text_of(each.held_for),
                        each.lease_left ? describe(*each.lease_left) : "no end"});
    }
    text += "\n" + common::lay_out(rows);
    if (lock.holder_count > lock.holders.size()) {
        text += "and " + std::to_string(lock.holder_count - lock.holders.size()) + " more\n";
    }
}

void add_queue(const lock_info& lock, std::string& text)
{
    if (lock.queue.empty()) return;
    std::vector<common::row> rows{{"waiter", "process", "address", "", "waits for", ""}};
    for (const auto& each : lock.queue) {
        const auto& who = each.process;
        const auto mode = each.candidate.empty() ? mode_text(lock, each.reader, each.weight)
                                                 : printable(each.candidate);
        rows.push_back({printable(each.id), who ? process_text({}, who) : "",
                        who ? printable(who->address) : "", mode, text_of(each.waited),
                        each.present ? "" : "gone"});
    }
    text += "\n" + common::lay_out(rows);
    if (lock.waiters > lock.queue.size()) {
        text += "and " + std::to_string(lock.waiters - lock.queue.size()) + " more\n";
    }
}

void add_nodes(const lock_info& lock, std::string& text)
{
    if (lock.nodes.empty()) return;
    std::vector<common::row> rows{{"node", "state", "holder", "fence", "lease", "waiting", ""}};
    for (const auto& each : lock.nodes) {
        const auto state = std::string{to_string(each.state)};
        if (!each.lock) {
            rows.push_back({each.server, state, "", "", "", "", printable(each.detail)});
            continue;
        }
        const auto& said = *each.lock;
        rows.push_back({each.server, state, printable(said.holder),
                        said.fence > 0 ? std::to_string(said.fence) : "", text_of(said.lease_left),
                        std::to_string(said.waiters), printable(said.problem)});
    }
    text += "\n" + common::lay_out(rows);
}

}  // namespace

std::string printable(std::string_view text)
{
    return common::printable(text);
}

std::string process_text(const std::string& id, const std::optional<process_info>& process)
{
    if (!process) return printable(id);
    const auto where = printable(process->host) + ":" + std::to_string(process->pid);
    return process->label == "pawl" ? where : printable(process->label) + " " + where;
}

common::row heading()
{
    return {"lock", "kind", "holder", "held at most", "lease", "waiting"};
}

common::row row_of(const lock_info& lock)
{
    const bool is_held = lock.holder_count > 0;
    // Not all holders are read if there are many.
    const bool is_known = !lock.holders.empty();
    const auto held_for =
        is_known && lock.holder_count == 1 ? text_of(lock.holders.front().held_for) : "";
    const auto lease = is_known ? lock.holders.front().lease_left : lock.lease_left;
    return {printable(lock.name),
            std::string{to_string(lock.kind)},
            is_held ? holders_text(lock) : counts_text(lock),
            held_for,
            lease ? describe(*lease) : (is_held && is_known ? "no end" : ""),
            std::to_string(lock.waiters)};
}

std::string page_of(const lock_info& lock)
{
    std::string text = "lock     " + printable(lock.name) + "\n";
    const auto line = [&text](std::string_view name, const std::string& value) {
        if (!value.empty()) text += common::left_aligned(name, 9) + value + "\n";
    };
    line("kind", std::string{to_string(lock.kind)} +
                     (lock.detail.empty() ? "" : ": " + printable(lock.detail)));
    line("server", lock.server);
    line("payload", printable(lock.payload));
    line("mark", printable(lock.mark));
    line("counts", counts_text(lock));
    line("fence", lock.fence > 0 ? std::to_string(lock.fence) : "");
    line("waiting", std::to_string(lock.waiters));
    add_holders(lock, text);
    add_queue(lock, text);
    add_nodes(lock, text);
    for (const auto& note : lock.notes) text += "note: " + printable(note) + "\n";
    return text;
}

}  // namespace pawl::cli
