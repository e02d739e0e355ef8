#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "language/text_stream.h"

namespace compeer::language {

/// Watches a completion's tokens for texts that end it, wherever tokens begin and end. Special tokens count as text.
class StopStrings {
 public:
  StopStrings(const Tokenizer& tokenizer, std::vector<std::string> texts);

  /// Whether the text so far contains one of them.
  bool push(int32_t id);
  /// `push` of a copy, for a completion of its own.
  std::function<bool(int32_t id)> rule() const {
    return [own = *this](int32_t id) mutable { return own.push(id); };
  }

  /// The part of a whole text that stands before the first of them.
  static std::string before(const std::string& text, const std::vector<std::string>& texts);

 private:
  TextStream stream_;
  std::vector<std::string> texts_;
  size_t longest_ = 0;
  std::string tail_;  // of the text: as much as may begin one of them
};

}  // namespace compeer::language
