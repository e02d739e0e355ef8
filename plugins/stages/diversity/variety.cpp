#include "stages/diversity/variety.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "stages/by_dialogue.h"
#include "stages/records.h"
#include "statistics/correlation.h"
#include "text/words.h"

namespace compeer::stages {

namespace {

using nlohmann::json;
using statistics::TokenizedTexts;
using statistics::Words;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Words words_of(const std::string& said) {
  Words words;
  for (const auto& word : text::words(said)) words.push_back(text::hash(&word, &word + 1));
  return words;
}

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

// Texts of some dialogues; `round` -1: of all rounds.
TokenizedTexts texts_of(std::span<const DialogueReplies> dialogues, int round = -1) {
  TokenizedTexts texts;
  for (const DialogueReplies& one : dialogues) {
    for (size_t i = 0; i < one.replies.size(); ++i) {
      if (round < 0 || i == static_cast<size_t>(round)) texts.push_back(&one.replies[i]);
    }
  }
  return texts;
}

// Unknown, not 0, where there are no such n-grams.
double distinct(const TokenizedTexts& texts, int n) {
  const double share = statistics::distinct(texts, n);
  return share > 0 ? share : kUnknown;
}

double entropy(const TokenizedTexts& texts, int n) {
  return std::isnan(distinct(texts, n)) ? kUnknown : statistics::ngram_entropy(texts, n);
}

// Of each reply of a dialogue that has runs of n words; NaN elsewhere, and for the first.
std::vector<double> repetitions(const DialogueReplies& dialogue, int n) {
  std::vector<double> all;
  TokenizedTexts earlier;
  for (const Words& reply : dialogue.replies) {
    all.push_back(earlier.empty() ? kUnknown : statistics::repeated(reply, earlier, n));
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

// A mean over what dialogues have, with an interval over dialogues. [dialogues][values]
json mean_of(const std::vector<std::vector<double>>& values, const statistics::Resampling& how) {
  const auto of_rows = [&](std::span<const size_t> rows) {
    std::vector<double> all;
    for (const size_t row : rows) all.insert(all.end(), values[row].begin(), values[row].end());
    return mean(all);
  };
  return figure(statistics::bootstrap(values.size(), of_rows, how));
}

json alone(double value) { return figure({value, kUnknown, kUnknown}); }

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
  json found = figure(statistics::bootstrap(scores.size(), of_rows, how));
  found["n"] = scores.size();
  return found;
}

}  // namespace

DialogueReplies spoken_in(const json& record, const std::string& score) {
  DialogueReplies spoken;
  for (const Turn& turn : turns_of(record)) {
    if (turn.role == "assistant") spoken.replies.push_back(words_of(turn.text));
  }
  if (record.contains("scores")) spoken.expression = score_in(record.at("scores"), score);
  return spoken;
}

json variety(const std::vector<DialogueReplies>& dialogues, int n, const statistics::Resampling& how) {
  std::vector<std::vector<double>> repeats, sizes, within, silent;
  std::vector<double> repeated, pairs;  // of each dialogue
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

}  // namespace compeer::stages
