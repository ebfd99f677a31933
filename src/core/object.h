// What can be held: a name, a kind and a layout.
#pragma once

#include <pawl/options.h>

#include <string>
#include <string_view>

namespace pawl::core {

// Which holds may exist at the same time.
enum class object_kind {
    exclusive,  // one hold
    counted,    // several holds of one holder, which may enter again
};

// There may be a million of them. A store derives the rest, for example its keys, from the name.
struct object {
    std::string name;
    object_kind kind{};
    pawl::layout layout{};  // how the store writes it: other libraries can then share it

    bool operator==(const object&) const = default;
};

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is the word for it in
// the message: "lock name" or "holder".
void check_name(std::string_view what, std::string_view name);

// Makes a holder id from 32 random hexadecimal digits: the first becomes a `p`. The ids of other libraries
// have a digit there, or another length. So every client can tell which holders belong to pawl, and will
// tell the next waiter when they leave.
[[nodiscard]] std::string make_holder(std::string random_digits);

}  // namespace pawl::core
