#include "train/metrics/step_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "statistics/mean.h"

namespace compeer::train {

namespace {

using statistics::deviation;
using statistics::mean;

// A message of 64-bit numbers; lists carry their lengths.
class NumberMessage {
 public:
  NumberMessage() = default;
  explicit NumberMessage(const std::string& bytes) : numbers_(bytes.size() / sizeof(uint64_t)) {
    std::memcpy(numbers_.data(), bytes.data(), bytes.size());
  }

  void put(uint64_t number) { numbers_.push_back(number); }
  void put(double number) { put(std::bit_cast<uint64_t>(number)); }
  template <class T>
  void put_all(std::span<const T> list) {
    put(uint64_t{list.size()});
    for (const T& each : list) put(each);
  }

  bool more() const { return next_ < numbers_.size(); }
  uint64_t count() { return numbers_.at(next_++); }
  template <class T>
  std::vector<T> list() {
    std::vector<T> all(count());
    for (T& each : all) each = std::bit_cast<T>(count());
    return all;
  }

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(uint64_t)};
  }

 private:
  std::vector<uint64_t> numbers_;
  size_t next_ = 0;
};

double mean_entropy(const std::vector<float>& entropies) {
  return entropies.empty() ? 0.0 : mean(std::vector<double>(entropies.begin(), entropies.end()));
}

void pack(const ScoredGroups& mine, size_t g, const std::vector<std::string>& score_columns, NumberMessage& to) {
  const PromptGroup& group = mine.groups[g];
  std::vector<double> lengths, entropies, finished;
  std::vector<statistics::Words> words;
  for (const auto& sample : group.samples) {
    lengths.push_back(static_cast<double>(sample.tokens.size()));
    entropies.push_back(mean_entropy(sample.entropies));
    finished.push_back(sample.finished ? 1.0 : 0.0);
  }
  for (const Completion& completion : group.completions) words.push_back(statistics::words_of(completion.text));
  for (const auto& list : {mine.rewards[g], lengths, entropies, finished}) to.put_all<double>(list);
  for (const auto& column : score_columns) to.put_all<double>(mine.scores[g][column]);
  for (const auto& text : words) to.put_all<uint64_t>(text);
  to.put(statistics::self_similarity(words));
}

StepTable::GroupRows unpack(const std::vector<std::string>& score_columns, NumberMessage& from) {
  StepTable::GroupRows group;
  for (auto* list : {&group.rewards, &group.lengths, &group.entropies, &group.finished}) *list = from.list<double>();
  group.scores = ScoreTable(group.lengths.size());
  for (const auto& column : score_columns) group.scores.add(column, from.list<double>());
  for (size_t i = 0; i < group.lengths.size(); ++i) group.words.push_back(from.list<uint64_t>());
  group.self_similarity = std::bit_cast<double>(from.count());
  return group;
}

std::vector<double> known(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

bool is_reward(const std::string& column) { return column == "reward" || column.starts_with("rewards/"); }

using Metrics = std::vector<std::pair<std::string, double>>;

class Means {
 public:
  explicit Means(const std::vector<StepTable::GroupRows>& groups) : groups_(groups) {}

  // The numbers that completions have, of which a group's are a list.
  template <class Of>
  std::vector<double> each(Of of) const {
    std::vector<double> all;
    for (const auto& group : groups_) {
      const std::vector<double>& list = std::invoke(of, group);
      all.insert(all.end(), list.begin(), list.end());
    }
    return known(std::move(all));
  }

  template <class Of>
  double over_groups(Of of) const {
    std::vector<double> all;
    for (const auto& group : groups_) all.push_back(of(group));
    return mean(known(std::move(all)));
  }

 private:
  const std::vector<StepTable::GroupRows>& groups_;
};

}  // namespace

bool all_equal(const std::vector<double>& rewards) {
  const auto there = known(rewards);
  return std::all_of(there.begin(), there.end(), [&](double reward) { return reward == there.front(); });
}

StepTable StepTable::gather(comm::World& world, const ScoredGroups& mine, const std::vector<std::string>& score_columns,
                            std::span<const double> notes) {
  NumberMessage packed;
  packed.put_all<double>(notes);
  for (size_t g = 0; g < mine.groups.size(); ++g) pack(mine, g, score_columns, packed);
  StepTable table;
  for (const std::string& bytes : world.gather(packed.bytes())) {
    NumberMessage theirs(bytes);
    table.notes.push_back(theirs.list<double>());
    while (theirs.more()) table.groups.push_back(unpack(score_columns, theirs));
  }
  return table;
}

double StepTable::largest(size_t note) const {
  double all = 0;
  for (const auto& theirs : notes) all = std::max(all, theirs.at(note));
  return all;
}

double StepTable::sum(size_t note) const {
  double all = 0;
  for (const auto& theirs : notes) all += theirs.at(note);
  return all;
}

double StepTable::tokens() const {
  double all = 0;
  for (const GroupRows& group : groups) {
    for (const double length : group.lengths) all += length;
  }
  return all;
}

std::vector<std::string> StepTable::columns(const std::vector<std::string>& score_columns) {
  std::vector<std::string> names;
  for (const auto& [name, value] : StepTable().metrics(score_columns)) names.push_back(name);
  return names;
}

Metrics StepTable::metrics(const std::vector<std::string>& score_columns) const {
  const Means means(groups);
  Metrics all;
  for (const auto& column : score_columns) {
    const auto values = means.each([&](const GroupRows& group) -> const auto& { return group.scores[column]; });
    all.emplace_back(column, mean(values));
    if (is_reward(column)) all.emplace_back(column + "_std", deviation(values));
  }
  all.emplace_back("group_std",
                   means.over_groups([](const GroupRows& group) { return deviation(known(group.rewards)); }));
  all.emplace_back("zero_variance",
                   means.over_groups([](const GroupRows& group) { return all_equal(group.rewards) ? 1.0 : 0.0; }));
  all.emplace_back("length", mean(means.each(&GroupRows::lengths)));
  all.emplace_back("truncated", 1 - mean(means.each(&GroupRows::finished)));
  all.emplace_back("entropy", mean(means.each(&GroupRows::entropies)));
  statistics::TokenizedTexts texts;
  for (const GroupRows& group : groups) {
    for (const auto& words : group.words) texts.push_back(&words);
  }
  all.emplace_back("distinct_1", statistics::distinct(texts, 1));
  all.emplace_back("distinct_2", statistics::distinct(texts, 2));
  all.emplace_back("self_bleu", statistics::self_bleu(texts));
  all.emplace_back("self_similarity", means.over_groups([](const GroupRows& group) { return group.self_similarity; }));
  return all;
}

double StepTable::share(const WeightedPart& part) const {
  double along = 0, whole = 0;
  for (const GroupRows& group : groups) {
    const auto& parts = group.scores[part.column];
    const auto& rewards = group.scores["reward"];
    std::vector<double> xs, ys;
    for (size_t i = 0; i < rewards.size(); ++i) {
      if (std::isnan(parts[i]) || std::isnan(rewards[i])) continue;
      xs.push_back(parts[i]);
      ys.push_back(rewards[i]);
    }
    const double x = mean(xs), y = mean(ys);
    for (size_t i = 0; i < xs.size(); ++i) {
      along += (xs[i] - x) * (ys[i] - y);
      whole += (ys[i] - y) * (ys[i] - y);
    }
  }
  return part.weight * along / whole;
}

}  // namespace compeer::train
