// What the doctor says about round trips and clocks.
#include "doctor/timing.h"
#include "unit/doctor_fixture.h"

namespace pawl::test {
namespace {

using namespace doctor;
using testing::HasSubstr;
using testing::IsEmpty;

class doctor_on_clocks : public doctor_checks {
protected:
    // Round trips of this length, 10 ms apart. The server's clock is ahead by `ahead`, and by `faster` of the time more.
    static std::vector<sample> samples(std::chrono::microseconds trip,
                                       std::chrono::microseconds ahead, double faster = 0,
                                       int count = 100)
    {
        std::vector<sample> all;
        for (int i = 0; i < count; ++i) {
            const auto sent = base::boot_time{1h} + i * 10ms;
            const auto local = 1'700'000'000s + i * 10ms + trip / 2;
            const auto more = std::chrono::duration_cast<std::chrono::microseconds>(
                faster * i * std::chrono::duration<double, std::milli>{10});
            all.push_back({sent, sent + trip, local + ahead + more, local});
        }
        return all;
    }
};

TEST_F(doctor_on_clocks, needs_samples)
{
    EXPECT_EQ(of(check_round_trip).seen, "not checked: the server does not tell its time");
    EXPECT_FALSE(of(check_clock).checked);
    server_.samples = samples(100us, 0us, 0, 5);
    EXPECT_EQ(of(check_drift).seen, "not checked: too few answers");
}

TEST_F(doctor_on_clocks, ignores_a_time_that_makes_no_sense)
{
    const auto said = [](const std::string& seconds, const std::string& micros) {
        store::server_answer got;
        got.replies = {{.problem = {}, .texts = {seconds, micros}}};
        return read_sample(got, 0ns).has_value();
    };
    EXPECT_TRUE(said("1700000000", "0"));
    EXPECT_TRUE(said("1700000000", "999999"));
    EXPECT_FALSE(said("1700000000", "1000000"));
    EXPECT_FALSE(said("1700000000", "-1"));
    EXPECT_FALSE(said("-1", "0"));
    EXPECT_FALSE(said("9223372036854775807", "0"));
}

TEST_F(doctor_on_clocks, tells_median_and_slowest_round_trip)
{
    server_.samples = samples(200us, 0us);
    server_.samples[3].received += 7ms;
    EXPECT_EQ(of(check_round_trip).seen,
              "median 200 µs, shortest 200 µs, 99 % 200 µs, longest 7.2 ms (100 requests)");
    EXPECT_EQ(severity_of(check_round_trip), severity::ok);
}

TEST_F(doctor_on_clocks, warns_of_slow_round_trips)
{
    server_.samples = samples(20ms, 0us);
    EXPECT_EQ(severity_of(check_round_trip), severity::note);
    server_.samples = samples(150ms, 0us);
    EXPECT_EQ(severity_of(check_round_trip), severity::warning);
}

TEST_F(doctor_on_clocks, tells_the_difference_with_its_error)
{
    server_.samples = samples(200us, -1500us);
    EXPECT_EQ(of(check_clock).seen, "the server's clock minus this machine's: -1.5 ms ± 101 µs");
    EXPECT_EQ(severity_of(check_clock), severity::ok);
    server_.samples = samples(200us, 5s);
    EXPECT_EQ(severity_of(check_clock), severity::note);
    server_.samples = samples(200us, -10min);
    EXPECT_EQ(severity_of(check_clock), severity::warning);
}

TEST_F(doctor_on_clocks, does_not_blame_a_clock_for_a_slow_network)
{
    server_.samples = samples(3s, 1200ms);
    EXPECT_EQ(severity_of(check_clock), severity::ok) << "half of the round trip is more than that";
}

TEST_F(doctor_on_clocks, compares_drift_with_what_clients_allow)
{
    server_.samples = samples(100us, 0us);
    EXPECT_EQ(severity_of(check_drift), severity::ok);
    server_.samples = samples(100us, 0us, 0.03);
    EXPECT_EQ(severity_of(check_drift), severity::fault);
    EXPECT_THAT(of(check_drift).seen, HasSubstr("runs 3.000 % faster than this machine's"));
    server_.samples = samples(100us, 0us, -0.03);
    EXPECT_THAT(of(check_drift).seen, HasSubstr("slower"));
    at_.clock_drift = 0.1;
    EXPECT_EQ(severity_of(check_drift), severity::ok);
}

TEST_F(doctor_on_clocks, says_when_it_must_measure_for_longer)
{
    server_.samples = samples(50ms, 0us);
    EXPECT_EQ(severity_of(check_drift), severity::note);
    EXPECT_THAT(of(check_drift).advice, HasSubstr("--for 10s"));
}

TEST_F(doctor_on_clocks, compares_the_clocks_of_several_servers)
{
    const auto apart = [&](std::chrono::microseconds difference) {
        server_facts other = server_;
        other.server = "redis://b:6379";
        server_.samples = samples(200us, 0us);
        other.samples = samples(200us, difference);
        return only(check_clocks({server_, other}, at_));
    };
    EXPECT_EQ(apart(50ms).severity, severity::ok);
    EXPECT_EQ(apart(200ms).severity, severity::note);
    EXPECT_EQ(apart(-2s).severity, severity::warning);
    EXPECT_EQ(apart(-2s).seen, "redis://a:6379 is 2 s ± 202 µs ahead of redis://b:6379");
    EXPECT_THAT(check_clocks({server_}, at_), IsEmpty());
}

TEST(doctor_reading, makes_a_sample_of_the_reply_to_time)
{
    store::server_answer answer;
    answer.sent = base::boot_time{10s};
    answer.received = base::boot_time{10s + 2ms};
    answer.replies = {{.problem = {}, .texts = {"1700000000", "000250"}}};
    const auto got = read_sample(answer, 1'000s);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->server_time, 1'700'000'000s + 250us);
    EXPECT_EQ(got->local_time, 1'010s + 1ms);
    for (const auto& texts : std::vector<std::vector<std::string>>{
             {}, {"1"}, {"x", "1"}, {"-1", "0"}, {"9223372036854775807", "0"}}) {
        answer.replies = {{.problem = {}, .texts = texts}};
        EXPECT_FALSE(read_sample(answer, 0s));
    }
}

}  // namespace
}  // namespace pawl::test
