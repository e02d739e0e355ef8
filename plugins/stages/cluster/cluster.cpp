/// cluster: groups records by the vectors of their personas (k-means) and assigns each the persona of a record of
/// another dialogue in its group, for the stage rewrite. Adds "cluster" and "persona_as". k is the elbow of the sums of
/// squared errors, or a setting.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compeer/plugin.h"
#include "stages/records.h"
#include "statistics/kmeans.h"

namespace {

using namespace compeer;
using nlohmann::json;

bool has_persona(const json& record) { return record.contains("persona") && record.at("persona").contains("vector"); }

class Cluster : public Stage {
 public:
  Cluster(const Settings& settings, Host& host)
      : host_(host),
        k_(settings.has("k") ? settings.integer("k") : 0),
        k_max_(settings.integer("k_max")),
        restarts_(static_cast<uint32_t>(settings.integer("restarts"))) {}

  bool needs_summaries() const override { return true; }

  std::string summary(const json& record) const override {
    return has_persona(record) ? json{record.at("id"), record.at("persona"), stages::dialogue_of(record)}.dump() : "";
  }

  void add_summary(const std::string& summary) override {
    if (summary.empty()) return;
    const json seen = json::parse(summary);
    const auto& id = seen[0].get_ref<const std::string&>();
    auto vector = seen[1].at("vector").get<std::vector<double>>();
    if (!points_.empty() && vector.size() != points_[0].size())
      throw std::runtime_error("record '" + id + "' has a persona of " + std::to_string(vector.size()) +
                               " numbers, others of " + std::to_string(points_[0].size()));
    places_.try_emplace(id, points_.size());
    points_.push_back(std::move(vector));
    personas_.push_back(seen[1].dump());
    dialogues_.push_back(numbers_.try_emplace(seen[2].get<std::string>(), numbers_.size()).first->second);
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    divide();
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      outcomes.push_back(has_persona(record) ? placed(record) : stages::dropped("no persona"));
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>&) const override {
    json sizes = json::array();
    for (const auto& members : members_) sizes.push_back(members.size());
    return {{"k", found_.centres.size()},
            {"rule", k_ > 0 ? "given" : "elbow: farthest below the chord of the sums of squared errors"},
            {"squared_errors", inertias_},  // for k = 1, 2, ...
            {"sizes", sizes},
            {"centres", found_.centres}};
  }

 private:
  // Runs k-means for each k once all records are known.
  void divide() {
    if (divided_ || points_.empty()) return;
    divided_ = true;
    const size_t most = std::min(points_.size(), static_cast<size_t>(std::max(k_, k_max_)));
    std::vector<Clustering> all;
    for (size_t k = 1; k <= most; ++k) {
      const auto uniform = [&](uint32_t attempt, uint32_t draw) {
        return host_.random(static_cast<uint32_t>(k), attempt, draw);
      };
      all.push_back(statistics::kmeans(points_, k, restarts_, uniform));
      inertias_.push_back(all.back().inertia);
    }
    found_ = all[(k_ > 0 ? std::min(most, static_cast<size_t>(k_)) : statistics::elbow(inertias_)) - 1];
    members_.resize(found_.centres.size());
    for (size_t i = 0; i < points_.size(); ++i) members_[found_.labels[i]].push_back(i);
    for (auto& members : members_) std::ranges::stable_sort(members, {}, [&](size_t i) { return dialogues_[i]; });
  }

  // Returns the record with its cluster, and a persona drawn from the other dialogues of the cluster.
  Outcome placed(json record) {
    const size_t own = places_.at(record.at("id").get<std::string>());
    const auto& members = members_[found_.labels[own]];
    record["cluster"] = found_.labels[own];
    const auto dialogue_of = [&](size_t i) { return dialogues_[i]; };
    const auto same = std::ranges::lower_bound(members, dialogues_[own], {}, dialogue_of);
    const auto same_end = std::ranges::upper_bound(same, members.end(), dialogues_[own], {}, dialogue_of);
    const auto same_size = static_cast<size_t>(same_end - same);
    if (same_size == members.size()) {
      Outcome alone = stages::kept(std::move(record));
      alone.counts["alone in their cluster"] = 1;
      return alone;
    }
    const auto [a, b] = stages::random_address(record);
    // The draw leaves out the records of the same dialogue.
    const auto others = static_cast<double>(members.size() - same_size);
    auto chosen = static_cast<size_t>(host_.random(a, b, 0) * others);
    if (chosen >= static_cast<size_t>(same - members.begin())) chosen += same_size;
    record["persona_as"] = json::parse(personas_[members[chosen]]);
    return stages::kept(std::move(record));
  }

  using Points = statistics::Points;
  using Clustering = statistics::Clustering;
  Host& host_;
  int64_t k_, k_max_;
  uint32_t restarts_;
  Points points_;
  std::vector<std::string> personas_;                         // as JSON
  std::unordered_map<std::string, size_t> places_, numbers_;  // index of a record by id, of a dialogue by name
  std::vector<size_t> dialogues_;                             // index of each record's dialogue
  bool divided_ = false;
  Clustering found_;
  std::vector<double> inertias_;
  std::vector<std::vector<size_t>> members_;  // records of each cluster, sorted by dialogue
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, cluster, Cluster, R"json(
  "version": "1.0.0",
  "summary": "Clusters records by persona (k-means) and assigns each a persona of another dialogue.",
  "parameters": {
    "k": {"type": "integer", "default": null, "min": 1,
      "help": "number of clusters; unset: chosen by the elbow of the squared errors"},
    "k_max": {"type": "integer", "default": 10, "min": 1, "max": 1000,
      "help": "largest number of clusters tried if k is unset"},
    "restarts": {"type": "integer", "default": 10, "min": 1, "max": 1000,
      "help": "number of runs of k-means for each k"}
  })json")
