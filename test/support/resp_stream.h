// Splits a stream of the Redis protocol into whole messages. It parses only as much as is needed to
// find the end of each. It is independent of the library's parser, so that the two do not share a
// mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// The length of the first complete value (RESP2 or RESP3) in `bytes`. Nothing if it is incomplete.
// Throws std::runtime_error if it is not RESP.
[[nodiscard]] std::optional<std::size_t> first_value(std::string_view bytes);

// The words of a complete request: an array of bulk strings.
[[nodiscard]] std::vector<std::string> request_words(std::string_view request);

}  // namespace pawl::test
