// Counts of a judge's verdicts against annotators' labels, and the figures of Table 1.
#include "stages/reward_accuracy/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/hash.h"
#include "empathy/judgement.h"
#include "stages/by_dialogue.h"
#include "statistics/classification.h"

namespace compeer::stages {

namespace {

using nlohmann::json;
using statistics::ContingencyTable;

// Returns the confusion matrix of one dialogue. Rows are the labels; the last category is "unreadable".
ContingencyTable table_of(const JudgedTopic& topic, const std::map<std::string, double>& counts) {
  auto answers = topic.words;
  answers.emplace_back("unreadable");
  ContingencyTable table(answers.size(), std::vector<size_t>(answers.size()));
  for (size_t t = 0; t < topic.words.size(); ++t) {
    for (size_t a = 0; a < answers.size(); ++a) {
      const auto found = counts.find(cell(topic, topic.words[t], answers[a]));
      if (found != counts.end()) table[t][a] = static_cast<size_t>(std::lround(found->second));
    }
  }
  return table;
}

ContingencyTable sum(const std::vector<ContingencyTable>& tables, std::span<const size_t> rows) {
  ContingencyTable all(tables[0].size(), std::vector<size_t>(tables[0].size()));
  for (const size_t row : rows) {
    for (size_t t = 0; t < all.size(); ++t) {
      for (size_t a = 0; a < all.size(); ++a) all[t][a] += tables[row][t][a];
    }
  }
  return all;
}

using Score = std::function<double(const ContingencyTable&)>;

json estimated(const std::vector<ContingencyTable>& tables, const Score& score, const statistics::Resampling& how) {
  return interval_json(statistics::bootstrap(
      tables.size(), [&](std::span<const size_t> rows) { return score(sum(tables, rows)); }, how));
}

double share(double part, double whole) { return whole > 0 ? part / whole : std::nan(""); }

double false_recall(const ContingencyTable& table) {
  const auto& row = table[1];  // steps labelled wrong
  return share(static_cast<double>(row[1]), static_cast<double>(row[0] + row[1] + row[2]));
}

double better_or_not(const ContingencyTable& table) {
  const auto good = [](size_t word) { return empathy::as_good(static_cast<empathy::Preference>(word)); };
  double right = 0;
  for (size_t t = 0; t < 4; ++t) {
    for (size_t a = 0; a < 4; ++a) right += good(t) == good(a) ? static_cast<double>(table[t][a]) : 0.0;
  }
  return share(right, static_cast<double>(statistics::total(table)));
}

}  // namespace

const std::array<JudgedTopic, 4>& topics() {
  static const auto verdicts = empathy::StepVerdicts().answers().answers();
  static const std::array<JudgedTopic, 4> all{JudgedTopic{"history", verdicts}, JudgedTopic{"emotion", verdicts},
                                              JudgedTopic{"strategy", verdicts},
                                              JudgedTopic{"reply", empathy::Preferences().answers().answers()}};
  return all;
}

std::string cell(const JudgedTopic& topic, const std::string& truth, const std::string& answer) {
  return topic.name + ": " + truth + ", " + answer;
}

void count(const json& record, const std::string& cell, Outcome& outcome) {
  outcome.counts[cell] = 1;
  outcome.counts[dialogue_count_name(record, cell)] = 1;
}

namespace {

// Returns the confusion matrix of each dialogue; empty if no verdict about the topic was counted.
std::vector<ContingencyTable> tables_of(const JudgedTopic& topic, const std::vector<DialogueCounts>& dialogues) {
  std::vector<ContingencyTable> tables;
  size_t n = 0;
  for (const auto& cells : dialogues) n += statistics::total(tables.emplace_back(table_of(topic, cells)));
  return n > 0 ? tables : std::vector<ContingencyTable>();
}

ContingencyTable whole_of(const std::vector<ContingencyTable>& tables) {
  std::vector<size_t> rows(tables.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return sum(tables, rows);
}

json classified(const std::vector<ContingencyTable>& tables, const statistics::Resampling& how) {
  const auto whole = whole_of(tables);
  return {
      {"n", statistics::total(whole)},
      {"confusion", whole},
      {"weighted_f1",
       estimated(
           tables, [](const ContingencyTable& t) { return statistics::classification(t).weighted.f1; }, how)},
      {"accuracy", estimated(
                       tables, [](const ContingencyTable& t) { return statistics::classification(t).accuracy; }, how)}};
}

}  // namespace

json classified(const JudgedTopic& topic, const std::vector<DialogueCounts>& dialogues,
                const statistics::Resampling& how) {
  const auto tables = tables_of(topic, dialogues);
  if (tables.empty()) return nullptr;
  json found = classified(tables, how);
  found["labels"] = topic.words;
  return found;
}

json accuracies(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  const auto dialogues = by_dialogue(counts);
  json all = json::object();
  for (const JudgedTopic& topic : topics()) {
    const auto tables = tables_of(topic, dialogues);
    if (tables.empty()) continue;
    json& one = all[topic.name] = classified(tables, how);
    if (topic.words.size() == 2) {
      one["false_recall"] = estimated(tables, false_recall, how);
    } else {
      one["better_or_not"] = estimated(tables, better_or_not, how);
    }
    one["ranked_within_rounds"] = ranked_within_rounds(dialogues, topic.name, how);
  }
  return all;
}

namespace {

using nlohmann::json;

// Identifies a round by its history and reference, as shown to the judge.
std::string round_of(const json& record) {
  return sha256(record.at("history").dump() + record.at("reference").dump()).substr(0, 16);
}

// Pairs of a good and a bad completion, and how many of them are in the right order.
struct Pairs {
  double in_order = 0, all = 0;
};

// Names of these counts are JSON, which preserves measures exactly: ["reply", "0123456789abcdef", true, 0.25].
Pairs pairs_of(const std::map<std::string, double>& counts, const std::string& topic) {
  const auto prefix = "[" + json(topic).dump() + ",";
  std::map<std::string, std::array<std::vector<double>, 2>> rounds;  // measures of bad and of good completions
  for (const auto& [name, times] : counts) {
    if (!name.starts_with(prefix)) continue;
    const json one = json::parse(name);
    auto& measures = rounds[one[1]][one[2].get<bool>() ? 1 : 0];
    measures.insert(measures.end(), static_cast<size_t>(std::lround(times)), one[3].get<double>());
  }
  Pairs pairs;
  for (const auto& [round, measures] : rounds) {
    const auto& [bad, good] = measures;
    pairs.in_order += statistics::mann_whitney_u(good, bad);
    pairs.all += static_cast<double>(good.size() * bad.size());
  }
  return pairs;
}

}  // namespace

void count_ranked(const json& record, const std::string& topic, bool good, double measure, Outcome& outcome) {
  const json name = {topic, round_of(record), good, measure};
  outcome.counts[dialogue_count_name(record, name.dump())] = 1;
}

json ranked_within_rounds(const std::vector<DialogueCounts>& dialogues, const std::string& topic,
                          const statistics::Resampling& how) {
  std::vector<Pairs> pairs;
  double all = 0;
  for (const auto& counts : dialogues) all += pairs.emplace_back(pairs_of(counts, topic)).all;
  const auto share = [&](std::span<const size_t> rows) {
    Pairs sum;
    for (const size_t row : rows) sum.in_order += pairs[row].in_order, sum.all += pairs[row].all;
    return sum.all > 0 ? sum.in_order / sum.all : std::nan("");
  };
  json found = interval_json(statistics::bootstrap(pairs.size(), share, how));
  found["pairs"] = static_cast<int64_t>(all);
  return found;
}

}  // namespace compeer::stages
