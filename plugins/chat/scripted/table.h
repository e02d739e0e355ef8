#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compeer/chat.h"

namespace compeer::scripted {

/// The answers of the chat plugin `scripted`, which takes the place of a chat model in tests and trials. Read from JSON
/// lines:
///
///   {"user": "How are you?", "answer": "Fine."}             the last turn equals "user"
///   {"contains": "sad", "answer": ["I see ({n}).", "Oh."]}  the last turn contains "contains"; sample n gets answer n
///                                                           modulo the number of answers
///   {"contains": "forbidden", "failure": "refused"}         a failed request
///   {"answer": "Go on."}                                    any request
///
/// Lines with "user" are tried first, then the others in order. "{n}" in an answer becomes the request's sample index.
class AnswerTable {
 public:
  /// Throws Error (exit code 4: invalid data) with file and line if a line is malformed or the file can't be read.
  explicit AnswerTable(const std::filesystem::path& file);

  /// Returns the answer of the first matching line; a failure if none matches.
  ChatReply answer(const ChatRequest& request) const;

  /// Returns the SHA-256 of the file.
  const std::string& digest() const { return digest_; }

 private:
  // A line of the table.
  struct Line {
    std::string contains;              // text that the last turn must contain; "": any
    std::vector<std::string> answers;  // one for each sample, repeated cyclically; empty: the request fails
    std::string failure;               // reason of the failure; "": none
  };
  // Parses one line of JSON and adds it. Throws std::exception if it is malformed.
  void add(const std::string& text);
  // Returns the reply of a line to the sample with this index.
  static ChatReply reply(const Line& line, uint32_t sample_index);

  std::string file_;                   // path of the file
  std::string digest_;                 // SHA-256 of the file
  std::map<std::string, Line> exact_;  // lines with "user", by this text
  std::vector<Line> others_;           // the other lines, in the order of the file
};

}  // namespace compeer::scripted
