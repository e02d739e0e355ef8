#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "plugin/answer_file.h"

// `compeer data answers`: counts and deletes stored answers. Runs store each answer of a chat model in files, so that a
// later run does not send, and pay for, the same request again. An answer is marked as malformed if it could not be
// parsed.

namespace compeer::app {

/// Selection of stored answers.
struct AnswerFilter {
  std::string model;       ///< name of the requested model, or of the model that answered; empty: all models
  bool malformed = false;  ///< true: only answers marked as malformed
};

/// Totals over the answers of one model.
struct AnswerTotals {
  int64_t answers = 0, malformed = 0;                ///< number of answers; number of malformed ones among them
  int64_t prompt_tokens = 0, completion_tokens = 0;  ///< tokens of the requests and of the answers
  double cost = 0;               ///< in the currency of the prices in the settings; 0 without prices
  std::set<std::string> served;  ///< names of the models that answered, from the answers
};

/// Returns the totals of the selected answers by requested model. `folder`: the folder "answers" in the folder of runs.
/// `log`: called with a message for each damaged line, which is skipped; may be null. Throws Error (exit code 4:
/// invalid data) if `folder` contains no answer files.
std::map<std::string, AnswerTotals> answer_totals(const std::filesystem::path& folder, const AnswerFilter& filter,
                                                  const plugin::AnswerFile::Log& log);

/// Removes the selected answers, so that runs send their requests again, and returns their totals by requested model.
/// Replaces each file atomically. Throws Error if `folder` contains no answer files or a run has one open for writing
/// (exit code 4), or if a file can't be written (exit code 1: other failure).
std::map<std::string, AnswerTotals> drop_answers(const std::filesystem::path& folder, const AnswerFilter& filter,
                                                 const plugin::AnswerFile::Log& log);

}  // namespace compeer::app
