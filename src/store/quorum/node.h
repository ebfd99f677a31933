// One node of a quorum_store: its store, and the messages that it sends.
#pragma once

#include "store/quorum/quorum_store.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::store {

class quorum_store::node final : public notice_listener {
public:
    node(quorum_store& owner, unsigned index, std::unique_ptr<redis::transport> way)
        : owner_{&owner}, index_{index}
    {
        const auto note_run = [&owner, index](const std::string& run_id) {
            owner.nodes_.connected(index, run_id);
        };
        way_ = way.get();
        store_ =
            std::make_unique<single_server>(owner.platform_, std::move(way), owner.how_.clock_drift,
                                            server_settings{.quarantine = owner.how_.quarantine,
                                                            .note_run = note_run,
                                                            .counted_in = owner.how_.counted_in});
    }

    [[nodiscard]] single_server& server() noexcept { return *store_; }
    [[nodiscard]] redis::transport& way() noexcept { return *way_; }

    void granted(const core::grant_notice& what) override { owner_->granted(index_, what); }
    // Nothing lingers in a client of a quorum.
    void wanted(std::string_view /*lock*/) override {}
    void listening(bool now) override
    {
        if (std::exchange(listens_, now) != now) owner_->listening(index_, now);
    }

private:
    quorum_store* owner_;
    unsigned index_;
    bool listens_ = false;
    redis::transport* way_ = nullptr;
    std::unique_ptr<single_server> store_;
};

// `read` is called with the reply and the time. It must keep what the request points to. A request whose script the node
// does not know is sent once more if it is still `wanted`. Otherwise there is no reply.
template <class Read, class Wanted>
void quorum_store::send(const core::quorum::outgoing& what, Read read, Wanted wanted)
{
    // A connection that is silent for longer than that may be considered dead.
    constexpr std::chrono::milliseconds shortest{500};
    const auto patience = std::min(shortest, how_.command_limit);
    const auto sent = std::visit([](const auto& each) { return each.sent; }, what.what);
    servers_[what.node]->server().submit(
        what.what, patience, std::move(wanted),
        [this, from = what.node, sent, read = std::move(read)](const core::reply& got) {
            const auto now = platform_->now();
            note(from, sent, got, now);
            read(got, now);
            tell_warnings();
        });
}

}  // namespace pawl::store
