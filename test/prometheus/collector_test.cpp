// The metrics of a client as Prometheus gets them.
#include <pawl/prometheus.h>

#include "unit/memory_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {
namespace {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;

class prometheus_metrics : public with_memory {
protected:
    [[nodiscard]] client_options with_names()
    {
        auto made = options();
        made.measured_locks = {"job"};
        return made;
    }

    [[nodiscard]] MetricFamily family(const std::string& name) const
    {
        const auto all = collector_.Collect();
        const auto found = std::ranges::find(all, name, &MetricFamily::name);
        if (found == all.end()) throw std::out_of_range{name};
        return *found;
    }

    // The metric of this family with this label.
    [[nodiscard]] ClientMetric metric(const std::string& name, const std::string& label,
                                      const std::string& value) const
    {
        for (const auto& each : family(name).metric) {
            const ClientMetric::Label wanted{label, value};
            if (std::ranges::find(each.label, wanted) != each.label.end()) return each;
        }
        throw std::out_of_range{name + ", " + value};
    }

    client measured_{with_names()};
    mutex job_{measured_, "job"};
    prometheus::collector collector_{measured_, "me"};
};

TEST_F(prometheus_metrics, have_names_and_labels_that_prometheus_accepts)
{
    const auto is_word = [](std::string_view text) {
        return !text.empty() &&
               text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
    };
    std::set<std::string> names;
    for (const auto& each : collector_.Collect()) {
        EXPECT_TRUE(is_word(each.name)) << each.name;
        EXPECT_TRUE(each.name.starts_with("pawl_")) << each.name;
        EXPECT_TRUE(names.insert(each.name).second) << each.name << " is there twice";
        EXPECT_FALSE(each.help.empty()) << each.name;
        EXPECT_FALSE(each.metric.empty()) << each.name;
        EXPECT_EQ(each.name.ends_with("_total"), each.type == MetricType::Counter) << each.name;
        EXPECT_EQ(each.name.ends_with("_seconds"), each.type == MetricType::Histogram) << each.name;
        std::set<std::vector<ClientMetric::Label>> labels;
        for (const auto& one : each.metric) {
            EXPECT_TRUE(labels.insert(one.label).second) << each.name << " has labels twice";
            EXPECT_EQ(one.label.front(), (ClientMetric::Label{"client", "me"})) << each.name;
            for (const auto& label : one.label) EXPECT_TRUE(is_word(label.name)) << label.name;
        }
    }
}

TEST_F(prometheus_metrics, have_the_id_of_the_client_as_the_usual_label)
{
    const prometheus::collector usual{measured_};
    EXPECT_EQ(usual.Collect().front().metric.front().label.front().value, measured_.id());
}

TEST_F(prometheus_metrics, have_the_figures_of_the_moment)
{
    EXPECT_EQ(metric("pawl_grants_total", "way", "free").counter.value, 0);
    auto held = job_.acquire();
    EXPECT_EQ(metric("pawl_grants_total", "way", "free").counter.value, 1);
    EXPECT_EQ(metric("pawl_grants_total", "way", "handed_over").counter.value, 0);
    EXPECT_EQ(family("pawl_held").metric.front().gauge.value, 1);
    EXPECT_EQ(family("pawl_leases").metric.front().gauge.value, 1);
    server_.lose("job");
    EXPECT_FALSE(held.confirm());
    EXPECT_EQ(metric("pawl_losses_total", "cause", "vanished").counter.value, 1);
    EXPECT_EQ(metric("pawl_losses_total", "cause", "no_beat").counter.value, 0);
    EXPECT_GT(family("pawl_requests_total").metric.front().counter.value, 0);
}

TEST_F(prometheus_metrics, of_a_lock_have_names_of_their_own)
{
    mutex other{measured_, "other"};
    job_.acquire().release();
    other.acquire().release();
    EXPECT_EQ(metric("pawl_grants_total", "way", "free").counter.value, 2);
    ASSERT_EQ(family("pawl_lock_held").metric.size(), 1U);
    EXPECT_EQ(family("pawl_lock_held").metric.front().label.back(),
              (ClientMetric::Label{"lock", "job"}));
    EXPECT_EQ(metric("pawl_lock_grants_total", "way", "free").counter.value, 1);
    EXPECT_EQ(metric("pawl_lock_hold_seconds", "lock", "job").histogram.sample_count, 1U);
}

TEST_F(prometheus_metrics, have_labels_in_utf8)
{
    // Prometheus would reject the whole scrape.
    const auto label_of = [](const std::string& name) {
        metrics what;
        what.locks[name] = {};
        for (const auto& each : prometheus::families_of(what, name)) {
            if (each.name != "pawl_lock_held") continue;
            const auto& labels = each.metric.front().label;
            EXPECT_EQ(labels.front().value, labels.back().value);
            return labels.back().value;
        }
        return std::string{"none"};
    };
    const std::string bad = "\xEF\xBF\xBD";
    for (const std::string good :
         {"a\"b\n", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x94\x92", "\x7F"}) {
        EXPECT_EQ(label_of(good), good);
    }
    EXPECT_EQ(label_of("a\xFF"), "a" + bad);
    EXPECT_EQ(label_of("\x80z"), bad + "z");
    EXPECT_EQ(label_of("\xC3"), bad) << "cut off";
    EXPECT_EQ(label_of("\xE2\x82z"), bad + bad + "z") << "cut off";
    EXPECT_EQ(label_of("\xC0\x80"), bad + bad) << "overlong";
    EXPECT_EQ(label_of("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
    EXPECT_EQ(label_of("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "above U+10FFFF";
}

TEST_F(prometheus_metrics, have_cumulative_histograms_in_seconds)
{
    auto held = job_.acquire();
    server_.advance(20s);
    held.release();
    const auto hold = family("pawl_hold_seconds").metric.front().histogram;
    EXPECT_EQ(hold.sample_count, 1U);
    EXPECT_GE(hold.sample_sum, 20.0);
    EXPECT_LT(hold.sample_sum, 30.0);
    double last = 0;
    for (const auto& each : hold.bucket) {
        EXPECT_GT(each.upper_bound, last);
        last = each.upper_bound;
        EXPECT_EQ(each.cumulative_count, each.upper_bound < 20 ? 0U : 1U) << each.upper_bound;
    }
    EXPECT_GT(last, 12 * 3600.0);
}

TEST_F(prometheus_metrics, of_all_error_codes_and_causes_have_words)
{
    for (const auto& each : collector_.Collect()) {
        for (const auto& one : each.metric) {
            for (const auto& label : one.label) EXPECT_NE(label.value, "unknown") << each.name;
        }
    }
    EXPECT_EQ(metric("pawl_not_granted_total", "code", "no_quorum").counter.value, 0);
}

}  // namespace
}  // namespace pawl::test
