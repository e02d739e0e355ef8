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

/// The same as `printable` (text.h) for texts of several lines, of any length: line ends and tabs stay as they are.
std::string printable_lines(std::string_view text);

/// An error as it is told to people: fit for a terminal, and without secrets that its text may quote.
std::string error_text(const std::string& text);

/// A finite number as the shortest text that reads back to the same double, written as Python writes it: 1.0, 0.1,
/// 1e-06. (nlohmann's own text reads back too, but one in two thousand numbers gets more digits than it needs.)
std::string number_text(double number);

/// JSON with sorted keys and without white space, in UTF-8; the text that is hashed.
std::string canonical_json(const nlohmann::json& value);

}  // namespace compeer::spec
