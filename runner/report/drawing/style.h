#pragma once
#include <string_view>

namespace compeer::report {

/// The text of style.css, built in.
std::string_view style_sheet();

}  // namespace compeer::report
