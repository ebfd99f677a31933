// What the output can show: characters, width, redrawing.
#pragma once

#include <cstddef>

namespace pawl::cli {

enum class charset { ascii, utf8 };

// As the user's locale says.
[[nodiscard]] charset charset_of_locale() noexcept;

[[nodiscard]] bool is_terminal(int fd) noexcept;

// The width of a line: 80 if it is unknown.
[[nodiscard]] std::size_t columns_of(int fd) noexcept;

// The height of the screen: 24 if it is unknown.
[[nodiscard]] std::size_t lines_of(int fd) noexcept;

// Whether the next text can overwrite a line there.
[[nodiscard]] bool can_redraw(int fd) noexcept;

}  // namespace pawl::cli
