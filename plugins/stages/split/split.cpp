/// split: puts every record into "train", "valid" or "test", all records of a dialogue into the same. Dialogues are put
/// in an order drawn from the seed; the first so many of them are the test split, the next the valid split. So the
/// shares are exact, to a dialogue.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "compeer/plugin.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Split : public Stage {
 public:
  Split(const Settings& settings, Host& host)
      : host_(host), valid_(settings.number("valid")), test_(settings.number("test")) {
    if (valid_ + test_ > 1) throw std::runtime_error("'valid' and 'test' are shares: together at most 1");
  }

  bool surveys() const override { return true; }

  std::string glimpse(const json& record) const override { return stages::dialogue_of(record); }

  void survey(const std::string& dialogue) override { splits_.try_emplace(dialogue, 0); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    if (!dealt_) deal();
    static constexpr const char* names[] = {"train", "valid", "test"};
    std::vector<Outcome> outcomes;
    for (json record : records) {
      const char* name = names[splits_.at(stages::dialogue_of(record))];
      record["split"] = name;
      outcomes.push_back(stages::kept(std::move(record)));
      outcomes.back().counts[name] = 1;
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>&) const override {
    json dialogues = {{"train", 0}, {"valid", 0}, {"test", 0}};
    for (const auto& [dialogue, split] : splits_) {
      auto& count = dialogues[split == 0 ? "train" : split == 1 ? "valid" : "test"];
      count = count.get<int64_t>() + 1;
    }
    return {{"dialogues", dialogues}};
  }

 private:
  void deal() {
    std::vector<std::pair<double, const std::string*>> order;
    order.reserve(splits_.size());
    for (const auto& [dialogue, split] : splits_) {
      const auto [a, b] = stages::place_of(dialogue);
      order.emplace_back(host_.random(a, b, 0), &dialogue);
    }
    std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first < y.first : *x.second < *y.second;
    });
    const auto n = static_cast<double>(order.size());
    const auto test = static_cast<size_t>(std::lround(n * test_));
    const auto valid = std::min(order.size() - test, static_cast<size_t>(std::lround(n * valid_)));
    for (size_t i = 0; i < test + valid; ++i) splits_[*order[i].second] = i < test ? 2 : 1;
    dealt_ = true;
  }

  Host& host_;
  double valid_, test_;
  std::unordered_map<std::string, uint8_t> splits_;  // by dialogue
  bool dealt_ = false;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, split, Split, R"json(
  "version": "1.0.0",
  "summary": "Deals dialogues, whole, into train, valid and test.",
  "parameters": {
    "valid": {"type": "number", "default": 0.1, "min": 0, "max": 1, "help": "share of dialogues in the split valid"},
    "test": {"type": "number", "default": 0.1, "min": 0, "max": 1, "help": "share of dialogues in the split test"}
  })json")
