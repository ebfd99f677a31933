#include "store/memory/arguments.h"

#include "store/memory/numbers.h"

#include <algorithm>
#include <string>

namespace pawl::store::memory {

bool is_word(std::string_view word, std::string_view wanted) noexcept
{
    return std::ranges::equal(word, wanted, [](char a, char b) {
        return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a');
    });
}

std::optional<std::int64_t> whole_argument(call& what, std::string_view word)
{
    const auto number = to_whole(word);
    if (!number) what.out.error(refusal::not_whole);
    return number;
}

std::optional<std::size_t> count_argument(call& what, std::string_view word)
{
    const auto number = to_whole(word);
    if (number && *number >= 0) return static_cast<std::size_t>(*number);
    what.out.error(refusal::not_positive);
    return std::nullopt;
}

void wrong_number_of_words(call& what, std::string_view name)
{
    what.out.error("ERR wrong number of arguments for '" + std::string{name} + "' command");
}

std::pair<std::size_t, std::size_t> positions(std::int64_t first, std::int64_t last,
                                              std::size_t size) noexcept
{
    const auto count = static_cast<std::int64_t>(size);
    if (first < 0) first = std::max<std::int64_t>(first + count, 0);
    if (last < 0) last += count;
    last = std::min(last, count - 1);
    if (first > last) return {0, 0};
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1};
}

}  // namespace pawl::store::memory
