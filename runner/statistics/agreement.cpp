// Agreement of raters beyond chance, from tables of counts.
#include "statistics/agreement.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace compeer::statistics {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double cost(size_t row, size_t column, DisagreementWeights weights) {
  const double distance = std::abs(static_cast<double>(row) - static_cast<double>(column));
  if (weights == DisagreementWeights::none) return distance == 0 ? 0 : 1;
  return weights == DisagreementWeights::linear ? distance : distance * distance;
}

// [categories, categories]: squared distances. `count`: ratings per category.
std::vector<std::vector<double>> squared_distances(const std::vector<double>& count, Scale scale,
                                                   std::span<const double> values) {
  std::vector<std::vector<double>> squared(count.size(), std::vector<double>(count.size()));
  for (size_t c = 0; c < count.size(); ++c) {
    double between = count[c] / 2;  // counts half of both ends
    for (size_t k = c + 1; k < count.size(); ++k) {
      between += count[k] / 2;
      const double distance = scale == Scale::nominal   ? 1
                              : scale == Scale::ordinal ? between
                              : values.empty()          ? static_cast<double>(k - c)
                                                        : values[k] - values[c];
      squared[c][k] = squared[k][c] = distance * distance;
      between += count[k] / 2;
    }
  }
  return squared;
}

// (observed - chance) / (1 - chance)
double beyond_chance(double observed, double chance) {
  return chance == 1 ? unknown : (observed - chance) / (1 - chance);
}

std::vector<size_t> all_of(const ContingencyTable& ratings) {
  std::vector<size_t> items(ratings.size());
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

// Probability that two ratings drawn from all ratings are equal.
double chance_of_all(const ContingencyTable& ratings, std::span<const size_t> items) {
  std::vector<double> counts(ratings.empty() ? 0 : ratings.front().size());
  double all = 0, chance = 0;
  for (const size_t row : items) {
    const auto& item = ratings[row];
    const auto judgements = std::accumulate(item.begin(), item.end(), size_t{0});
    if (judgements < 2) continue;
    all += static_cast<double>(judgements);
    for (size_t k = 0; k < item.size(); ++k) counts[k] += static_cast<double>(item[k]);
  }
  for (const double count : counts) chance += count / all * (count / all);
  return chance;
}

}  // namespace

double krippendorff(const ContingencyTable& ratings, std::span<const size_t> items, Scale scale,
                    std::span<const double> values) {
  const size_t categories = ratings.empty() ? 0 : ratings.front().size();
  // Coincidence matrix: pairs of ratings (c, k) within an item, weighted so that an item counts as often as it has
  // ratings.
  std::vector<std::vector<double>> together(categories, std::vector<double>(categories));
  std::vector<double> count(categories);
  for (const size_t item : items) {
    const auto& given = ratings[item];
    const auto judgements = static_cast<double>(std::accumulate(given.begin(), given.end(), size_t{0}));
    if (judgements < 2) continue;
    for (size_t c = 0; c < categories; ++c) {
      count[c] += static_cast<double>(given[c]);
      for (size_t k = 0; k < categories; ++k)
        together[c][k] +=
            static_cast<double>(given[c] * (c == k ? given[k] - (given[k] > 0) : given[k])) / (judgements - 1);
    }
  }
  const auto distance = squared_distances(count, scale, values);
  double observed = 0, chance = 0;
  for (size_t c = 0; c < categories; ++c) {
    for (size_t k = 0; k < categories; ++k) {
      observed += together[c][k] * distance[c][k];
      chance += count[c] * count[k] * distance[c][k];
    }
  }
  const double all = std::accumulate(count.begin(), count.end(), 0.0);
  return chance == 0 ? unknown : 1 - (all - 1) * observed / chance;
}

double krippendorff(const ContingencyTable& ratings, Scale scale, std::span<const double> values) {
  return krippendorff(ratings, all_of(ratings), scale, values);
}

double cohen(const ContingencyTable& confusion, DisagreementWeights weights) {
  const auto first = row_sums(confusion), second = column_sums(confusion);
  const auto n = static_cast<double>(total(confusion));
  double observed = 0, chance = 0;
  for (size_t i = 0; i < confusion.size(); ++i) {
    for (size_t j = 0; j < confusion.size(); ++j) {
      observed += cost(i, j, weights) * static_cast<double>(confusion[i][j]);
      chance += cost(i, j, weights) * static_cast<double>(first[i]) * static_cast<double>(second[j]) / n;
    }
  }
  return n == 0 || chance == 0 ? unknown : 1 - observed / chance;
}

double observed_agreement(const ContingencyTable& ratings, std::span<const size_t> items) {
  double sum = 0, compared = 0;
  for (const size_t item : items) {
    double judgements = 0, same = 0;
    for (const size_t count : ratings[item]) {
      const auto c = static_cast<double>(count);
      judgements += c, same += c * (c - 1);
    }
    if (judgements >= 2) sum += same / (judgements * (judgements - 1)), ++compared;
  }
  return compared == 0 ? unknown : sum / compared;
}

double observed_agreement(const ContingencyTable& ratings) { return observed_agreement(ratings, all_of(ratings)); }

double fleiss(const ContingencyTable& ratings, std::span<const size_t> items) {
  return beyond_chance(observed_agreement(ratings, items), chance_of_all(ratings, items));
}

double fleiss(const ContingencyTable& ratings) { return fleiss(ratings, all_of(ratings)); }

double randolph(const ContingencyTable& ratings) {
  const auto categories = ratings.empty() ? 0 : ratings.front().size();
  return beyond_chance(observed_agreement(ratings), 1 / static_cast<double>(categories));
}

}  // namespace compeer::statistics
