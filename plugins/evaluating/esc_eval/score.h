#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::evaluating::esc_eval {

/// A dimension in which a dialogue is scored from 0 to 4: its key in published files, and its column in Table 2.
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

/// A judge's scores of one dialogue; nothing where there is none that is valid.
using DialogueScores = std::array<std::optional<int>, dimensions.size()>;

/// How a score is read out of an answer.
enum class Parser {
  /// The answer is one number from 0 to 4, written as people write it: "3", "**3**.", "Score: 3", "3/4", "3 out of 4",
  /// "3 points", "3.0", "得分：3分（满分4分）", "3 (good)", "3. It reads well.", "I would give it a 3". So it stands
  /// first, behind a name with a colon or last, and it is the only number but for the scale's 4. Refused are "4/10",
  /// "3 or 4", "2-3", "3.5", "-1" and "5". What else stands around it is taken off (empathy/reading.h); in an
  /// object of JSON it is the only number.
  strict,
  /// The published code's: of "0", "1", ... "4" the first that occurs anywhere, so that "4/10" is 0 and "13" is 1.
  upstream,
};

/// "strict" or "upstream".
Parser parser_of(const std::string& name);

std::optional<int> read_score(std::string_view answer, Parser parser);

/// What judges said of one dialogue: by the judge's name.
using ScoresByJudge = std::map<std::string, DialogueScores>;

/// The name of a judge that a record does not name.
inline constexpr const char* only_judge = "judge";

/// Whether a record holds scores or answers already.
bool is_judged(const nlohmann::json& record);

/// Scores that a record holds: "answers" (texts, which are read), else "scores", or the dimensions themselves, as in
/// the published files. Each by dimension, or by judge and then by dimension. A number from 0 to 4 is a score, a text
/// is read as an answer; anything else, -1 among it, is none, and so is a dimension that is missing.
struct RecordedScores {
  ScoresByJudge judged;
  std::string refusal;  ///< "" or why nothing of it can be read: a name that is no dimension
};
RecordedScores recorded(const nlohmann::json& record, Parser parser);

/// {judge: {dimension: score, -1 for none}}
nlohmann::json to_json(const ScoresByJudge& judged);

}  // namespace compeer::evaluating::esc_eval
