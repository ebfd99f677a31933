// What can be held: something with a name that admits holders.
#pragma once

#include <pawl/options.h>

#include <string>
#include <string_view>

namespace pawl::core {

// Which holds may exist at the same time.
enum class object_kind {
    exclusive,  // one
    counted,    // one holder, which may enter again
};

// There may be a million. Stores derive the rest, their keys for example, from the name.
struct object {
    std::string name;
    object_kind kind{};
    pawl::layout layout{};  // how the store writes it, so that other libraries can share it

    bool operator==(const object&) const = default;
};

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is what the
// message calls it: "lock name", "holder".
void check_name(std::string_view what, std::string_view name);

// Makes a holder id of 32 random digits: the first becomes a p. Other libraries write digits there, or
// ids of another length, so everyone can tell which holders tell the next one when they leave.
[[nodiscard]] std::string make_holder(std::string random_digits);

}  // namespace pawl::core
