#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "plugin/answer_file.h"

namespace compeer::app {

/// Selects stored answers of chat models (plugin/answer_store.h).
struct AnswerFilter {
  std::string model;       ///< requested model, or the model named in the answer; empty: all models
  bool malformed = false;  ///< only answers marked as malformed
};

/// Totals over the answers of one model.
struct AnswerTotals {
  int64_t answers = 0, malformed = 0, prompt_tokens = 0, completion_tokens = 0;
  double cost = 0;               ///< in the currency of the prices in the settings; 0 without prices
  std::set<std::string> served;  ///< model names in the answers
};

/// Returns the totals of the selected answers by requested model. Logs damaged lines and skips them. Throws Error (exit
/// 4) if `folder` contains no answer files.
std::map<std::string, AnswerTotals> answer_totals(const std::filesystem::path& folder, const AnswerFilter& filter,
                                                  const plugin::AnswerFile::Log& log);

/// Removes the selected answers, so that runs send their requests again, and returns their totals. Replaces each file
/// atomically. Throws Error if `folder` contains no answer files or a run has one open for writing (exit 4), or if a
/// file can't be written (exit 1).
std::map<std::string, AnswerTotals> drop_answers(const std::filesystem::path& folder, const AnswerFilter& filter,
                                                 const plugin::AnswerFile::Log& log);

}  // namespace compeer::app
