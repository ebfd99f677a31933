// This program contains integration tests, and the library with its mutants. For each mutant it runs
// one of the tests twice, each time in a process of its own: the test passes without the mutant, and
// fails with it.
#include "mutants/mutants.h"

#include "support/eventually.h"
#include "support/process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace pawl::test {
namespace {

constexpr const char* variable = "PAWL_MUTANT";

struct run {
    std::optional<ending> end;
    std::string output;

    [[nodiscard]] bool says(std::string_view line) const
    {
        return output.find(line) != std::string::npos;
    }
};

run run_test(std::string_view test, std::string_view mutant)
{
    const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
    process child{{"env", std::string{variable} + '=' + std::string{mutant}, own,
                   "--gtest_filter=" + std::string{test}}};
    const auto end = child.wait(4 * patience);
    return {.end = end, .output = child.out() + child.err()};
}

class is_noticed : public testing::Test {
public:
    explicit is_noticed(const real_mutant& which) : which_{&which} {}

    void TestBody() override
    {
        const std::string test{which_->test};
        const auto without = run_test(test, "");
        EXPECT_EQ(without.end, exited(0)) << without.output;
        EXPECT_TRUE(without.says("[       OK ] " + test)) << without.output;
        const auto with = run_test(test, which_->name);
        EXPECT_EQ(with.end, exited(1)) << with.output;
        EXPECT_TRUE(with.says("[  FAILED  ] " + test)) << with.output;
    }

private:
    const real_mutant* which_;
};

// Before main(), as the tests themselves. In a child, the process becomes the mutant that it is to be.
const bool is_prepared = [] {
    const char* const given = std::getenv(variable);
    const std::string_view wanted = given == nullptr ? "" : given;
    for (const auto& each : real_mutants()) {
        if (each.name == wanted) become(each);
        testing::RegisterTest("mutants", std::string{each.name}.c_str(), nullptr, nullptr, __FILE__,
                              __LINE__,
                              [&each]() -> testing::Test* { return new is_noticed{each}; });
    }
    const bool known = wanted.empty() || base::has_mutant() || base::changes_scripts();
    if (!known) throw std::invalid_argument{"no mutant " + std::string{wanted}};
    return true;
}();

}  // namespace
}  // namespace pawl::test
