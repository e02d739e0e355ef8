/// diversity: how much of what a supporter says in dialogues repeats what it said before, in the same dialogue and in
/// others; round by round; and how that goes with the score that a judge gave it for its variety. Records stay as they
/// are.
#include "compeer/plugin.h"
#include "compeer/stage.h"
#include "stages/diversity/variety.h"
#include "stages/expected.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Diversity : public Stage {
 public:
  Diversity(const Settings& settings, Host&)
      : n_(static_cast<int>(settings.integer("n"))),
        score_(settings, "score", "a score"),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  bool surveys() const override { return true; }

  std::string glimpse(const json& record) const override {
    const auto spoken = stages::spoken_in(record, score_.name());
    const auto expression = spoken.expression ? json(*spoken.expression) : json();
    return json{spoken.replies, expression, score_.glimpse(scores_in(record))}.dump();
  }

  void survey(const std::string& glimpse) override {
    const auto known = json::parse(glimpse);
    auto& spoken = dialogues_.emplace_back();
    known.at(0).get_to(spoken.replies);
    if (!known.at(1).is_null()) spoken.expression = known.at(1).get<double>();
    score_.survey(known.at(2).get<std::string>());
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    score_.demand_if_misspelt();
    return std::vector<Outcome>(records.size(), stages::unchanged());
  }

  json findings(const std::map<std::string, double>&) const override {
    return stages::variety(dialogues_, n_, resampling_);
  }

 private:
  // By name, of any judge.
  static json scores_in(const json& record) {
    json all = json::object();
    const json scores = record.value("scores", json::object());
    for (const auto& [name, value] : scores.items())
      value.is_object() ? all.update(value) : all.update({{name, value}});
    return all;
  }

  const int n_;
  stages::Expected score_;
  const statistics::Resampling resampling_;
  std::vector<stages::DialogueReplies> dialogues_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, diversity, Diversity, R"json(
  "version": "1.0.0",
  "summary": "How much of what a supporter says in dialogues repeats what it said before.",
  "parameters": {
    "n": {"type": "integer", "default": 3, "min": 1, "max": 16, "help": "words of a run that counts as repeated"},
    "score": {"type": "string", "default": "diversity",
      "help": "the judges' score of variety in a record's scores, if it has any (ESC-Eval's Expression)"},
    "resamples": {"type": "integer", "default": 1000, "min": 0, "help": "of the bootstrap; 0: no intervals"}
  })json")
