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

/// A dialogue that is to be judged, and what was said of it.
struct JudgedDialogue {
  const nlohmann::json* record;  ///< with "id" and "language"
  Transcript transcript;
  ScoresByJudge judged = {};
  nlohmann::json answers = nlohmann::json::object();  ///< {judge: {dimension: the last answer}}
  int64_t refused = 0;                                ///< answers that were asked for again
};

/// One judge, or two. Every dimension of every dialogue is a question of its own; a judge is asked all at once. The
/// first judge may be several models, one for each language and dimension, as ESC-Rank is (setting `judges`).
class Judging {
 public:
  Judging(const Settings& settings, Host& host);

  void judge(std::vector<JudgedDialogue>& cases) const;

  /// Who judges: {"judge": model, "judge.en.fluency": model, "second_judge": model}. Scores stand under "judge" and
  /// "second_judge".
  nlohmann::json models() const;
  std::string prompts() const;  ///< for `Stage::ingredients`
  Parser parser() const { return parser_; }
  /// Notes who judged, in the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  // A model, how it is asked, and the prompts that it is shown for some dimensions.
  struct Model {
    OptionalChat chat;
    stages::Asking asking;
    std::map<size_t, stages::StagePrompt> prompts;
  };
  using Dimension = std::pair<std::string, size_t>;  // language and dimension

  void ask(const std::string& judge, std::vector<JudgedDialogue>& cases) const;
  const Model& model_for(const std::string& judge, const nlohmann::json& record, size_t dimension) const;

  std::map<std::string, Model> judges_;  // "judge", "second_judge"
  std::map<Dimension, Model> instead_;   // of "judge"
  Parser parser_;
};

}  // namespace compeer::evaluating::esc_eval
