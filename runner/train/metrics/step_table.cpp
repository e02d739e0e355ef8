// Gathers the completions of a step on rank 0 and computes its metrics there.
#include "train/metrics/step_table.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "statistics/interval.h"

namespace compeer::train {

namespace {

using statistics::mean;
using statistics::sample_std;

// Serializes numbers as 64-bit words; a list is preceded by its length.
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

const std::vector<std::string> sample_columns{"length", "entropy", "finished", "learned"};

std::vector<double> known(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

bool is_reward(const std::string& column) { return column == "reward" || column.starts_with("rewards/"); }

using Metrics = std::vector<std::pair<std::string, double>>;

std::vector<double> numbers(const at::Tensor& column) {
  const auto* first = column.const_data_ptr<double>();
  return {first, first + column.numel()};
}

}  // namespace

bool all_equal(std::span<const double> rewards) {
  const auto there = known({rewards.begin(), rewards.end()});
  return std::all_of(there.begin(), there.end(), [&](double reward) { return reward == there.front(); });
}

StepTable StepTable::gather(comm::World& world, const StepBatch& mine, std::vector<std::string> names,
                            std::span<const double> values) {
  names.insert(names.end(), sample_columns.begin(), sample_columns.end());
  NumberMessage packed;
  packed.put_all<double>(values);
  packed.put(uint64_t{mine.groups.size()});
  for (const auto& name : names) packed.put_all<double>(numbers(mine.columns[name]));
  for (const PromptGroup& group : mine.groups) {
    std::vector<statistics::Words> words;
    for (const Completion& completion : group.completions) words.push_back(statistics::words_of(completion.text));
    for (const auto& text : words) packed.put_all<uint64_t>(text);
    packed.put(statistics::self_similarity(words));
  }
  StepTable table;
  std::vector<std::vector<double>> columns(names.size());
  int64_t prompts = 0;
  const int64_t group_size = mine.columns.group_size();
  for (const std::string& bytes : world.gather(packed.bytes())) {
    NumberMessage theirs(bytes);
    table.rank_values.push_back(theirs.list<double>());
    const auto count = static_cast<int64_t>(theirs.count());
    for (auto& column : columns) {
      const auto more = theirs.list<double>();
      column.insert(column.end(), more.begin(), more.end());
    }
    for (int64_t g = 0; g < count; ++g) {
      for (int64_t i = 0; i < group_size; ++i) table.words.push_back(theirs.list<uint64_t>());
      table.self_similarity.push_back(std::bit_cast<double>(theirs.count()));
    }
    prompts += count;
  }
  table.columns = BatchColumns(prompts, group_size);
  for (size_t i = 0; i < names.size() && !table.rank_values.empty(); ++i)
    table.columns.set(names[i], at::tensor(columns[i], at::kDouble).view({prompts, group_size}));
  return table;
}

StepTable StepTable::prompt(int64_t index) const {
  StepTable one;
  one.columns = BatchColumns(1, columns.group_size());
  for (const auto& name : columns.names()) one.columns.set(name, columns[name].narrow(0, index, 1));
  const auto first = words.begin() + index * columns.group_size();
  one.words.assign(first, first + columns.group_size());
  one.self_similarity = {self_similarity[static_cast<size_t>(index)]};
  return one;
}

void StepTable::append(const StepTable& more) {
  BatchColumns all(columns.prompts() + more.columns.prompts(), more.columns.group_size());
  for (const auto& name : more.columns.names())
    all.set(name, columns.prompts() == 0 ? more.columns[name] : at::cat({columns[name], more.columns[name]}));
  columns = std::move(all);
  words.insert(words.end(), more.words.begin(), more.words.end());
  self_similarity.insert(self_similarity.end(), more.self_similarity.begin(), more.self_similarity.end());
}

double StepTable::largest(size_t i) const {
  double all = 0;
  for (const auto& theirs : rank_values) all = std::max(all, theirs.at(i));
  return all;
}

double StepTable::sum(size_t i) const {
  double all = 0;
  for (const auto& theirs : rank_values) all += theirs.at(i);
  return all;
}

double StepTable::tokens() const {
  double all = 0;
  for (const double length : numbers(columns["length"])) all += length;
  return all;
}

std::vector<std::string> StepTable::metric_names(const std::vector<std::string>& score_columns) {
  StepTable empty;
  for (const auto* names : {&score_columns, &sample_columns}) {
    for (const auto& name : *names) empty.columns.set_unknown(name);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : empty.metrics(score_columns)) names.push_back(name);
  return names;
}

Metrics StepTable::metrics(const std::vector<std::string>& score_columns) const {
  Metrics all;
  for (const auto& column : score_columns) {
    const auto values = known(numbers(columns[column]));
    all.emplace_back(column, mean(values));
    if (is_reward(column)) all.emplace_back(column + "_std", sample_std(values));
  }
  std::vector<double> spread, equal;
  for (size_t g = 0; g < self_similarity.size(); ++g) {
    const auto rewards = columns.row("learned", g);
    spread.push_back(sample_std(known(rewards)));
    equal.push_back(all_equal(rewards) ? 1.0 : 0.0);
  }
  all.emplace_back("group_std", mean(known(spread)));
  all.emplace_back("zero_variance", mean(equal));
  all.emplace_back("length", mean(numbers(columns["length"])));
  all.emplace_back("truncated", 1 - mean(numbers(columns["finished"])));
  all.emplace_back("entropy", mean(numbers(columns["entropy"])));
  statistics::TokenizedTexts texts;
  for (const auto& text : words) texts.push_back(&text);
  all.emplace_back("distinct_1", statistics::distinct(texts, 1));
  all.emplace_back("distinct_2", statistics::distinct(texts, 2));
  all.emplace_back("self_bleu", statistics::self_bleu(texts));
  all.emplace_back("self_similarity", mean(known(self_similarity)));
  return all;
}

double StepTable::variance_share(const WeightedPart& part) const {
  double along = 0, whole = 0;
  for (size_t g = 0; g < self_similarity.size(); ++g) {
    const auto parts = columns.row(part.column, g), rewards = columns.row("reward", g);
    std::vector<double> xs, ys;
    for (size_t i = 0; i < rewards.size(); ++i) {
      if (std::isnan(parts[i]) || std::isnan(rewards[i])) continue;
      xs.push_back(parts[i]);
      ys.push_back(rewards[i]);
    }
    if (all_equal(ys)) continue;  // rounding of the mean could make the variance positive
    const double x = mean(xs), y = mean(ys);
    for (size_t i = 0; i < xs.size(); ++i) {
      along += (xs[i] - x) * (ys[i] - y);
      whole += (ys[i] - y) * (ys[i] - y);
    }
  }
  return part.weight * along / whole;
}

void record_advantages(const at::Tensor& advantages, MetricRow& row) {
  const auto* first = advantages.const_data_ptr<double>();
  std::vector<double> all(first, first + advantages.numel());
  row.set("advantage_mean", statistics::mean(all));
  row.set("advantage_std", statistics::sample_std(all));
  for (double& advantage : all) advantage = std::abs(advantage);
  row.set("advantage_abs", statistics::mean(all));
}

}  // namespace compeer::train
