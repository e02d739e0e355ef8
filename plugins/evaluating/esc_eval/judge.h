#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluating/esc_eval/judged.h"
#include "evaluating/esc_eval/transcript.h"
#include "evaluating/optional_chat.h"
#include "stages/asking.h"

namespace compeer::evaluating::esc_eval {

/// A dialogue that is to be judged, and what was said of it.
struct Case {
  const nlohmann::json* record;  ///< with "id" and "language"
  Transcript transcript;
  Judged judged = {};
  nlohmann::json answers = nlohmann::json::object();  ///< {judge: {dimension: the last answer}}
  int64_t refused = 0;                                ///< answers that were asked for again
};

/// One judge, or two. Every dimension of every dialogue is a question of its own; a judge is asked all at once.
class Judging {
 public:
  Judging(const Settings& settings, Host& host);

  void judge(std::vector<Case>& cases) const;

  /// Who judges, by the names under which scores stand: {"judge": model, "second_judge": model}.
  nlohmann::json models() const;
  std::string prompts() const;  ///< for `Stage::ingredients`
  Parser parser() const { return parser_; }
  /// Notes who judged, in the record's provenance.
  void note(nlohmann::json& record) const;

 private:
  void ask(Chat& chat, const std::string& name, std::vector<Case>& cases) const;

  std::array<std::pair<std::string, OptionalChat>, 2> chats_;
  std::vector<stages::Prompts> prompts_;  // by dimension
  stages::Asking asking_;
  Parser parser_;
};

}  // namespace compeer::evaluating::esc_eval
