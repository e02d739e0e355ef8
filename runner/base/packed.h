#pragma once
#include <string>
#include <string_view>

namespace compeer {

/// Texts of any bytes, one behind the other in one string, each behind its size: to travel between ranks, or to lie in
/// little memory. The form is nobody's who writes files.
void put_packed(std::string_view text, std::string& bytes);

/// The first of them, which stays where it is; `bytes` goes on behind it. Throws std::runtime_error if it is cut short.
std::string_view take_packed(std::string_view& bytes);

}  // namespace compeer
