// Functions that the commands share: reading arguments, finding values, refusing.
#pragma once

#include "store/memory/command.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::store::memory {

namespace refusal {

inline constexpr std::string_view syntax = "ERR syntax error";
inline constexpr std::string_view not_whole = "ERR value is not an integer or out of range";
inline constexpr std::string_view not_positive = "ERR value is out of range, must be positive";
inline constexpr std::string_view overflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view wrong_type =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view read_only =
    "READONLY You can't write against a read only replica.";
inline constexpr std::string_view no_memory =
    "OOM command not allowed when used memory > 'maxmemory'.";

}  // namespace refusal

// Whether `word` is `wanted`, which is in upper case.
[[nodiscard]] bool is_word(std::string_view word, std::string_view wanted) noexcept;

// These return nothing if they have replied with an error.
[[nodiscard]] std::optional<std::int64_t> whole_argument(call& what, std::string_view word);
[[nodiscard]] std::optional<std::size_t> count_argument(call& what, std::string_view word);

void wrong_number_of_words(call& what, std::string_view name);

// The positions of a range: the first, and the one after the last. Negative numbers count from the
// end.
[[nodiscard]] std::pair<std::size_t, std::size_t> positions(std::int64_t first, std::int64_t last,
                                                            std::size_t size) noexcept;

template <class T>
struct lookup {
    entry* key = nullptr;
    T* data = nullptr;     // null if there is no such key
    bool refused = false;  // another type; the reply is an error
};

template <class T>
[[nodiscard]] lookup<T> look_up(call& what, std::string_view key)
{
    entry* const found = what.server.data.find(key);
    if (!found) return {};
    T* const data = std::get_if<T>(&found->data);
    if (!data) what.out.error(refusal::wrong_type);
    return {found, data, !data};
}

// The same, but creates the value if the key does not exist. Null if refused.
template <class T>
[[nodiscard]] T* look_up_or_add(call& what, std::string_view key)
{
    const auto found = look_up<T>(what, key);
    if (found.refused || found.data) return found.data;
    return &std::get<T>(what.server.data.add(key, T{}).data);
}

// Removes an aggregate that has become empty.
template <class T>
void erase_if_empty(call& what, std::string_view key, const T& data)
{
    if (data.size() == 0) what.server.data.erase(key);
}

}  // namespace pawl::store::memory
