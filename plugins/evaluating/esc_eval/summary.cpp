// Counts of scored dialogues, and the figures of Table 2 computed from them.
#include "evaluating/esc_eval/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "stages/by_dialogue.h"
#include "statistics/agreement.h"

namespace compeer::evaluating::esc_eval {

namespace {

using nlohmann::json;
using Resampling = statistics::Resampling;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Factor from a score to the table's scale of 0 to 100.
constexpr double of_hundred = 25;

/// The counts of one dialogue.
struct ScoredDialogue {
  ScoresByJudge judged;
  std::map<std::string, std::string> groups;  ///< "languages": "en"
};
using Dialogues = std::vector<const ScoredDialogue*>;
using JudgeNames = std::vector<std::string>;

/// The scores of some dialogues by some judges, on the scale of 0 to 100. `rows` are indices of dialogues; a bootstrap
/// resample repeats some.
class Scored {
 public:
  Scored(const Dialogues& dialogues, const JudgeNames& judges) : n_(dialogues.size()) {
    for (const auto& judge : judges) {
      auto& table = scores_.emplace_back();
      for (auto& column : table) column.assign(n_, unknown);
      for (size_t i = 0; i < n_; ++i) {
        const auto found = dialogues[i]->judged.find(judge);
        for (size_t d = 0; d < dimensions.size() && found != dialogues[i]->judged.end(); ++d)
          if (const auto score = found->second[d]) table[d][i] = of_hundred * *score;
      }
    }
  }

  /// {"n", "fluency": {value, low, high, n}, ..., "average": {...}}; "n": dialogues with any valid score.
  json figures(const Resampling& how) const {
    json all = json::object();
    int64_t fewest = static_cast<int64_t>(n_);
    std::vector<bool> any(n_);
    const auto put = [&](const std::string& key, int64_t n, const statistics::Statistic& figure) {
      all[key] = stages::interval_json(statistics::bootstrap(n_, figure, how));
      all[key]["n"] = n;
    };
    for (size_t d = 0; d < dimensions.size(); ++d) {
      int64_t valid = 0;
      for (size_t row = 0; row < n_; ++row) {
        if (!has(d, row)) continue;
        any[row] = true;
        ++valid;
      }
      fewest = std::min(fewest, valid);
      put(std::string(dimensions[d].key), valid, [&](std::span<const size_t> rows) { return figure(d, rows); });
    }
    put("average", fewest, [&](std::span<const size_t> rows) {
      double sum = 0;
      for (size_t d = 0; d < dimensions.size(); ++d) sum += figure(d, rows);
      return sum / static_cast<double>(dimensions.size());
    });
    all["n"] = std::count(any.begin(), any.end(), true);
    return all;
  }

 private:
  // Returns the mean over judges of each one's mean over valid scores. Judges without a valid score are left out; NaN
  // if none has one.
  double figure(size_t dimension, std::span<const size_t> rows) const {
    double sum = 0, judges = 0;
    for (const auto& table : scores_) {
      double of_judge = 0, n = 0;
      for (const size_t row : rows) {
        const double score = table[dimension][row];
        if (!std::isnan(score)) of_judge += score, ++n;
      }
      if (n > 0) sum += of_judge / n, ++judges;
    }
    return judges > 0 ? sum / judges : unknown;
  }

  // True if any judge scored the dialogue in this dimension.
  bool has(size_t dimension, size_t row) const {
    return std::any_of(scores_.begin(), scores_.end(),
                       [&](const auto& table) { return !std::isnan(table[dimension][row]); });
  }

  size_t n_;
  // [judge][dimension][dialogue]; NaN for no score.
  std::vector<std::array<std::vector<double>, dimensions.size()>> scores_;
};

struct Grouping {
  const char* plural;
  std::vector<const char*> keys;  // fields of a record, in order of preference
};
const std::vector<Grouping>& groupings() {
  static const std::vector<Grouping> all = {
      {"languages", {"language"}}, {"sources", {"source"}}, {"categories", {"category", "res"}}};
  return all;
}

// Names of counts consist of parts separated by tabs; tabs and line ends within a part become spaces.
std::string part(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts{""};
  for (const char c : name) {
    if (c == '\t')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

ScoredDialogue dialogue_of(const std::map<std::string, double>& cells) {
  ScoredDialogue made;
  for (const auto& [name, times] : cells) {
    const auto parts = parts_of(name);
    if (parts[0] == "group") made.groups[parts[1]] = parts[2];
    if (parts[0] != "score") continue;
    DialogueScores& scores = made.judged[parts[1]];
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d].key == parts[2] && parts[3] != "-") scores[d] = parts[3][0] - '0';
    }
  }
  return made;
}

JudgeNames judges_of(const std::vector<ScoredDialogue>& dialogues) {
  std::set<std::string> names;
  for (const auto& dialogue : dialogues) {
    for (const auto& [judge, scores] : dialogue.judged) names.insert(judge);
  }
  return {names.begin(), names.end()};
}

json grouped(const std::vector<ScoredDialogue>& dialogues, const std::string& plural, const JudgeNames& judges,
             const Resampling& how) {
  std::map<std::string, Dialogues> groups;
  for (const auto& dialogue : dialogues) {
    if (const auto found = dialogue.groups.find(plural); found != dialogue.groups.end())
      groups[found->second].push_back(&dialogue);
  }
  json all = json::object();
  for (const auto& [name, members] : groups) all[name] = Scored(members, judges).figures(how);
  return all;
}

json agreement(const std::vector<ScoredDialogue>& dialogues, const JudgeNames& judges, size_t d,
               const Resampling& how) {
  std::vector<size_t> first, second;
  for (const auto& [judged, groups] : dialogues) {
    const auto a = judged.find(judges[0]), b = judged.find(judges[1]);
    if (a == judged.end() || b == judged.end() || !a->second[d] || !b->second[d]) continue;
    first.push_back(static_cast<size_t>(*a->second[d]));
    second.push_back(static_cast<size_t>(*b->second[d]));
  }
  const auto mean = [&](auto&& of) {
    return stages::interval_json(statistics::bootstrap(
        first.size(),
        [&](std::span<const size_t> rows) {
          double sum = 0;
          for (const size_t row : rows) sum += of(static_cast<double>(first[row]), static_cast<double>(second[row]));
          return sum / static_cast<double>(rows.size());
        },
        how));
  };
  const double kappa = statistics::cohen(statistics::confusion(first, second, best_score + 1),
                                         statistics::DisagreementWeights::quadratic);
  return {{"n", first.size()},
          {"equal", mean([](double a, double b) { return a == b ? 1.0 : 0.0; })},
          {"difference", mean([](double a, double b) { return of_hundred * (a - b); })},
          {"kappa", std::isnan(kappa) ? json() : json(kappa)}};
}

// Counts missing scores. A judge that scored other dialogues should have scored every dialogue.
void put_invalid(const std::vector<ScoredDialogue>& dialogues, const JudgeNames& judges, json& all) {
  int64_t sum = 0;
  json reasons = json::object();
  for (const auto& dialogue : dialogues) {
    for (const auto& judge : judges) {
      const auto judged = dialogue.judged.find(judge);
      for (size_t d = 0; d < dimensions.size(); ++d) {
        if (judged != dialogue.judged.end() && judged->second[d]) continue;
        const auto name = judge + ", " + std::string(dimensions[d].key);
        reasons[name] = reasons.value(name, int64_t{0}) + 1;
        ++sum;
      }
    }
  }
  all["invalid"] = sum;
  all["reasons"] = std::move(reasons);
}

}  // namespace

void count(const json& record, const ScoresByJudge& judged, Outcome& outcome) {
  const json alone = {{"id", record.at("id")}};
  const auto put = [&](const std::string& name) { outcome.counts[stages::dialogue_count_name(alone, name)] = 1; };
  for (const auto& [judge, scores] : judged) {
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const std::string key(dimensions[d].key), score = scores[d] ? std::to_string(*scores[d]) : "-";
      put("score\t" + part(judge) + "\t" + key + "\t" + score);
      if (!scores[d]) outcome.counts["invalid: " + part(judge) + ", " + key] = 1;
    }
  }
  for (const auto& [plural, keys] : groupings()) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const char* one) {
      return record.contains(one) && record.at(one).is_string() && record.at(one) != "";
    });
    if (key != keys.end()) put(std::string("group\t") + plural + "\t" + part(record.at(*key)));
  }
}

json summary(const std::map<std::string, double>& counts, const Resampling& how) {
  std::vector<ScoredDialogue> dialogues;
  Dialogues all;
  for (const auto& cells : stages::by_dialogue(counts)) dialogues.push_back(dialogue_of(cells));
  for (const auto& dialogue : dialogues) all.push_back(&dialogue);
  const JudgeNames judges = judges_of(dialogues);
  json found = Scored(all, judges).figures(how);
  found["columns"] = found["titles"] = json::array();
  for (const auto& [key, title] : dimensions) found["columns"].push_back(key), found["titles"].push_back(title);
  found["columns"].push_back("average"), found["titles"].push_back("Average");
  found["better"]["higher"] = found["columns"];
  found["headline"] = "average";
  found["scores"] = dialogues.size() * judges.size() * dimensions.size();
  for (const auto& judge : judges) found["judges"][judge] = Scored(all, {judge}).figures(how);
  for (const auto& [plural, keys] : groupings()) found[plural] = grouped(dialogues, plural, judges, how);
  put_invalid(dialogues, judges, found);
  for (size_t d = 0; d < dimensions.size() && judges.size() > 1; ++d)
    found["agreement"][std::string(dimensions[d].key)] = agreement(dialogues, judges, d, how);
  return found;
}

}  // namespace compeer::evaluating::esc_eval
