#include "spec/canonical.h"

#include <charconv>
#include <cmath>

namespace compeer::spec {

std::string number_text(double number) {
  char text[32];
  const double size = std::abs(number);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const std::string shortest(text, std::to_chars(text, text + sizeof text, number, format).ptr);
  return plain && shortest.find('.') == std::string::npos ? shortest + ".0" : shortest;
}

std::string canonical_json(const nlohmann::json& value) {
  if (value.is_number_float() && std::isfinite(value.get<double>())) return number_text(value.get<double>());
  if (!value.is_structured()) return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  for (const auto& [key, inner] : value.items()) {
    if (!text.empty()) text += ',';
    if (value.is_object()) text += nlohmann::json(key).dump() + ':';
    text += canonical_json(inner);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

}  // namespace compeer::spec
