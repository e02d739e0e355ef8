/// answer: a model answers the dialogue of each record, which must end with the seeker. Adds {"answers": {NAME:
/// {"role", "text", "steps"}}}; the text is empty if the answer contains no reply. Run one stage for each model to be
/// compared (stage pairwise).
#include <algorithm>

#include "compeer/plugin.h"
#include "compeer/stage.h"
#include "evaluating/supporter.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Answering : public Stage {
 public:
  Answering(const Settings& settings, Host& host)
      : supporter_(settings, host), name_(settings.has("name") ? settings.text("name") : supporter_.model()) {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<std::vector<Turn>> dialogues;
    std::vector<std::string> languages;
    for (const json& record : records) {
      refuse_another(record);
      dialogues.push_back(stages::history_of(record));
      languages.emplace_back(stages::chinese(record) ? "zh" : "en");
    }
    const auto answers = supporter_.answer(dialogues, languages);
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < records.size(); ++i) {
      outcomes.push_back(stages::kept(records[i]));
      Outcome& outcome = outcomes.back();
      const auto& refusal = answers[i].refusal;
      outcome.counts[refusal.empty() ? "answers" : refusal] = 1;
      // An answer without a reply is recorded; a failed request is not.
      if (refusal != evaluating::no_answer) outcome.records[0]["answers"][name_] = evaluating::turn_of(answers[i]);
    }
    return outcomes;
  }

  std::string cache_key() const override { return supporter_.fingerprint(); }

 private:
  // Throws if an earlier stage used the same name; its answer would be overwritten.
  void refuse_another(const json& record) const {
    const auto answers = record.find("answers");
    if (answers != record.end() && answers->contains(name_))
      stages::refuse(record, "already has an answer of '" + name_ + "'",
                     "give each stage 'answer' a different 'name', as in name = \"" + name_ + "-2\"");
  }

  const evaluating::Supporter supporter_;
  const std::string name_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, answer, Answering, R"json(
  "version": "1.0.0",
  "summary": "A model answers each record's dialogue, to be compared with others.",
  "parameters": {)json" COMPEER_SUPPORTER_SETTINGS R"json(
    "name": {"type": "string", "default": null,
      "help": "name of the model in the records; unset: the name that its plugin reports"}
  })json")
