#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::evaluating::esc_eval {

/// One of the seven aspects of a dialogue scored from 0 to 4: its key in published files and its title in Table 2.
struct Dimension {
  std::string_view key, title;
};
inline constexpr std::array<Dimension, 7> dimensions = {{{"fluency", "Fluency"},
                                                         {"diversity", "Expression"},
                                                         {"empathic", "Empathy"},
                                                         {"suggestion", "Information"},
                                                         {"human", "Humanoid"},
                                                         {"tech", "Skillful"},
                                                         {"overall", "Overall"}}};
inline constexpr int best_score = 4;

/// One judge's scores of a dialogue; empty where it gave no valid score.
using DialogueScores = std::array<std::optional<int>, dimensions.size()>;

/// How a score is parsed from an answer.
enum class Parser {
  /// The answer contains one score from 0 to 4 in a usual notation: "3", "**3**.", "Score: 3", "3/4", "3 out of 4", "3
  /// points", "3.0", "得分：3分（满分4分）", "3 (good)", "3. It reads well.", "I would give it a 3". The score comes
  /// first,
  /// after a name and a colon, or last. It is the only number except the 4 of the scale; in a JSON object, the only
  /// score. Refused: "4/10", "3 or 4", "2-3", "3.5", "-1", "5". Surrounding text is removed first (empathy/reading.h).
  strict,
  /// As in the published code: the smallest of the digits 0 to 4 that occurs anywhere, so that "4/10" is 0 and "13" is
  /// 1.
  upstream,
};

/// Converts the setting: "strict" or "upstream".
Parser parser_of(const std::string& name);

/// Returns the score in an answer, or nothing if there is no valid one.
std::optional<int> read_score(std::string_view answer, Parser parser);

/// Scores of one dialogue by the name of the judge.
using ScoresByJudge = std::map<std::string, DialogueScores>;

/// Judge name for scores recorded without one.
inline constexpr const char* only_judge = "judge";

/// Returns true if the record already contains scores or answers of judges.
bool is_judged(const nlohmann::json& record);

/// Scores recorded in a record: in "answers" (texts to be parsed), otherwise "scores", otherwise in fields named as the
/// dimensions, as published. Each by dimension, or by judge and dimension. A whole number from 0 to 4 is a score; a
/// text is parsed as an answer. Anything else, such as -1, and a missing dimension count as no score.
struct RecordedScores {
  ScoresByJudge judged;
  std::string refusal;  ///< why the scores can't be read, such as an unknown dimension; empty if they can
};
/// Reads the scores of a record; texts are parsed by `parser`.
RecordedScores recorded(const nlohmann::json& record, Parser parser);

/// Returns {judge: {dimension: score}}, with -1 for a missing score.
nlohmann::json to_json(const ScoresByJudge& judged);

}  // namespace compeer::evaluating::esc_eval
