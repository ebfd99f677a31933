// What the place that text goes to can show.
#pragma once

#include <cstddef>

namespace pawl::cli {

enum class charset { ascii, utf8 };

// By the user's locale.
[[nodiscard]] charset charset_of_locale() noexcept;

[[nodiscard]] bool is_terminal(int fd) noexcept;

// How wide a line may be: 80 where nobody says.
[[nodiscard]] std::size_t columns_of(int fd) noexcept;

// Whether a line on it can be written over by the next.
[[nodiscard]] bool can_redraw(int fd) noexcept;

}  // namespace pawl::cli
