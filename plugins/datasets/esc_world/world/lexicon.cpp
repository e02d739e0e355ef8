#include "datasets/esc_world/world/lexicon.h"

#include <stdexcept>

namespace compeer::esc_world {

std::string_view name(Style style) {
  static constexpr std::array<std::string_view, 4> names = {"dominance", "influence", "steadiness",
                                                            "conscientiousness"};
  return names.at(static_cast<size_t>(style));
}

const Lexicon& lexicon(const std::string& language) {
  if (language == "en") return english();
  throw std::invalid_argument("esc_world does not speak '" + language + "' (known: en)");
}

}  // namespace compeer::esc_world
