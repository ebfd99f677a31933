// The checks of a leader, besides those of a lock with one holder: what others read belongs to the leader, and
// watchers are told when it is another one.
#pragma once

#include "sim/exclusive_checker.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::sim {

class leader_checker final : public exclusive_checker {
public:
    using exclusive_checker::exclusive_checker;

    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;
    void read(std::size_t lock, std::uint64_t fence, std::string_view payload) override;

    // These are in leader_watchers.cpp.
    void begins_to_watch(const watch& which) override;
    void watched(const watch& which, std::error_code why) override;
    void watch_waiting() override;
    [[nodiscard]] nanoseconds longest_sleep() const override;
    void check_orphans() override;
    [[nodiscard]] std::vector<std::string> keys_used() const override;

private:
    struct watcher {
        const watch* which = nullptr;
        std::string id_before;  // the last id that the thread drew before
        bool changed = false;   // since the call began, the leader was another one than it has seen
        std::uint64_t fence = 0;  // these two: of the present leader, if it is another one,
        std::optional<nanoseconds> noticed;  // and when watch_waiting() saw it first
    };
    struct left_watcher {
        const process* who = nullptr;
        std::size_t lock = 0;
        nanoseconds when{0};
    };

    void after_watch(const script_call& call);
    void note_changes(std::size_t lock);
    [[nodiscard]] std::uint64_t fence_of(std::size_t lock) const;
    [[nodiscard]] nanoseconds longest_ignorance() const;
    [[nodiscard]] std::string payload_of(const std::string& holder) const;

    std::map<std::string, std::string, std::less<>> candidates_;  // the text of each holder
    std::vector<watcher> watching_;
    std::set<std::string, std::less<>> watchers_;                    // all that the server has seen
    std::map<std::string, left_watcher, std::less<>> not_watching_;  // those whose call has ended
};

}  // namespace pawl::sim
