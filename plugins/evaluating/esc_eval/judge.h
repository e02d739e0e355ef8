#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluating/esc_eval/score.h"
#include "evaluating/esc_eval/transcript.h"
#include "evaluating/supporter.h"
#include "stages/asking.h"

// The judges of the evaluation ESC-Eval: chat models that score each played dialogue from 0 to 4 in seven dimensions,
// such as fluency. The scores are stored in the dialogue's record, an entry of a data file.

namespace compeer::evaluating::esc_eval {

/// A dialogue to be judged, with its scores.
struct JudgedDialogue {
  const nlohmann::json* record;  ///< the record of the dialogue, with "id" and "language"; not owned
  Transcript transcript;         ///< the dialogue's turns
  ScoresByJudge judged = {};     ///< result: judge name -> scores
  nlohmann::json answers = nlohmann::json::object();  ///< result: {judge: {dimension: text of the last answer}}
  /// Result: number of malformed answers about all dialogues of a call of DimensionJudges::judge; only in its first
  /// dialogue, 0 in the others.
  int64_t refused = 0;
};

/// The judges of the settings: "judge", and optionally "second_judge", for comparison. Every dimension of every
/// dialogue is a separate question, and each judge answers all of them in parallel. The setting `judges` can replace
/// the first judge's model for some languages and dimensions, as in ESC-Rank.
class DimensionJudges {
 public:
  /// Opens the chat models that are set, and the prompts. Keeps references to the chat models and `host`. Throws Error
  /// (exit code 4: invalid data) if a prompt is missing or has other slots than expected.
  DimensionJudges(const Settings& settings, Host& host);

  /// Fills in the results of `cases` by asking all judges. Throws Error (exit code 4) if there is a case but no first
  /// judge.
  void judge(std::vector<JudgedDialogue>& cases) const;

  /// Returns the names of the models, for provenance: {"judge": model, "judge.en.fluency": model, "second_judge":
  /// model}. A key with language and dimension names a replacement of the first judge's model.
  nlohmann::json models() const;
  /// Returns the hashes of all prompts. Part of the stage's cache key, which decides whether stored results may be
  /// reused.
  std::string prompts() const;
  /// Returns how scores are parsed from answers.
  Parser parser() const { return parser_; }
  /// Adds the names of the models and the hashes of the prompts to the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  struct Model {
    OptionalChat chat;
    stages::Asking asking;                          // temperature, token limit and attempts of its requests
    std::map<size_t, stages::StagePrompt> prompts;  // by index of the dimension; only those that it scores
  };
  using Dimension = std::pair<std::string, size_t>;  // language ("en", "zh") and index in `dimensions`

  // Asks one judge about all dimensions of all cases and fills in its results.
  void ask(const std::string& judge, std::vector<JudgedDialogue>& cases) const;
  // Returns the model of a judge for the record's language and a dimension.
  const Model& model_for(const std::string& judge, const nlohmann::json& record, size_t dimension) const;

  std::map<std::string, Model> judges_;   // by name: "judge", "second_judge"; the chat model may be unset
  std::map<Dimension, Model> overrides_;  // models that replace that of "judge" for a language and dimension
  Parser parser_;
};

}  // namespace compeer::evaluating::esc_eval
