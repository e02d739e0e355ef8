/// split: assigns each dialogue without a split to "train", "valid" or "test", with all of its records. Records keep an
/// existing split unless it is named in `again`. The dialogues are sorted by a random number that depends on the seed;
/// the first ones become the test split and the next ones the valid split, so the fractions are exact to one dialogue.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "compeer/plugin.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

// A dialogue with records in several splits belongs to the last of them in this order, so that test data is never
// trained on.
const std::vector<std::string> split_names = {"train", "valid", "test"};
constexpr size_t none = static_cast<size_t>(-1);

size_t number_of(const std::string& name) {
  const auto found = std::find(split_names.begin(), split_names.end(), name);
  return found == split_names.end() ? none : static_cast<size_t>(found - split_names.begin());
}

class Split : public Stage {
 public:
  Split(const Settings& settings, Host& host)
      : host_(host), valid_(settings.number("valid")), test_(settings.number("test")), again_(settings.texts("again")) {
    if (valid_ + test_ > 1) throw std::runtime_error("'valid' + 'test' must not exceed 1");
    for (const std::string& name : again_) {
      if (number_of(name) == none)
        throw Error("", "'again' contains the unknown split '" + name + "'", suggest(name, split_names), Exit::spec);
    }
  }

  bool needs_summaries() const override { return true; }

  // The record's dialogue, the split it keeps, and a hash of how the dialogue begins.
  std::string summary(const json& record) const override {
    return json{stages::dialogue_of(record), given(record), beginning(record)}.dump();
  }

  void add_summary(const std::string& summary) override {
    const json seen = json::parse(summary);
    auto& [split, beginning] =
        dialogues_.try_emplace(seen[0].get<std::string>(), SplitDialogue{none, ""}).first->second;
    if (beginning.empty()) seen[2].get_to(beginning);
    const size_t given = number_of(seen[1].get<std::string>());
    if (given != none) split = split == none ? given : std::max(split, given);
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    if (!divided_) divide();
    std::vector<Outcome> outcomes;
    for (json record : records) {
      const std::string& name = split_names[dialogues_.at(stages::dialogue_of(record)).split];
      const bool kept = given(record) == name;
      record["split"] = name;
      outcomes.push_back(stages::kept(std::move(record)));
      outcomes.back().counts[name] = 1;
      if (kept) outcomes.back().counts["kept their split"] = 1;
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>&) const override {
    json count = {{"train", 0}, {"valid", 0}, {"test", 0}};
    std::map<std::string, std::set<size_t>> splits;  // splits in which a beginning occurs
    for (const auto& [name, dialogue] : dialogues_) {
      if (dialogue.split == none) continue;
      count[split_names[dialogue.split]] = count[split_names[dialogue.split]].get<int64_t>() + 1;
      if (!dialogue.beginning.empty()) splits[dialogue.beginning].insert(dialogue.split);
    }
    const auto shared = std::count_if(splits.begin(), splits.end(),
                                      [](const auto& one) { return one.second.contains(0) && one.second.size() > 1; });
    if (shared > 0)
      host_.log(
          std::to_string(shared) +
          " dialogues of the split train begin like one of valid or test; to drop dialogues with the same text, put "
          "the stage deduplicate first");
    if (divided_ && drawn_ == 0 && !dialogues_.empty())
      host_.log("all dialogues keep their split; to divide splits again, name them in 'again'");
    return {{"dialogues", count}, {"train_dialogues_tested", shared}};
  }

 private:
  struct SplitDialogue {
    size_t split;
    std::string beginning;
  };

  // Returns the split the record keeps, or "".
  std::string given(const json& record) const {
    const auto found = record.find("split");
    const std::string name = found != record.end() && found->is_string() ? found->get<std::string>() : "";
    return stays(name) ? name : "";
  }

  bool stays(const std::string& split) const {
    return number_of(split) != none && std::find(again_.begin(), again_.end(), split) == again_.end();
  }

  // Returns a hash of the first turns, independent of ids; "" for records with too few turns, and rewritten ones.
  static std::string beginning(const json& record) {
    const bool said = record.contains("turns") || record.contains("history");
    if (!said || record.contains("rewritten")) return "";
    std::string text;
    size_t turns = 0;
    for (const Turn& turn : stages::spoken(stages::turns_of(record))) {
      if (++turns > first_index) break;
      text += turn.role + ":" + turn.text + "\n";
    }
    return turns < first_index ? "" : sha256(text).substr(0, 32);
  }

  // Assigns splits to the dialogues without one.
  void divide() {
    divided_ = true;
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [dialogue, known] : dialogues_) {
      if (known.split != none) continue;
      const auto [a, b] = stages::random_address(dialogue);
      order.emplace_back(host_.random(a, b, 0), dialogue);
    }
    std::sort(order.begin(), order.end());
    drawn_ = order.size();
    const auto n = static_cast<double>(order.size());
    const auto test = static_cast<size_t>(std::lround(n * test_));
    const auto valid = std::min(order.size() - test, static_cast<size_t>(std::lround(n * valid_)));
    for (size_t i = 0; i < order.size(); ++i)
      dialogues_.at(order[i].second).split = i < test ? 2 : i < test + valid ? 1 : 0;
  }

  static constexpr size_t first_index = 3;  // turns; fewer would match dialogues that only share a greeting
  Host& host_;
  const double valid_, test_;
  const std::vector<std::string> again_;
  std::unordered_map<std::string, SplitDialogue> dialogues_;
  bool divided_ = false;
  size_t drawn_ = 0;  // number of dialogues that were assigned
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, split, Split, R"json(
  "version": "1.0.0",
  "summary": "Divides dialogues without a split into train, valid and test; other records keep their split.",
  "parameters": {
    "valid": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of divided dialogues assigned to the split valid"},
    "test": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of divided dialogues assigned to the split test"},
    "again": {"type": "list", "items": "string", "default": [],
      "help":
        "splits whose dialogues are divided again: [\"train\"], or [\"train\", \"valid\", \"test\"] for all"}
  })json")
