// Compares the in-process Redis with a real one: the same random requests, then every reply and
// every key.
//
// Each request is sent to the server first. The engine's clock is the time when the reply arrived.
// So the two clocks differ by at most a round trip, and so may the times in their replies. No key
// may end between the two: if one is about to end, the test waits until it has ended.
//
//   PAWL_DIFFERENTIAL_SECONDS  how long it runs, 6 if not set
//   PAWL_DIFFERENTIAL_SEED     only the sequence of that seed
#include "integration/engine_comparison.h"
#include "integration/engine_requests.h"
#include "store/memory/engine.h"
#include "support/redis_server.h"
#include "support/resp_connection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using store::memory::engine;

constexpr int requests_in_a_sequence = 120;
constexpr engine::session asker = 1;
constexpr engine::session listener = 2;

microseconds wall_clock()
{
    return std::chrono::duration_cast<microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
}

std::vector<std::string_view> views_of(const std::vector<std::string>& words)
{
    return {words.begin(), words.end()};
}

std::string words_of(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : " ") + ("\"" + readable(word) + "\"");
    return text;
}

// A server and the engine.
class both {
public:
    explicit both(const redis_server& server)
        : asker_{server.socket_path()}, listener_{server.socket_path()}
    {
        double_.on_push(
            [this](engine::session, std::string_view bytes) { pushed_.emplace_back(bytes); });
    }

    // Runs one sequence on an empty server. Returns the difference, if there is one.
    std::optional<std::string> run(std::uint64_t seed)
    {
        log_.str({});
        slowest_ = {};
        some_ended_ = false;
        if (!start()) return log_.str();
        engine_requests requests{seed};
        for (int done = 0; done < requests_in_a_sequence; ++done) {
            if (!compare(requests.next())) return log_.str();
        }
        return compare_keys() ? std::nullopt : std::optional{log_.str()};
    }

private:
    bool start()
    {
        return compare({{"CONFIG", "SET", "maxmemory", "0"}}) && compare({{"FLUSHALL"}}) &&
               compare({{"SCRIPT", "FLUSH"}}) &&
               std::ranges::all_of(engine_channels(), [this](const auto& channel) {
                   return compare({.words = {"UNSUBSCRIBE", channel}, .by_listener = true});
               });
    }

    bool compare(const engine_request& request)
    {
        if (request.words[0] == "DBSIZE" && some_ended_) return true;
        if (request.words[0] == "DBSIZE" && !touch_all_keys()) return false;
        wait_for_ends();
        const auto words = views_of(request.words);
        const auto before = wall_clock();
        const auto real = (request.by_listener ? listener_ : asker_).ask(words);
        now_ = wall_clock();
        slowest_ = std::max(slowest_, now_ - before);

        pushed_.clear();
        std::string made;
        if (request.words[0] == "CONFIG") {
            double_.refuse_writes(request.words[3] != "0");
            made = "+OK\r\n";
        } else {
            double_.execute(request.by_listener ? listener : asker, words, made);
        }
        log_ << words_of(request.words) << "\n    " << readable(real) << '\n';
        return check(comparison_for(request), real, made) && compare_pushed();
    }

    bool compare_pushed()
    {
        for (const auto& made : pushed_) {
            const auto real = listener_.read();
            log_ << "    heard " << readable(real) << '\n';
            if (!check(comparison_for({}), real, made)) return false;
        }
        return true;
    }

    bool check(const comparison& how, const std::string& real, const std::string& made)
    {
        if (how.same(real, made)) return true;
        log_ << "    but the engine: " << readable(made) << '\n';
        return false;
    }

    // A time may differ by a round trip in both directions.
    comparison comparison_for(const engine_request& request) const
    {
        return {
            .tolerance = 2ms + 2 * slowest_, .time = request.time, .any_order = request.any_order};
    }

    // A key that has ended is counted until it is accessed, or until the server removes it. The
    // keys of this test are touched here. The names of other keys are unknown, so then there is no
    // comparison.
    bool touch_all_keys()
    {
        engine_request touch{{"EXISTS"}};
        touch.words.insert(touch.words.end(), engine_keys().begin(), engine_keys().end());
        return compare(touch);
    }

    void wait_for_ends()
    {
        const auto guard = std::chrono::ceil<std::chrono::milliseconds>(2 * least_left + slowest_);
        now_ = wall_clock();
        for (const auto& key : double_.keys()) {
            // In milliseconds: some keys end at a time that does not fit into a number of
            // microseconds.
            const auto soon = std::chrono::ceil<std::chrono::milliseconds>(wall_clock()) + guard;
            if (!key.ends || soon < *key.ends) continue;
            std::this_thread::sleep_for(*key.ends + guard - wall_clock());
            some_ended_ = true;
        }
        now_ = wall_clock();
    }

    bool compare_keys()
    {
        log_ << "then the keys:\n";
        if (!compare({.words = {"KEYS", "*"}, .any_order = true})) return false;
        for (const auto& key : double_.keys()) {
            if (!compare({{"TYPE", key.name}}) || !compare(value_of(key)) ||
                !compare({{"PTTL", key.name}, time_in_reply::milliseconds})) {
                return false;
            }
        }
        return true;
    }

    static engine_request value_of(const store::memory::keyspace::key_info& key)
    {
        if (key.type == "string") return {{"GET", key.name}};
        if (key.type == "hash") return {{"HGETALL", key.name}};
        if (key.type == "list") return {{"LRANGE", key.name, "0", "-1"}};
        return {{"ZRANGE", key.name, "0", "-1", "WITHSCORES"}};
    }

    resp_connection asker_;
    resp_connection listener_;
    microseconds now_ = wall_clock();
    engine double_{[this] { return now_; }};
    microseconds slowest_{};
    bool some_ended_ = false;
    std::vector<std::string> pushed_;
    std::ostringstream log_;
};

std::optional<std::uint64_t> number_from(const char* variable)
{
    const char* const text = std::getenv(variable);
    return text ? std::optional{std::stoull(text)} : std::nullopt;
}

TEST(engine_differential, the_engine_and_a_real_server_give_the_same_replies)
{
    const redis_server server{{.config = {"databases 1"}}};
    both pair{server};
    const auto fail = [](std::uint64_t seed, const std::string& what) {
        ADD_FAILURE() << "the sequence of PAWL_DIFFERENTIAL_SEED=" << seed << ":\n" << what;
    };
    if (const auto seed = number_from("PAWL_DIFFERENTIAL_SEED")) {
        if (const auto what = pair.run(*seed)) fail(*seed, *what);
        return;
    }
    const std::chrono::seconds limit{number_from("PAWL_DIFFERENTIAL_SECONDS").value_or(6)};
    const auto end = std::chrono::steady_clock::now() + limit;
    std::random_device chance;
    std::uint64_t sequences = 0;
    for (; std::chrono::steady_clock::now() < end; ++sequences) {
        const auto seed = chance();
        if (const auto what = pair.run(seed)) return fail(seed, *what);
    }
    RecordProperty("sequences", std::to_string(sequences));
    EXPECT_GT(sequences, 0U);
}

}  // namespace
}  // namespace pawl::test
