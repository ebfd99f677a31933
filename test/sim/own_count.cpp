#include "sim/own_count.h"

#include <algorithm>

namespace pawl::sim {
namespace {

class comparison {
public:
    void check(std::string_view what, std::uint64_t seen, std::uint64_t counted)
    {
        if (seen == counted) return;
        if (!text_.empty()) text_ += ", ";
        text_.append(what).append(": ").append(std::to_string(counted));
        text_.append(" instead of ").append(std::to_string(seen));
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

}  // namespace

void own_count::ended(std::error_code why)
{
    if (!why) {
        ++acquired;
    } else {
        ++not_granted[static_cast<errc>(why.value())];
    }
}

void own_count::heard(const event& what)
{
    const bool was_in_jeopardy = what.from == hold_state::jeopardy;
    if (what.to == hold_state::jeopardy) ++jeopardies;
    if (what.to == hold_state::held && was_in_jeopardy) ++recoveries;
    if (what.to != hold_state::lost) return;
    ++losses[what.why];
    if (was_in_jeopardy) ++lost_in_jeopardy;
}

std::string own_count::difference(const metrics& found) const
{
    const auto& all = found.all;
    const auto again = all.granted[grant_way::re_entered];
    const auto after_condition = all.granted[grant_way::woken];
    comparison seen;
    seen.check("acquired", acquired, all.granted.total() - again - after_condition);
    seen.check("woken", woken, after_condition);
    seen.check("re-entered", re_entered, again);
    for (std::size_t i = 1; i < not_granted.size(); ++i) {
        const auto code = static_cast<errc>(i);
        seen.check(make_error_code(code).message(), not_granted[code], all.not_granted[code]);
    }
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const auto why = static_cast<cause>(i);
        seen.check(std::string{"lost, "}.append(to_string(why)), losses[why], all.losses[why]);
    }
    seen.check("jeopardies", jeopardies, all.jeopardies);
    seen.check("recoveries", recoveries, all.recoveries);
    seen.check("lost in jeopardy", lost_in_jeopardy, all.lost_in_jeopardy);
    seen.check("renewals sent", renewals.sent, all.renewals.sent);
    seen.check("renewals done", renewals.done, all.renewals.done);
    seen.check("renewals failed", renewals.failed, all.renewals.failed);
    // The client does not count those that a release or a change has overtaken.
    seen.check("renewals denied", renewals.denied, std::max(renewals.denied, all.renewals.denied));
    // The histograms have one entry for each event.
    const auto changed = all.granted[grant_way::changed];
    seen.check("waits", acquired - changed, all.wait.count);
    seen.check("holds that ended", acquired + woken, all.hold.count);
    seen.check("margins", renewals.done, all.margin.count);
    return seen.text();
}

}  // namespace pawl::sim
