// Cuts a stream of the Redis protocol into whole messages: just enough of it to know where one ends.
// Written apart from the library's parser, so that the two do not share a mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// The length of the first whole value (RESP2 or RESP3) of `bytes`, or nothing when more must come.
// Throws std::runtime_error when it is not RESP.
[[nodiscard]] std::optional<std::size_t> first_value(std::string_view bytes);

// The words of a whole request: an array of bulk strings.
[[nodiscard]] std::vector<std::string> request_words(std::string_view request);

}  // namespace pawl::test
