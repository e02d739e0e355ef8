#pragma once
#include <cstddef>
#include <string_view>

namespace compeer {

/// std::string_view::find in time linear in both texts. The library's takes the product of their lengths for what a
/// stranger can write down in a line: a million times "a", and "b" behind half as many.
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);

/// The same for std::string_view::rfind. Copies both, so that many parts of one text are better looked for from the
/// front.
size_t find_last_text(std::string_view text, std::string_view part);

}  // namespace compeer
