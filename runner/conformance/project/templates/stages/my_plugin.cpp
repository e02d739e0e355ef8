// my_plugin: counts the questions in a dialogue, and drops dialogues with fewer than `least`.
#include <compeer/plugin.h>
#include <compeer/stage.h>

#include <algorithm>

namespace {

using nlohmann::json;

int64_t questions_of(const json& record) {
  int64_t questions = 0;
  for (const json& turn : record.value("turns", json::array())) {
    const auto text = turn.value("text", std::string());
    questions += std::count(text.begin(), text.end(), '?');
  }
  return questions;
}

class MyPlugin : public compeer::Stage {
 public:
  // Every key of the descriptor below is present, with a valid type and range. Any exception rejects the settings; its
  // message is shown to the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host&) : least_(settings.integer("least")) {}

  std::vector<compeer::Outcome> make(const std::vector<json>& records) override {
    std::vector<compeer::Outcome> outcomes;
    for (const json& record : records) outcomes.push_back(outcome(record));
    return outcomes;
  }

  // Computed from the outcomes' counts, which are summed over all records and ranks.
  json findings(const std::map<std::string, double>& counts) const override {
    const auto found = counts.find("questions");
    return {{"questions", found == counts.end() ? 0.0 : found->second}};
  }

 private:
  compeer::Outcome outcome(const json& record) const {
    compeer::Outcome outcome;
    const int64_t questions = questions_of(record);
    outcome.counts["questions"] = static_cast<double>(questions);
    if (questions < least_) {
      outcome.dropped = "too few questions";
    } else {
      outcome.records = {record};
      outcome.records[0]["questions"] = questions;
    }
    return outcome;
  }

  int64_t least_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Counts questions, and drops dialogues with too few.",
  "parameters": {
    "least": {"type": "integer", "default": 1, "min": 0, "help": "dialogues with fewer questions are dropped"}
  })json")
