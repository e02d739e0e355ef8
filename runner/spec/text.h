#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace compeer::spec {

/// True for well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool valid_utf8(std::string_view text);

/// Text fit for a terminal: control characters and bytes that are no UTF-8 as \xNN, cut to `limit` characters.
std::string printable(std::string_view text, size_t limit = 60);

/// A value in an error message, short: 3, "fast", nan, {"a":1}.
std::string show(const nlohmann::json& value);

/// The same with its type: the string "fast", the integer 3, a list, a table.
std::string show_typed(const nlohmann::json& value);

/// "rewards" -> "reward": how a sentence speaks of one plugin of the kind.
std::string singular(const std::string& kind);

/// Several mistakes on their way to one Error, so that a file is mended in one go.
class Mistakes {
 public:
  /// A text with very many of them is hopeless: the 1000th throws.
  void add(Error mistake);
  bool empty() const { return mistakes_.empty(); }
  /// Throws them as one Error, in the order of the file, the first 20 in full; exit 3 if any of them has it.
  /// Does nothing if there are none.
  void raise();

 private:
  std::vector<Error> mistakes_;
};

}  // namespace compeer::spec
