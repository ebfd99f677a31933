// Ids cannot be guessed and are never repeated.
#include "base/random.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace pawl::base {
namespace {

constexpr std::size_t digits = 32;

// The result of random_id() in a child process.
std::string id_in_a_child()
{
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto id = random_id();
        const bool written = ::write(ends[1], id.data(), id.size()) == digits;
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    std::array<char, digits> text{};
    EXPECT_EQ(::read(ends[0], text.data(), text.size()), digits);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return {text.begin(), text.end()};
}

TEST(random_id, is_32_hexadecimal_digits)
{
    const auto id = random_id();
    EXPECT_EQ(id.size(), digits);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(random_id, is_never_the_same_twice_in_any_thread)
{
    std::vector<std::vector<std::string>> all(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(all.size());
        for (auto& mine : all) {
            threads.emplace_back(
                [&mine] { std::generate_n(std::back_inserter(mine), 1000, random_id); });
        }
    }
    std::set<std::string> different;
    for (const auto& mine : all) different.insert(mine.begin(), mine.end());
    EXPECT_EQ(different.size(), 4000);
}

TEST(random_id, of_a_child_process_differs_from_its_parents_ids)
{
    std::set<std::string> all{random_id()};  // from here on there are unused random bytes in memory
    all.insert(id_in_a_child());
    all.insert(id_in_a_child());
    EXPECT_EQ(all.size(), 3);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(all.insert(random_id()).second);
}

}  // namespace
}  // namespace pawl::base
