#include "evaluating/esc_eval/scored.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/by_dialogue.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Scored::Scored(const Dialogues& dialogues, const JudgeNames& judges) : n_(dialogues.size()) {
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

double Scored::figure(size_t dimension, std::span<const size_t> rows) const {
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

double Scored::average(std::span<const size_t> rows) const {
  double sum = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) sum += figure(d, rows);
  return sum / static_cast<double>(dimensions.size());
}

bool Scored::has(size_t dimension, size_t row) const {
  return std::any_of(scores_.begin(), scores_.end(),
                     [&](const auto& table) { return !std::isnan(table[dimension][row]); });
}

int64_t Scored::valid(size_t dimension) const {
  int64_t count = 0;
  for (size_t row = 0; row < n_; ++row) count += has(dimension, row);
  return count;
}

int64_t Scored::valid() const {
  int64_t count = 0;
  for (size_t row = 0; row < n_; ++row) {
    bool any = false;
    for (size_t d = 0; d < dimensions.size(); ++d) any = any || has(d, row);
    count += any;
  }
  return count;
}

json Scored::figures(const statistics::Resampling& how) const {
  json all = {{"n", valid()}};
  int64_t fewest = static_cast<int64_t>(n_);
  const auto put = [&](const std::string& key, int64_t n, const statistics::Statistic& figure) {
    all[key] = stages::figure(statistics::bootstrap(n_, figure, how));
    all[key]["n"] = n;
  };
  for (size_t d = 0; d < dimensions.size(); ++d) {
    fewest = std::min(fewest, valid(d));
    put(std::string(dimensions[d].key), valid(d),
        [this, d](std::span<const size_t> rows) { return this->figure(d, rows); });
  }
  put("average", fewest, [&](std::span<const size_t> rows) { return average(rows); });
  return all;
}

}  // namespace compeer::evaluating::esc_eval
