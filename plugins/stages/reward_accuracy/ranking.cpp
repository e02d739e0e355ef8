#include "stages/reward_accuracy/ranking.h"

#include <array>
#include <cmath>

#include "base/hash.h"
#include "stages/by_dialogue.h"
#include "statistics/order.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

// A round is what a judge sees of it: the same words in the same dialogue, answered by the same reply.
std::string round_of(const json& record) {
  return sha256(record.at("history").dump() + record.at("reference").dump()).substr(0, 16);
}

struct Pairs {
  double in_order = 0, all = 0;
};

// The counts' names are JSON, so that measures come back as they were: ["reply", "0123456789abcdef", true, 0.25].
Pairs pairs_of(const std::map<std::string, double>& counts, const std::string& topic) {
  const auto prefix = "[" + json(topic).dump() + ",";
  std::map<std::string, std::array<std::vector<double>, 2>> rounds;  // bad ones' and good ones' measures
  for (const auto& [name, times] : counts) {
    if (!name.starts_with(prefix)) continue;
    const json one = json::parse(name);
    auto& measures = rounds[one[1]][one[2].get<bool>() ? 1 : 0];
    measures.insert(measures.end(), static_cast<size_t>(std::lround(times)), one[3].get<double>());
  }
  Pairs pairs;
  for (const auto& [round, measures] : rounds) {
    const auto& [bad, good] = measures;
    pairs.in_order += statistics::in_order(good, bad);
    pairs.all += static_cast<double>(good.size() * bad.size());
  }
  return pairs;
}

}  // namespace

void count_ranked(const json& record, const std::string& topic, bool good, double measure, Outcome& outcome) {
  const json name = {topic, round_of(record), good, measure};
  outcome.counts[of_dialogue(record, name.dump())] = 1;
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
  json found = figure(statistics::bootstrap(pairs.size(), share, how));
  found["pairs"] = static_cast<int64_t>(all);
  return found;
}

}  // namespace compeer::stages
