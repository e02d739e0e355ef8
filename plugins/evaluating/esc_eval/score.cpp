// Parses scores in judges' answers and in records.
#include "evaluating/esc_eval/score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "empathy/plain.h"
#include "empathy/reading.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

using empathy::trim;

// ASCII equivalents of full-width characters; formatting characters become spaces.
constexpr std::pair<std::string_view, std::string_view> likenesses[] = {
    {"０", "0"}, {"１", "1"}, {"２", "2"}, {"３", "3"}, {"４", "4"}, {"５", "5"}, {"６", "6"}, {"７", "7"},
    {"８", "8"}, {"９", "9"}, {"：", ":"}, {"。", "."}, {"，", ","}, {"；", ";"}, {"！", "!"}, {"（", "("},
    {"）", " "}, {"／", "/"}, {"．", "."}, {"－", "-"}, {"～", "~"}, {"*", " "},  {"_", " "},  {"`", " "},
    {"\"", " "}, {"'", " "},  {"[", " "},  {"]", " "},  {"{", " "},  {"}", " "},  {"#", " "},  {")", " "},
};

// Returns the text with these replacements, trimmed.
std::string plain(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const auto known = std::find_if(std::begin(likenesses), std::end(likenesses),
                                    [&](const auto& pair) { return text.starts_with(pair.first); });
    const bool found = known != std::end(likenesses);
    all += found ? known->second : text.substr(0, 1);
    text.remove_prefix(found ? known->first.size() : 1);
  }
  return std::string(trim(all));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

// Removes one of the words, and white space before it, from the front. Returns false if none is there.
bool take(std::string_view& rest, std::initializer_list<std::string_view> words) {
  const auto text = trim(rest);
  for (const auto word : words) {
    if (!text.starts_with(word)) continue;
    rest = text.substr(word.size());
    return true;
  }
  return false;
}

// Removes a fraction of zeros, such as ".0".
void take_zeros(std::string_view& rest) {
  const size_t end = std::min(rest.find_first_not_of('0', 1), rest.size());
  if (rest.starts_with(".0") && (end == rest.size() || !is_digit(rest[end]))) rest.remove_prefix(end);
}

// Removes the end of the scale, such as "/4" or "out of 4". Returns false if it is not there.
bool take_scale(std::string_view& rest) {
  auto scale = rest;
  take(scale, {"(", ","});
  if (!take(scale, {"/", "out of", "of", "满分为", "满分是", "满分"}) || !take(scale, {"4"})) return false;
  take_zeros(scale);
  rest = scale;
  return true;
}

// Removes the end of the scale and the unit after a number, in either order.
void take_unit(std::string_view& rest) {
  const std::initializer_list<std::string_view> unit = {"points", "point", "分"};
  take_zeros(rest);
  const bool scaled = take_scale(rest);
  take(rest, unit);
  if (!scaled && take_scale(rest)) take(rest, unit);
}

// True if the text before the number is empty or ends with a colon.
bool leads(std::string_view before) {
  before = trim(before);
  if (before.ends_with('(')) before = trim(before.substr(0, before.size() - 1));
  return before.empty() || before.ends_with(':');
}

bool is_marks(std::string_view text) { return text.find_first_not_of(" \t\r\n.!,;") == text.npos; }

// True if the sentence continues after the number, as in "3 questions were asked". Text in parentheses does not
// continue it.
bool goes_on(std::string_view rest) {
  return !rest.empty() && std::string_view(".,;:!\r\n").find(rest[0]) == std::string_view::npos &&
         !rest.starts_with(" -") && !trim(rest).starts_with('(');
}

// Returns the score in a text without a JSON object.
std::optional<int> written(std::string_view answer) {
  const std::string text = plain(answer);
  const auto at = static_cast<size_t>(std::find_if(text.begin(), text.end(), is_digit) - text.begin());
  if (at == text.size() || text[at] > '0' + best_score) return std::nullopt;
  const std::string_view before = std::string_view(text).substr(0, at);
  std::string_view rest = std::string_view(text).substr(at + 1);
  const auto joined = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.' || c == '/';
  };
  if (!before.empty() && joined(before.back())) return std::nullopt;
  take_unit(rest);
  if (has_digit(rest) || (!rest.empty() && (is_letter(rest[0]) || rest[0] == '/'))) return std::nullopt;
  const bool first = leads(before) && !goes_on(rest), last = is_marks(rest);
  return first || last ? std::optional(text[at] - '0') : std::nullopt;
}

// Returns the only score in an object such as {"score": 3, "reason": "It reads well."}.
std::optional<int> in_object(const nlohmann::json& object) {
  std::optional<int> found;
  for (const auto& value : object) {
    if (!value.is_number() && !value.is_string()) continue;
    const auto score = written(value.is_string() ? value.get<std::string>() : value.dump());
    if (value.is_number() && !score) return std::nullopt;
    if (score && found) return std::nullopt;
    if (score) found = score;
  }
  return found;
}

std::optional<int> strictly(std::string_view answer) {
  const auto text = empathy::answer_in(answer);
  if (!text) return std::nullopt;
  if (const auto object = empathy::json_in(*text.value); object.is_object()) {
    if (const auto score = in_object(object)) return score;
  }
  return written(*text.value);
}

// The published parser.
std::optional<int> anywhere(std::string_view answer) {
  for (int score = 0; score <= best_score; ++score) {
    if (answer.find(static_cast<char>('0' + score)) != answer.npos) return score;
  }
  return std::nullopt;
}

constexpr int none = -1;  // as published

const Dimension* find(std::string_view key) {
  const auto found =
      std::find_if(dimensions.begin(), dimensions.end(), [&](const auto& one) { return one.key == key; });
  return found == dimensions.end() ? nullptr : &*found;
}

std::optional<int> score_of(const json& value, Parser parser) {
  if (value.is_string()) return read_score(value.get<std::string>(), parser);
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  const bool valid = number >= 0 && number <= best_score && number == std::floor(number);
  return valid ? std::optional(static_cast<int>(number)) : std::nullopt;
}

std::string known() {
  std::string names;
  for (const auto& dimension : dimensions) names += (names.empty() ? "" : ", ") + std::string(dimension.key);
  return names;
}

DialogueScores scores_of(const json& by_dimension, Parser parser, std::string& refusal) {
  DialogueScores scores;
  for (const auto& [key, value] : by_dimension.items()) {
    if (const auto* dimension = find(key)) {
      scores[static_cast<size_t>(dimension - dimensions.data())] = score_of(value, parser);
    } else {
      refusal = "'" + key + "' is no dimension (known: " + known() + ")";
    }
  }
  return scores;
}

// Returns the fields of the record that are named as dimensions.
json own_scores(const json& record) {
  json own = json::object();
  for (const auto& dimension : dimensions) {
    if (const auto found = record.find(dimension.key); found != record.end()) own[std::string(dimension.key)] = *found;
  }
  return own;
}

}  // namespace

Parser parser_of(const std::string& name) { return name == "upstream" ? Parser::upstream : Parser::strict; }

std::optional<int> read_score(std::string_view answer, Parser parser) {
  return parser == Parser::upstream ? anywhere(answer) : strictly(answer);
}

// A role card may also have a field named as a dimension, so a field counts only if it is a score or all seven exist.
bool is_judged(const json& record) {
  const json own = own_scores(record);
  const bool scored = own.size() == dimensions.size() || std::any_of(own.begin(), own.end(), [](const json& value) {
                        return value.is_number() || score_of(value, Parser::strict);
                      });
  return record.contains("answers") || record.contains("scores") || scored;
}

RecordedScores recorded(const json& record, Parser parser) {
  const json all = record.contains("answers")  ? record.at("answers")
                   : record.contains("scores") ? record.at("scores")
                                               : own_scores(record);
  RecordedScores made;
  if (!all.is_object() || all.empty()) return {{}, "no scores by dimension, nor by judge and dimension"};
  const bool by_judge = std::all_of(all.begin(), all.end(), [](const json& value) { return value.is_object(); });
  if (!by_judge) {
    made.judged[only_judge] = scores_of(all, parser, made.refusal);
  } else {
    for (const auto& [judge, scores] : all.items()) made.judged[judge] = scores_of(scores, parser, made.refusal);
  }
  return made;
}

json to_json(const ScoresByJudge& judged) {
  json all = json::object();
  for (const auto& [judge, scores] : judged) {
    for (size_t d = 0; d < dimensions.size(); ++d)
      all[judge][std::string(dimensions[d].key)] = scores[d].value_or(none);
  }
  return all;
}

}  // namespace compeer::evaluating::esc_eval
