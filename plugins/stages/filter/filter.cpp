/// filter: asks a chat model whether each dialogue is fit to learn from, and drops those that are incoherent,
/// artificial or no dialogue. What the model does not answer properly is dropped too, and counted by itself.
#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Filter : public Stage {
 public:
  Filter(const Settings& settings, Host& host)
      : chat_(host.chat(settings.table("chat"))),
        asking_(settings),
        prompts_(settings, host, "filter", {"id", "dialogue", "answers"}),
        verdicts_(settings.texts("words")),
        only_(settings.has("only") ? settings.text("only") : "") {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    std::vector<stages::Question> questions;
    std::vector<size_t> asked;
    std::vector<empathy::Fitness> found(records.size(), empathy::Fitness::keep);
    for (size_t i = 0; i < records.size(); ++i) {
      if (!only_.empty() && !records[i].contains(only_)) continue;
      asked.push_back(i);
      questions.push_back({prompt(records[i]),
                           [&, i](const std::string& answer) {
                             const auto read = empathy::read(verdicts_, answer);
                             if (read) found[i] = *read.value;
                             return read.refusal;
                           },
                           {},
                           verdicts_.answers().words()});
    }
    const auto malformed = stages::ask(chat_, questions, asking_);
    std::vector<std::string> why(records.size()), said(records.size());
    for (size_t q = 0; q < asked.size(); ++q)
      why[asked[q]] = questions[q].refusal, said[asked[q]] = questions[q].answer;
    for (size_t i = 0; i < records.size(); ++i) {
      if (why[i].empty() && found[i] != empathy::Fitness::keep) why[i] = names[static_cast<size_t>(found[i])];
      outcomes[i] = why[i].empty() ? stages::unchanged() : stages::dropped(why[i]);
      if (!why[i].empty()) outcomes[i].answer = said[i];
    }
    stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  std::string ingredients() const override { return prompts_.hashes(); }

 private:
  // What is reported, whatever words the model is to use.
  static constexpr const char* names[] = {"keep", "incoherent", "artificial", "no dialogue"};

  std::string prompt(const json& record) const {
    return prompts_.of(record).fill({{"id", record.at("id")},
                                     {"dialogue", stages::shown(stages::turns_of(record), record)},
                                     {"answers", empathy::listed(verdicts_.answers().words())}});
  }

  Chat& chat_;
  stages::Asking asking_;
  stages::Prompts prompts_;
  empathy::FilterVerdicts verdicts_;
  std::string only_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, filter, Filter, R"json(
  "version": "1.0.0",
  "summary": "Drops dialogues that a chat model finds unfit to learn from.",
  "parameters": {
    "chat": {"type": "plugin", "kind": "chat", "help": "who judges"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/filter.txt; unset: the plugin's own"},
    "words": {"type": "list", "items": "string", "default": ["keep", "incoherent", "artificial", "no dialogue"],
      "help": "the four answers, in this order"},
    "only": {"type": "string", "default": null, "help": "judge only records that have this key, as rewritten ones do"},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "of the answers; 0: the likeliest"},
    "max_tokens": {"type": "integer", "default": 16, "min": 1, "help": "of an answer"},
    "tries": {"type": "integer", "default": 3, "min": 1, "help": "answers that can't be read are asked for so often"}
  })json")
