/// diversity: measures how much a supporter repeats itself, within dialogues and across them, by round, and how this
/// correlates with judges' scores of variety. Keeps records unchanged.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compeer/plugin.h"
#include "compeer/stage.h"
#include "stages/by_dialogue.h"
#include "stages/records.h"
#include "statistics/bootstrap.h"
#include "statistics/correlation.h"
#include "statistics/variety.h"
#include "text/words.h"

namespace compeer::stages {

namespace {

/// The words of the supporter's replies in one dialogue, and a judge's score of their variety if there is one.
struct DialogueReplies {
  std::vector<statistics::Words> replies;
  std::optional<double> expression;
};

using nlohmann::json;
using statistics::TokenizedTexts;
using statistics::Words;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Words words_of(const std::string& said) {
  Words words;
  for (const auto& word : text::words(said)) words.push_back(text::hash(&word, &word + 1));
  return words;
}

// Returns the number `name` in `scores`, or the mean over judges; empty if there is none.
std::optional<double> score_in(const json& scores, const std::string& name) {
  if (!scores.is_object()) return std::nullopt;
  if (const auto found = scores.find(name); found != scores.end() && found->is_number()) return found->get<double>();
  double sum = 0, judges = 0;
  for (const auto& judge : scores) {
    const auto found = judge.is_object() ? judge.find(name) : judge.end();
    if (judge.is_object() && found != judge.end() && found->is_number()) sum += found->get<double>(), ++judges;
  }
  return judges > 0 ? std::optional(sum / judges) : std::nullopt;
}

// Returns the replies of some dialogues; `round` -1: all rounds.
TokenizedTexts texts_of(std::span<const DialogueReplies> dialogues, int round = -1) {
  TokenizedTexts texts;
  for (const DialogueReplies& one : dialogues) {
    for (size_t i = 0; i < one.replies.size(); ++i) {
      if (round < 0 || i == static_cast<size_t>(round)) texts.push_back(&one.replies[i]);
    }
  }
  return texts;
}

// NaN instead of 0 if there are no n-grams.
double distinct(const TokenizedTexts& texts, int n) {
  const double share = statistics::distinct(texts, n);
  return share > 0 ? share : unknown;
}

double entropy(const TokenizedTexts& texts, int n) {
  return std::isnan(distinct(texts, n)) ? unknown : statistics::ngram_entropy(texts, n);
}

// Returns for each reply the fraction of its n-grams that occur in earlier replies; NaN if it has none, and for the
// first reply.
std::vector<double> repetitions(const DialogueReplies& dialogue, int n) {
  std::vector<double> all;
  TokenizedTexts earlier;
  for (const Words& reply : dialogue.replies) {
    all.push_back(earlier.empty() ? unknown : statistics::repeated_fraction(reply, earlier, n));
    earlier.push_back(&reply);
  }
  return all;
}

std::vector<double> lengths(const DialogueReplies& dialogue) {
  std::vector<double> all;
  for (const Words& reply : dialogue.replies) all.push_back(static_cast<double>(reply.size()));
  return all;
}

std::vector<double> silences(const DialogueReplies& dialogue) {
  std::vector<double> all;
  for (const Words& reply : dialogue.replies) all.push_back(reply.empty() ? 1 : 0);
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0, n = 0;
  for (const double value : values) {
    if (!std::isnan(value)) sum += value, ++n;
  }
  return sum / n;
}

// Returns the mean of all values with an interval by bootstrap over dialogues. [dialogues][values]
json mean_of(const std::vector<std::vector<double>>& values, const statistics::Resampling& how) {
  const auto of_rows = [&](std::span<const size_t> rows) {
    std::vector<double> all;
    for (const size_t row : rows) all.insert(all.end(), values[row].begin(), values[row].end());
    return mean(all);
  };
  return interval_json(statistics::bootstrap(values.size(), of_rows, how));
}

json alone(double value) { return interval_json({value, unknown, unknown}); }

json rounds(const std::vector<std::vector<double>>& values, size_t most, const statistics::Resampling& how) {
  json curve = json::array();
  for (size_t round = 0; round < most; ++round) {
    std::vector<std::vector<double>> here;
    for (const auto& one : values) {
      if (round < one.size()) here.push_back({one[round]});
    }
    curve.push_back(mean_of(here, how));
    curve.back()["n"] = here.size();
  }
  return curve;
}

json rounds(const std::vector<DialogueReplies>& dialogues, size_t most,
            const std::function<double(const TokenizedTexts&)>& f) {
  json curve = json::array();
  for (size_t round = 0; round < most; ++round) {
    const auto texts = texts_of(dialogues, static_cast<int>(round));
    curve.push_back(alone(f(texts)));
    curve.back()["n"] = texts.size();
  }
  return curve;
}

json correlation(const std::vector<DialogueReplies>& dialogues, const std::vector<double>& values,
                 const statistics::Resampling& how) {
  std::vector<double> scores, known;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    if (!dialogues[i].expression || std::isnan(values[i])) continue;
    scores.push_back(*dialogues[i].expression);
    known.push_back(values[i]);
  }
  const auto of_rows = [&](std::span<const size_t> rows) {
    std::vector<double> x, y;
    for (const size_t row : rows) x.push_back(scores[row]), y.push_back(known[row]);
    return statistics::spearman(x, y);
  };
  json found = interval_json(statistics::bootstrap(scores.size(), of_rows, how));
  found["n"] = scores.size();
  return found;
}

// Returns the supporter's replies in the record's "turns", and the number `score` in its "scores", or the mean over
// several judges: {"diversity": 3} or {"one": {"diversity": 3}, "two": {...}}.
DialogueReplies spoken_in(const json& record, const std::string& score) {
  DialogueReplies spoken;
  for (const Turn& turn : turns_of(record)) {
    if (turn.role == "assistant") spoken.replies.push_back(words_of(turn.text));
  }
  if (record.contains("scores")) spoken.expression = score_in(record.at("scores"), score);
  return spoken;
}

// Returns "n" (dialogues with a reply) and figures {"value", "low", "high"}; null values where nothing can be computed.
// Within dialogues, with intervals over dialogues:
//
//   repetition           fraction of a reply's `n`-grams that an earlier reply of the dialogue contains, from the 2nd
//   reply dialogue_distinct_2  distinct word pairs of a dialogue length               words of a reply silent fraction
//   of replies without words, which repeat nothing and so improve the other figures
//
// Over all replies, without intervals because they depend on the amount of text: distinct_1 to 3, self_bleu, entropy_1
// and 2 (bits). "curves" has repetition, length, distinct_2 and self_bleu by round; "expression" the Spearman
// correlation over dialogues of the judges' score with repetition and with dialogue_distinct_2.
json variety(const std::vector<DialogueReplies>& dialogues, int n, const statistics::Resampling& how) {
  std::vector<std::vector<double>> repeats, sizes, within, silent;
  std::vector<double> repeated, pairs;  // one for each dialogue
  size_t most = 0;
  for (const DialogueReplies& one : dialogues) {
    most = std::max(most, one.replies.size());
    repeats.push_back(repetitions(one, n));
    sizes.push_back(lengths(one));
    silent.push_back(silences(one));
    pairs.push_back(distinct(texts_of({&one, 1}), 2));
    within.push_back({pairs.back()});
    repeated.push_back(mean(repeats.back()));
  }
  const auto all = texts_of(dialogues);
  const auto speaks = [](const DialogueReplies& one) { return !one.replies.empty(); };
  json found = {{"n", std::count_if(dialogues.begin(), dialogues.end(), speaks)},
                {"dialogues", dialogues.size()},
                {"replies", all.size()}};
  found["columns"] = {"distinct_1", "distinct_2", "distinct_3", "dialogue_distinct_2", "self_bleu", "repetition",
                      "entropy_1",  "entropy_2",  "length"};
  found["headline"] = "dialogue_distinct_2";
  found["better"] = {{"higher", {"distinct_1", "distinct_2", "distinct_3", "dialogue_distinct_2"}},
                     {"lower", {"self_bleu", "repetition", "silent"}}};
  for (const int k : {1, 2, 3}) found["distinct_" + std::to_string(k)] = alone(distinct(all, k));
  for (const int k : {1, 2}) found["entropy_" + std::to_string(k)] = alone(entropy(all, k));
  found["self_bleu"] = alone(statistics::self_bleu(all));
  found["repetition"] = mean_of(repeats, how);
  found["dialogue_distinct_2"] = mean_of(within, how);
  found["length"] = mean_of(sizes, how);
  found["silent"] = mean_of(silent, how);
  found["curves"] = {
      {"repetition", rounds(repeats, most, how)},
      {"length", rounds(sizes, most, how)},
      {"distinct_2", rounds(dialogues, most, [](const TokenizedTexts& texts) { return distinct(texts, 2); })},
      {"self_bleu", rounds(dialogues, most, statistics::self_bleu)}};
  if (std::any_of(dialogues.begin(), dialogues.end(),
                  [](const DialogueReplies& one) { return one.expression.has_value(); })) {
    found["expression"] = {{"with_repetition", correlation(dialogues, repeated, how)},
                           {"with_distinct_2", correlation(dialogues, pairs, how)}};
  }
  return found;
}

}  // namespace

}  // namespace compeer::stages

namespace {

using namespace compeer;
using nlohmann::json;

class Diversity : public Stage {
 public:
  Diversity(const Settings& settings, Host&)
      : n_(static_cast<int>(settings.integer("n"))),
        score_(settings, "score", "a score"),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  bool needs_summaries() const override { return true; }

  std::string summary(const json& record) const override {
    const auto spoken = stages::spoken_in(record, score_.name());
    const auto expression = spoken.expression ? json(*spoken.expression) : json();
    return json{spoken.replies, expression, score_.summary(scores_in(record))}.dump();
  }

  void add_summary(const std::string& summary) override {
    const auto known = json::parse(summary);
    auto& spoken = dialogues_.emplace_back();
    known.at(0).get_to(spoken.replies);
    if (!known.at(1).is_null()) spoken.expression = known.at(1).get<double>();
    score_.add_summary(known.at(2).get<std::string>());
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    score_.throw_if_misspelt();
    return std::vector<Outcome>(records.size(), stages::unchanged());
  }

  json findings(const std::map<std::string, double>&) const override {
    return stages::variety(dialogues_, n_, resampling_);
  }

 private:
  // Returns the scores of all judges by name.
  static json scores_in(const json& record) {
    json all = json::object();
    const json scores = record.value("scores", json::object());
    for (const auto& [name, value] : scores.items())
      value.is_object() ? all.update(value) : all.update({{name, value}});
    return all;
  }

  const int n_;
  stages::Expected score_;
  const statistics::Resampling resampling_;
  std::vector<stages::DialogueReplies> dialogues_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, diversity, Diversity, R"json(
  "version": "1.0.0",
  "summary": "How much a supporter's replies repeat its earlier ones in the dialogue.",
  "parameters": {
    "n": {"type": "integer", "default": 3, "min": 1, "max": 16, "help": "words per n-gram that counts as repeated"},
    "score": {"type": "string", "default": "diversity",
      "help": "key of the judges' diversity score in a record's scores, if it has any (ESC-Eval's Expression)"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
