#include "core/object.h"

#include <pawl/error.h>

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(objects, with_bad_names_are_refused_with_the_reason)
{
    const auto refusal = [](std::string_view name) -> std::string {
        try {
            check_name("lock name", name);
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument);
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal(""), "lock name is empty (allowed: 1 to 512 bytes, any but NUL)");
    EXPECT_NE(refusal(std::string(513, 'x')).find("513 bytes"), std::string::npos);
    EXPECT_NE(refusal(std::string_view{"a\0b", 3}).find("NUL at byte 1"), std::string::npos);
    EXPECT_EQ(refusal(std::string(512, 'x')), "accepted");
    EXPECT_EQ(refusal("{ \n}\xff"), "accepted");
}

}  // namespace
}  // namespace pawl::core
