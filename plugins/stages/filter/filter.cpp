/// filter: asks a chat model whether each dialogue is suitable for training. Drops dialogues that are incoherent,
/// artificial, not a dialogue, contain personal data or describe a crisis, and those without a readable answer, which
/// are counted separately. Classes in the setting `keeps` are kept and marked: "unfit".
#include <algorithm>

#include "base/error.h"
#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Filter : public Stage {
 public:
  Filter(const Settings& settings, Host& host)
      : chat_(host.chat(settings.table("chat"))),
        asking_(settings, "chat"),
        prompts_(settings, host, "chat", "filter", {"dialogue", "answers"}),
        verdicts_(settings.texts("words")),
        only_(settings, "only", "the key"),
        keeps_(settings.texts("keeps")) {
    for (const std::string& one : keeps_) {
      if (std::find(names.begin() + 1, names.end(), one) == names.end())
        throw Error("", "'keeps' contains the unknown class '" + one + "'",
                    suggest(one, {names.begin() + 1, names.end()}), Exit::spec);
    }
  }

  // Checks that some record has the key of `only`.
  bool needs_summaries() const override { return bool(only_); }
  std::string summary(const json& record) const override { return only_.summary(record); }
  void add_summary(const std::string& summary) override { only_.add_summary(summary); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    only_.throw_if_misspelt();
    std::vector<Outcome> outcomes(records.size());
    std::vector<stages::ChatQuestion> questions;
    std::vector<size_t> asked;
    std::vector<empathy::Fitness> found(records.size(), empathy::Fitness::keep);
    for (size_t i = 0; i < records.size(); ++i) {
      if (passes(records[i])) continue;
      asked.push_back(i);
      questions.push_back({prompt(records[i]),
                           [&, i](const std::string& answer) {
                             const auto read = empathy::read(verdicts_, answer);
                             if (read) found[i] = *read.value;
                             return read.refusal;
                           },
                           {},
                           verdicts_.answers().answers()});
    }
    const auto malformed = stages::ask(chat_, questions, asking_);
    std::vector<std::string> why(records.size()), said(records.size());
    for (size_t q = 0; q < asked.size(); ++q)
      why[asked[q]] = questions[q].refusal, said[asked[q]] = questions[q].answer;
    for (size_t i = 0; i < records.size(); ++i) {
      outcomes[i] = why[i].empty() ? outcome(records[i], found[i]) : stages::dropped(why[i]);
      if (!outcomes[i].dropped.empty()) outcomes[i].answer = said[i];
      if (passes(records[i])) outcomes[i].counts["has no key '" + only_.name() + "'"] = 1;
    }
    stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  std::string cache_key() const override { return prompts_.hashes(); }

 private:
  // The class names in reports, whatever words the model uses.
  inline static const std::vector<std::string> names = empathy::FilterVerdicts().answers().answers();

  // True if the record is kept without a question.
  bool passes(const json& record) const { return only_ && !record.contains(only_.name()); }

  Outcome outcome(const json& record, empathy::Fitness fitness) const {
    if (fitness == empathy::Fitness::keep) return stages::unchanged();
    const std::string& name = names[static_cast<size_t>(fitness)];
    if (std::find(keeps_.begin(), keeps_.end(), name) == keeps_.end()) return stages::dropped(name);
    Outcome made = stages::kept(record);
    made.records[0]["unfit"] = name;
    made.counts["kept: " + name] = 1;
    return made;
  }

  std::string prompt(const json& record) const {
    return prompts_.fill(record, {{"dialogue", stages::shown(stages::turns_of(record), record)},
                                  {"answers", empathy::listed(verdicts_.answers().answers())}});
  }

  Chat& chat_;
  stages::Asking asking_;
  stages::StagePrompt prompts_;
  empathy::FilterVerdicts verdicts_;
  stages::Expected only_;
  std::vector<std::string> keeps_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, filter, Filter, R"json(
  "version": "1.0.0",
  "summary": "Drops dialogues that a chat model judges unsuitable for training.",
  "parameters": {
    "chat": {"type": "plugin", "kind": "chat", "help": "chat model that judges the dialogues"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/filter.txt; unset: the plugin's own"},
    "words": {"type": "list", "items": "string",
      "default": ["keep", "incoherent", "artificial", "no dialogue", "personal data", "crisis"],
      "help": "the six answers, in this order; other words require prompts that explain them"},
    "keeps": {"type": "list", "items": "string", "default": [],
      "help": "classes that are not dropped, only counted and marked: \"crisis\", \"personal data\", ..."},
    "only": {"type": "string", "default": null, "help": "judge only records that have this key, such as \"rewritten\""},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "sampling temperature; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 16, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the answer is readable"}
  })json")
