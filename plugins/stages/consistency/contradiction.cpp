// Counts of contradictory judgements, and the figures of Fig. 5a.
#include "stages/consistency/contradiction.h"

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "stages/by_dialogue.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

// Numbers of judgements. `alike` counts those whose true verdicts are equal: [truth of both][process wrong][outcome
// wrong].
struct Sums {
  double n = 0, known = 0, apart = 0, contradictory = 0, overlooked = 0;
  std::array<std::array<std::array<double, 2>, 2>, 2> alike{};

  void add(const Judgement& one, double times) {
    n += times;
    apart += one.judged.disagree() ? times : 0;
    contradictory += one.contradictory() ? times : 0;
    overlooked += one.overlooked() ? times : 0;
    if (!one.truth) return;
    known += times;
    const auto [process, outcome] = *one.truth;
    if (process == outcome) alike[process][one.judged.process != process][one.judged.outcome != outcome] += times;
  }

  void add(const Sums& other) {
    n += other.n, known += other.known, apart += other.apart;
    contradictory += other.contradictory, overlooked += other.overlooked;
    for (size_t i = 0; i < 8; ++i) alike[i / 4][i / 2 % 2][i % 2] += other.alike[i / 4][i / 2 % 2][i % 2];
  }

  // Expected number of judgements with exactly one wrong verdict if errors were independent, for each value of the
  // truth.
  double by_chance() const {
    double sum = 0;
    for (const auto& half : alike) {
      const double all = half[0][0] + half[0][1] + half[1][0] + half[1][1];
      if (all == 0) continue;
      const double process = (half[1][0] + half[1][1]) / all, outcome = (half[0][1] + half[1][1]) / all;
      sum += all * (process * (1 - outcome) + outcome * (1 - process));
    }
    return sum;
  }
};

// Encodes a judgement as the name of a count, "1 0 1 1 -": verdicts, truth, decision of the chat model; '-' is unknown.
char bit(std::optional<bool> value) { return value ? (*value ? '1' : '0') : '-'; }

std::string name_of(const Judgement& one) {
  const auto truth = [&](bool Sides::*side) {
    return one.truth ? std::optional<bool>((*one.truth).*side) : std::nullopt;
  };
  return {bit(one.judged.process),     ' ', bit(one.judged.outcome), ' ', bit(truth(&Sides::process)), ' ',
          bit(truth(&Sides::outcome)), ' ', bit(one.found)};
}

Judgement judgement_of(const std::string& name) {
  Judgement one{{name.at(0) == '1', name.at(2) == '1'}, {}, {}};
  if (name.at(4) != '-') one.truth = Sides{name.at(4) == '1', name.at(6) == '1'};
  if (name.at(8) != '-') one.found = name.at(8) == '1';
  return one;
}

json share(const std::vector<Sums>& dialogues, const std::function<double(const Sums&)>& part,
           const statistics::Resampling& how) {
  const auto of_rows = [&](std::span<const size_t> rows) {
    Sums all;
    for (const size_t row : rows) all.add(dialogues[row]);
    return part(all) / all.n;
  };
  return interval_json(statistics::bootstrap(dialogues.size(), of_rows, how));
}

}  // namespace

void count(const json& record, const Judgement& judgement, Outcome& outcome) {
  outcome.counts[dialogue_count_name(record, name_of(judgement))] = 1;
  if (judgement.contradictory()) outcome.counts["contradictory"] = 1;
}

json inconsistencies(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  std::vector<Sums> dialogues;
  Sums all;
  for (const auto& cells : by_dialogue(counts)) {
    Sums& sums = dialogues.emplace_back();
    for (const auto& [name, times] : cells) sums.add(judgement_of(name), times);
    all.add(sums);
  }
  json found = {{"n", static_cast<int64_t>(all.n)}, {"dialogues", dialogues.size()}};
  if (all.n == 0) return found;
  found["better"]["lower"] = {"contradictory", "apart", "overlooked"};
  found["contradictory"] = share(
      dialogues, [](const Sums& s) { return s.contradictory; }, how);
  found["apart"] = share(
      dialogues, [](const Sums& s) { return s.apart; }, how);
  if (all.known < all.n) return found;
  found["overlooked"] = share(
      dialogues, [](const Sums& s) { return s.overlooked; }, how);
  found["by_chance"] = share(
      dialogues, [](const Sums& s) { return s.by_chance(); }, how);
  return found;
}

}  // namespace compeer::stages
