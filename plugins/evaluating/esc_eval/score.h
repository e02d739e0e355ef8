#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// Scores of the evaluation ESC-Eval: judges (chat models) score each dialogue between a simulated seeker and the model
// under test in seven dimensions. This header parses scores in judges' answers, and reads scores that a record (an
// entry of a data file) already contains.

namespace compeer::evaluating::esc_eval {

/// One of the seven aspects of a dialogue that are scored from 0 to 4.
struct Dimension {
  std::string_view key;    ///< name in published data files
  std::string_view title;  ///< column title in Table 2 of the paper
};
/// All dimensions. Elsewhere a dimension is its index in this array.
inline constexpr std::array<Dimension, 7> dimensions = {{{"fluency", "Fluency"},
                                                         {"diversity", "Expression"},
                                                         {"empathic", "Empathy"},
                                                         {"suggestion", "Information"},
                                                         {"human", "Humanoid"},
                                                         {"tech", "Skillful"},
                                                         {"overall", "Overall"}}};
/// Highest score; the lowest is 0.
inline constexpr int best_score = 4;

/// One judge's scores of a dialogue, by index of the dimension; empty where the judge gave no valid score.
using DialogueScores = std::array<std::optional<int>, dimensions.size()>;

/// How a score is parsed from an answer.
enum class Parser {
  /// Accepts one score from 0 to 4 in usual notation: "3", "**3**.", "Score: 3", "3/4", "3 out of 4", "3 points",
  /// "3.0", "3 (good)", "3. It reads well.", "I would give it a 3", or the like in Chinese. The score must be at the
  /// beginning, after a name and a colon, or at the end. It must be the only number except the 4 of the scale (in
  /// JSON, the only score). Not accepted: "4/10", "3 or 4", "2-3", "3.5", "-1", "5". Thoughts and code fences are
  /// removed first.
  strict,
  /// As in the published code: takes the smallest of the digits 0 to 4 that occurs anywhere. So "4/10" gives 0, and
  /// "13" gives 1.
  upstream,
};

/// Converts the value of the setting `parser`: "strict" or "upstream".
Parser parser_of(const std::string& name);

/// Returns the score in a judge's answer; empty if the answer has no valid one.
std::optional<int> read_score(std::string_view answer, Parser parser);

/// Scores of one dialogue by the name of the judge.
using ScoresByJudge = std::map<std::string, DialogueScores>;

/// Name of the first judge, and of scores that are recorded without a judge.
inline constexpr const char* only_judge = "judge";

/// True if the record already contains scores or answers of judges.
bool is_judged(const nlohmann::json& record);

/// The scores that a record contains.
struct RecordedScores {
  ScoresByJudge judged;  ///< judge name -> scores
  std::string refusal;   ///< why the scores can't be read, such as an unknown dimension; empty if they can
};
/// Reads the scores in the record's field "answers", otherwise "scores", otherwise in fields named as the dimensions,
/// as published. The first two are objects by dimension, or by judge and dimension. A whole number from 0 to 4 is a
/// score; a text is parsed by `parser` as a judge's answer. Anything else, such as -1, and a missing dimension count as
/// no score.
RecordedScores recorded(const nlohmann::json& record, Parser parser);

/// Returns {judge: {key of the dimension: score}}, with -1 for a missing score, as in published files.
nlohmann::json to_json(const ScoresByJudge& judged);

}  // namespace compeer::evaluating::esc_eval
