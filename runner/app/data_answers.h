#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "plugin/answer_file.h"

namespace compeer::app {

/// Which of the stored answers of chat models (plugin/answer_store.h) are meant.
struct AnswerFilter {
  std::string model;       ///< of this model, by the name it was asked by or the one it answered by; empty: of all
  bool malformed = false;  ///< only those that could not be read
};

/// What the answers of one model come to.
struct AnswerSums {
  int64_t answers = 0, malformed = 0, prompt_tokens = 0, completion_tokens = 0;
  double cost = 0;
  std::set<std::string> served;  ///< the names by which it answered
};

/// By model. `log` is told of lines that are damaged.
std::map<std::string, AnswerSums> sums_of(const std::filesystem::path& folder, const AnswerFilter& filter,
                                          const plugin::AnswerFile::Log& log);

/// Removes answers, so that they are asked for again, and says what they were. Each file is replaced whole or not at
/// all. Throws Error (exit 4) if a run is adding to one of them.
std::map<std::string, AnswerSums> drop_answers(const std::filesystem::path& folder, const AnswerFilter& filter,
                                               const plugin::AnswerFile::Log& log);

}  // namespace compeer::app
