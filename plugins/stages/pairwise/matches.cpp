// Counts of comparisons between models, and the figures computed from them.
#include "stages/pairwise/matches.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "stages/by_dialogue.h"
#include "statistics/preference.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

int sign(empathy::Preference preference) {
  if (preference == empathy::Preference::first) return 1;
  return preference == empathy::Preference::second ? -1 : 0;
}

using Pair = std::pair<std::string, std::string>;

struct Sums {
  size_t win = 0, tie = 0, lose = 0, turned = 0, contradictory = 0;

  void add(const json& match, size_t times) {
    const int outcome = match.at(2);
    (outcome > 0 ? win : outcome < 0 ? lose : tie) += times;
    if (match.at(3).is_null()) return;
    turned += times;
    contradictory += match.at(3).get<bool>() ? times : 0;
  }

  // Adds the results of the same pair in the other order.
  void add_reverse(const Sums& other) {
    win += other.lose, tie += other.tie, lose += other.win;
    turned += other.turned, contradictory += other.contradictory;
  }
};

using Results = std::map<Pair, Sums>;

Pair pair_of(const json& match) { return {match.at(0), match.at(1)}; }

// Merges pairs that occur in both orders into the one in alphabetical order of the names. Other pairs keep their order.
void unite(Results& pairs) {
  for (auto reverse = pairs.begin(); reverse != pairs.end();) {
    const auto& [a, b] = reverse->first;
    const auto same = a > b ? pairs.find({b, a}) : pairs.end();
    if (same != pairs.end()) same->second.add_reverse(reverse->second);
    reverse = same != pairs.end() ? pairs.erase(reverse) : std::next(reverse);
  }
}

json told(const Sums& sums) {
  const size_t n = sums.win + sums.tie + sums.lose;
  json found = {{"n", n},
                {"win", interval_json(statistics::wilson(sums.win, n))},
                {"tie", interval_json(statistics::wilson(sums.tie, n))},
                {"lose", interval_json(statistics::wilson(sums.lose, n))},
                {"sign_test", interval_json({statistics::sign_test(sums.win, sums.lose), unknown, unknown})}};
  if (sums.turned > 0) found["contradictory"] = interval_json(statistics::wilson(sums.contradictory, sums.turned));
  return found;
}

std::vector<double> strengths(const std::vector<Results>& dialogues, std::span<const size_t> rows,
                              const std::map<std::string, size_t>& places) {
  std::vector<std::vector<double>> wins(places.size(), std::vector<double>(places.size()));
  for (const size_t row : rows) {
    for (const auto& [pair, sums] : dialogues[row]) {
      const size_t a = places.at(pair.first), b = places.at(pair.second);
      wins[a][b] += static_cast<double>(sums.win) + static_cast<double>(sums.tie) / 2;
      wins[b][a] += static_cast<double>(sums.lose) + static_cast<double>(sums.tie) / 2;
    }
  }
  return statistics::bradley_terry(wins);
}

}  // namespace

int Match::outcome() const {
  const int one = sign(preference);
  return !reverse_order || sign(*reverse_order) == one ? one : 0;
}

bool Match::contradictory() const { return reverse_order && sign(preference) * sign(*reverse_order) < 0; }

void count(const json& record, const Match& match, Outcome& outcome) {
  const json told = {match.first, match.second, match.outcome(),
                     match.reverse_order ? json(match.contradictory()) : json()};
  outcome.counts[dialogue_count_name(record, told.dump())] += 1;
}

json comparison(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  std::vector<Results> dialogues;
  Results all;
  std::map<std::string, size_t> places;
  for (const auto& cells : by_dialogue(counts)) {
    Results& results = dialogues.emplace_back();
    for (const auto& [name, times] : cells) {
      const auto match = json::parse(name);
      const auto pair = pair_of(match);
      results[pair].add(match, static_cast<size_t>(times));
      all[pair].add(match, static_cast<size_t>(times));
      places.try_emplace(pair.first);
      places.try_emplace(pair.second);
    }
  }
  json found = {{"n", 0},
                {"dialogues", dialogues.size()},
                {"models", json::object()},
                {"shares", {"win", "tie", "lose"}},
                {"better", {{"higher", {"win", "strength"}}, {"lower", {"lose", "contradictory"}}}}};
  unite(all);
  size_t number = 0;
  for (auto& [name, place] : places) place = number++;
  for (const auto& [pair, sums] : all) {
    found["n"] = found["n"].get<size_t>() + sums.win + sums.tie + sums.lose;
    found["pairs"][pair.first + " vs " + pair.second] = told(sums);
  }
  for (const auto& model : places) {
    size_t without = 0;  // resamples without a finite strength, because a model never lost
    auto strength = statistics::bootstrap(
        dialogues.size(),
        [&](std::span<const size_t> rows) {
          const double one = strengths(dialogues, rows, places)[model.second];
          without += std::isnan(one) ? 1 : 0;
          return one;
        },
        how);
    const auto beyond = (1 - how.confidence) / 2 * static_cast<double>(how.resamples);
    if (static_cast<double>(without) > beyond) strength.low = strength.high = unknown;
    found["models"][model.first]["strength"] = interval_json(strength);
  }
  return found;
}

}  // namespace compeer::stages
