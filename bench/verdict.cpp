#include "verdict.h"

#include "text.h"

namespace pawl::bench {
namespace {

std::string wanted(const comparison& result, const target& what)
{
    std::string text{title_in(*result.what, what.who)};
    text += what.which == target::bound::at_least ? " ≥ " : " ≤ ";
    const int digits = what.value < 100 && what.value != static_cast<int>(what.value) ? 2 : 0;
    text += number(what.value, digits);
    switch (what.compared_with) {
    case target::against::nothing: return text + " " + std::string{describe(what.what).heading};
    case target::against::reference:
        return text + " × " + std::string{title_in(*result.what, what.reference)};
    case target::against::best_peer: return text + " × the best peer";
    }
    return text;
}

std::optional<double> reached(const comparison& result, const target& what)
{
    const contestant& who = result.find(what.who);
    const contestant* other = nullptr;
    switch (what.compared_with) {
    case target::against::nothing: {
        const auto own = who.of(what.what);
        return own ? std::optional{own->median} : std::nullopt;
    }
    case target::against::reference: other = &result.find(what.reference); break;
    case target::against::best_peer: other = best_peer(result, what.what, what.which); break;
    }
    if (other == nullptr) return std::nullopt;
    const auto times = who.compared_with(*other, what.what);
    return times ? std::optional{times->median} : std::nullopt;
}

}  // namespace

bool verdict::met() const
{
    if (!reached) return false;
    return what->which == target::bound::at_least ? *reached >= what->value
                                                  : *reached <= what->value;
}

std::vector<verdict> judge(const comparison& result)
{
    std::vector<verdict> verdicts;
    for (const target& each : result.what->targets) {
        verdicts.push_back(
            {.what = &each, .text = wanted(result, each), .reached = reached(result, each)});
    }
    return verdicts;
}

const contestant* best_peer(const comparison& result, metric what, target::bound which)
{
    const contestant* best = nullptr;
    const auto is_better = [which](double a, double b) {
        return which == target::bound::at_least ? a > b : a < b;
    };
    for (const contestant& each : result.contestants) {
        if (!each.is_peer() || !each.failure.empty() || !each.of(what)) continue;
        if (best == nullptr || is_better(each.of(what)->median, best->of(what)->median)) {
            best = &each;
        }
    }
    return best;
}

}  // namespace pawl::bench
