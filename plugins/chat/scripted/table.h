#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compeer/chat.h"

namespace compeer::scripted {

/// Answers written down: JSON lines, each for some questions.
///
///   {"user": "How are you?", "answer": "Fine."}             the last turn is this
///   {"contains": "sad", "answer": ["I see ({n}).", "Oh."]}  it contains this; draw n takes answer n modulo their
///   number
///   {"contains": "forbidden", "failure": "refused"}         no answer
///   {"answer": "Go on."}                                    any question
///
/// Lines with "user" come first, then the others in their order. "{n}" in an answer is the request's draw.
class AnswerTable {
 public:
  /// Throws Error (exit 4) naming file and line.
  explicit AnswerTable(const std::filesystem::path& file);

  ChatReply answer(const ChatRequest& request) const;

  /// SHA-256 of the file.
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
