// pawl::striped_mutex: a fixed number of mutexes for any number of ids, for example 64 mutexes for
// all rows of a large table. Each id belongs to one of the mutexes. Two ids may share a mutex, so
// the holder of one may have to wait for the holder of the other; two equal ids always share one.
//
//   pawl::striped_mutex rows{client, "row", 64};
//   { std::scoped_lock guard{rows.of(row_id)}; /* … */ }
//   if (auto held = rows.of("DE-4711").try_acquire_for(5s)) save(row, held->fence());
//
// A striped_mutex has no states of its own: each stripe is an ordinary pawl::mutex, which is free
// or held. Its name is NAME:INDEX, such as "row:17". The index of an
// id is the same in every process, on every machine and in every version of pawl: docs/wire.md has
// the hash, so that programs in other languages can compute it. All users of a name must give the
// same number of stripes. With different numbers they use different mutexes for the same id, and do
// not exclude each other.
//
// Which number? If K different ids are locked at the same time, a further one meets a busy stripe
// by chance with a probability of about K / stripes.
//
// Fences grow for each stripe, so they grow for each id too. Compare only fences of the same id.
//
// A thread that needs several ids must lock each stripe once, because two ids may have the same
// one. Locking a stripe twice throws `would_deadlock`, and std::scoped_lock or std::lock over one
// stripe given twice never returns. So compute the index_of() each id, remove duplicates, and lock
// the stripes in ascending order.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>
#include <pawl/mutex.h>
#include <pawl/options.h>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace pawl {

// An integer that can be an id: any but bool and the character types.
template <class T>
concept integer_id =
    std::integral<T> && sizeof(T) <= 8 && !std::same_as<std::remove_cv_t<T>, bool> &&
    !std::same_as<std::remove_cv_t<T>, char> && !std::same_as<std::remove_cv_t<T>, wchar_t> &&
    !std::same_as<std::remove_cv_t<T>, char8_t> && !std::same_as<std::remove_cv_t<T>, char16_t> &&
    !std::same_as<std::remove_cv_t<T>, char32_t>;

class PAWL_EXPORT striped_mutex {
public:
    // Checks the name, the options, and the number of stripes (1 to 65,536). With ":INDEX" the name
    // has at most 512 bytes. All stripes have these options. The client must outlive this object.
    // Round trips: none.
    // On failure: throws pawl::error (bad_argument).
    striped_mutex(client& client, std::string_view name, std::size_t stripes,
                  const lock_options& options = {});
    ~striped_mutex();

    striped_mutex(const striped_mutex&) = delete;
    striped_mutex& operator=(const striped_mutex&) = delete;

    // Returns the mutex of this id. An id is any text, also an empty one. An integer is the same id
    // as its decimal text: of(-7) is of("-7"). The reference is valid as long as this object.
    // Round trips: none.
    // On failure: throws only if memory is short; a stripe is made when it is first used.
    // Threads: any thread may call it.
    [[nodiscard]] mutex& of(std::string_view id) { return stripe(index_of(id)); }

    [[nodiscard]] mutex& of(integer_id auto id) { return stripe(index_of(id)); }

    // Returns the index of the id's stripe: 0 to size() - 1.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::size_t index_of(std::string_view id) const noexcept;

    [[nodiscard]] std::size_t index_of(integer_id auto id) const noexcept
    {
        std::array<char, 24> digits{};  // enough for 64 bits and a sign
        const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), id).ptr;
        return index_of(std::string_view{digits.data(), end});
    }

    // Returns the mutex with this index. If the index is not smaller than size(), it throws
    // pawl::error (bad_argument).
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] mutex& stripe(std::size_t index);

    // Returns the number of stripes.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::size_t size() const noexcept;

    // Returns the name without an index.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    class state;
    std::unique_ptr<state> state_;
};

}  // namespace pawl
