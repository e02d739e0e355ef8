#include "stages/reward_accuracy/accuracy.h"

#include <cmath>
#include <functional>
#include <utility>

#include "statistics/classification.h"

namespace compeer::stages {

namespace {

using nlohmann::json;
using statistics::Table;

// Truth and answer of each record. The last category is "unreadable".
struct Pairs {
  std::vector<size_t> truth, answer;
  size_t categories;
};

Pairs pairs_of(const Question& question, const std::map<std::string, double>& counts) {
  auto answers = question.words;
  answers.emplace_back("unreadable");
  Pairs pairs{{}, {}, answers.size()};
  for (size_t t = 0; t < question.words.size(); ++t) {
    for (size_t a = 0; a < answers.size(); ++a) {
      const auto found = counts.find(cell(question, question.words[t], answers[a]));
      const auto n = found == counts.end() ? 0 : static_cast<size_t>(std::lround(found->second));
      pairs.truth.insert(pairs.truth.end(), n, t);
      pairs.answer.insert(pairs.answer.end(), n, a);
    }
  }
  return pairs;
}

Table table_of(const Pairs& pairs, std::span<const size_t> rows) {
  Table table(pairs.categories, std::vector<size_t>(pairs.categories));
  for (const size_t row : rows) ++table[pairs.truth[row]][pairs.answer[row]];
  return table;
}

json number(double value) { return std::isfinite(value) ? json(value) : json(); }

using Score = std::function<double(const Table&)>;

json estimated(const Pairs& pairs, const Score& score, const statistics::Resampling& how) {
  const auto found = statistics::bootstrap(
      pairs.truth.size(), [&](std::span<const size_t> rows) { return score(table_of(pairs, rows)); }, how);
  return {{"value", number(found.value)}, {"low", number(found.low)}, {"high", number(found.high)}};
}

double share(double part, double whole) { return whole > 0 ? part / whole : std::nan(""); }

double false_recall(const Table& table) {
  const auto& row = table[1];  // steps that are wrong
  return share(static_cast<double>(row[1]), static_cast<double>(row[0] + row[1] + row[2]));
}

// second and both good against first and neither.
double better_or_not(const Table& table) {
  const auto good = [](size_t word) { return word == 1 || word == 2; };
  double right = 0;
  for (size_t t = 0; t < 4; ++t) {
    for (size_t a = 0; a < 4; ++a) right += good(t) == good(a) ? static_cast<double>(table[t][a]) : 0.0;
  }
  return share(right, static_cast<double>(statistics::total(table)));
}

}  // namespace

const std::array<Question, 4>& questions() {
  static const std::vector<std::string> verdicts{"True", "False"};
  static const std::array<Question, 4> all{Question{"history", verdicts}, Question{"emotion", verdicts},
                                           Question{"strategy", verdicts},
                                           Question{"reply", {"first", "second", "both good", "neither"}}};
  return all;
}

std::string cell(const Question& question, const std::string& truth, const std::string& answer) {
  return question.name + ": " + truth + ", " + answer;
}

json accuracies(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  json all = json::object();
  for (const Question& question : questions()) {
    const auto pairs = pairs_of(question, counts);
    if (pairs.truth.empty()) continue;
    json& one = all[question.name];
    std::vector<size_t> rows(pairs.truth.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    one["n"] = rows.size();
    one["confusion"] = table_of(pairs, rows);
    one["weighted_f1"] = estimated(
        pairs, [](const Table& t) { return statistics::classification(t).weighted.f1; }, how);
    one["accuracy"] = estimated(
        pairs, [](const Table& t) { return statistics::classification(t).accuracy; }, how);
    if (question.words.size() == 2) {
      one["false_recall"] = estimated(pairs, false_recall, how);
    } else {
      one["better_or_not"] = estimated(pairs, better_or_not, how);
    }
  }
  return all;
}

}  // namespace compeer::stages
