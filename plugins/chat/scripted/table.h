#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compeer/chat.h"

namespace compeer::scripted {

/// A table of scripted answers, read from JSON lines:
///
///   {"user": "How are you?", "answer": "Fine."}             the last turn equals "user"
///   {"contains": "sad", "answer": ["I see ({n}).", "Oh."]}  the last turn contains "contains"; draw n gets answer n
///                                                           modulo the number of answers
///   {"contains": "forbidden", "failure": "refused"}         a failed request
///   {"answer": "Go on."}                                    any request
///
/// Lines with "user" are tried first, then the others in order. "{n}" in an answer becomes the request's draw.
class AnswerTable {
 public:
  /// Throws Error (exit 4) with file and line if a line is malformed.
  explicit AnswerTable(const std::filesystem::path& file);

  /// Returns the answer of the first matching line; a failure if none matches.
  ChatReply answer(const ChatRequest& request) const;

  /// Returns the SHA-256 of the file.
  const std::string& digest() const { return digest_; }

 private:
  struct Line {
    std::string contains;
    std::vector<std::string> answers;
    std::string failure;
  };
  void add(const std::string& text);
  static ChatReply reply(const Line& line, uint32_t draw);

  std::string file_, digest_;
  std::map<std::string, Line> exact_;
  std::vector<Line> others_;
};

}  // namespace compeer::scripted
