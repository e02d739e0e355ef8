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

namespace compeer::evaluating::esc_eval {

/// A dialogue to be judged, with its scores.
struct JudgedDialogue {
  const nlohmann::json* record;  ///< with "id" and "language"
  Transcript transcript;
  ScoresByJudge judged = {};
  nlohmann::json answers = nlohmann::json::object();  ///< {judge: {dimension: last answer}}
  int64_t refused = 0;  ///< malformed answers about all dialogues of a call, counted in its first dialogue
};

/// One or two judges. Every dimension of every dialogue is a separate question, and each judge answers all of them in
/// parallel. The first judge may consist of several models, one for each language and dimension, as ESC-Rank does
/// (setting `judges`).
class DimensionJudges {
 public:
  /// Keeps references to the chat models and `host`. Throws Error (exit 4) if a prompt is missing or has other slots.
  DimensionJudges(const Settings& settings, Host& host);

  /// Fills in the scores and answers of `cases`. Throws Error (exit 4) if there is a case but no first judge.
  void judge(std::vector<JudgedDialogue>& cases) const;

  /// Returns the models: {"judge": model, "judge.en.fluency": model, "second_judge": model}. Their scores have the
  /// names "judge" and "second_judge".
  nlohmann::json models() const;
  std::string prompts() const;  ///< hashes, for Stage::cache_key
  Parser parser() const { return parser_; }
  /// Adds the models and the prompts to the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  // A model, its request settings, and its prompt for each dimension it scores.
  struct Model {
    OptionalChat chat;
    stages::Asking asking;
    std::map<size_t, stages::StagePrompt> prompts;
  };
  using Dimension = std::pair<std::string, size_t>;  // language and dimension

  void ask(const std::string& judge, std::vector<JudgedDialogue>& cases) const;
  const Model& model_for(const std::string& judge, const nlohmann::json& record, size_t dimension) const;

  std::map<std::string, Model> judges_;   // by "judge", "second_judge"
  std::map<Dimension, Model> overrides_;  // models that replace "judge" for some dimensions
  Parser parser_;
};

}  // namespace compeer::evaluating::esc_eval
