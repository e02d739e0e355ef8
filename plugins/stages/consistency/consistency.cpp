/// consistency: measures how often a judge's verdicts on the steps and on the reply of a completion contradict each
/// other (Fig. 5a). Annotators' labels or a referee (a chat model) decide whether they do. Adds the judgement to
/// records as "judged".
#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"
#include "stages/consistency/contradiction.h"
#include "stages/judges.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Consistency : public Stage {
 public:
  Consistency(const Settings& settings, Host& host)
      : judges_(settings, host),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95},
        asking_(Settings(json{{"temperature", 0},
                              {"max_tokens", settings.integer("max_tokens")},
                              {"tries", settings.integer("tries")}}),
                settings, "referee"),
        prompts_(
            Settings(json{{"prompts", settings.json().at("referee_prompts")}, {"chat", settings.json().at("referee")}}),
            host, "chat", "consistency",
            {"history", "step_history", "step_emotion", "step_strategy", "first", "second", "judged", "answers"}) {
    if (settings.has("referee")) referee_ = &host.chat(settings.table("referee"));
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<cer::Record> known;
    for (const json& record : records) known.push_back(stages::parse_judged_record(record));
    const auto opinions = judges_.opinions(known);
    std::vector<JudgedRecord> all;
    for (size_t i = 0; i < records.size(); ++i) all.push_back(judged(records[i], std::move(known[i]), opinions[i]));
    if (referee_) ask(all);
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < all.size(); ++i) judges_.count(opinions[i], outcomes.emplace_back(outcome(all[i])));
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    return stages::inconsistencies(counts, resampling_);
  }

  std::string cache_key() const override {
    return json(judges_.fingerprints()).dump() + (referee_ ? prompts_.hashes() : "");
  }

 private:
  struct JudgedRecord {
    json record;
    cer::Record known;
    stages::Judgement judgement;
    std::string said;     // the verdicts in words: "True, False, True; second"
    std::string refusal;  // "", or why the record is dropped
    std::string answer;   // the referee's last answer, if it led to the refusal
  };

  JudgedRecord judged(const json& record, cer::Record known, const judging::Verdicts& opinion) const {
    JudgedRecord one{record, std::move(known), {}, "", "", ""};
    auto& [process, outcome] = one.judgement.judged;
    process = true;
    for (const auto& step : opinion.steps) {
      if (!step) one.refusal = "unreadable judgement";
      process = process && step.value_or(0) > 0;
      one.said += std::string(one.said.empty() ? "" : ", ") + (step.value_or(0) > 0 ? "True" : "False");
    }
    if (!opinion.preference) one.refusal = "unreadable judgement";
    if (!one.refusal.empty()) return one;
    outcome = empathy::as_good(*opinion.preference);
    one.said += "; " + empathy::Preferences().print(*opinion.preference);
    if (referee_) return one;
    if (!one.known.labelled) {
      one.refusal = "no labels";
      return one;
    }
    const auto& steps = one.known.steps;
    one.judgement.truth = {steps[0] && steps[1] && steps[2], empathy::as_good(one.known.preference)};
    return one;
  }

  void ask(std::vector<JudgedRecord>& all) const {
    static const empathy::Answers words({"yes", "no"});
    std::vector<stages::ChatQuestion> questions;
    std::vector<JudgedRecord*> whose;
    for (JudgedRecord& one : all) {
      if (!one.refusal.empty()) continue;
      whose.push_back(&one);
      questions.push_back({prompt(one, words),
                           [&one](const std::string& answer) {
                             const auto read = empathy::read(words, answer);
                             if (read) one.judgement.found = *read.value == 0;
                             return read.refusal;
                           },
                           {},
                           words.answers()});
    }
    stages::ask(*referee_, questions, asking_);
    for (size_t i = 0; i < whose.size(); ++i)
      whose[i]->refusal = questions[i].refusal, whose[i]->answer = questions[i].answer;
  }

  std::string prompt(const JudgedRecord& one, const empathy::Answers& words) const {
    const auto& c = one.known.candidate;
    return prompts_.fill(one.record, {{"history", stages::shown(one.known.history, one.record)},
                                      {"step_history", c.history},
                                      {"step_emotion", c.emotion},
                                      {"step_strategy", c.strategy},
                                      {"first", one.known.reference},
                                      {"second", c.reply},
                                      {"judged", one.said},
                                      {"answers", empathy::listed(words.answers())}});
  }

  static Outcome outcome(JudgedRecord& one) {
    Outcome made;
    if (!one.refusal.empty()) made = stages::dropped(one.refusal), made.answer = one.answer;
    if (!one.refusal.empty()) return made;
    stages::count(one.record, one.judgement, made);
    one.record["judged"] = {{"said", one.said}, {"contradictory", one.judgement.contradictory()}};
    made.records.push_back(std::move(one.record));
    return made;
  }

  const stages::Judges judges_;
  const statistics::Resampling resampling_;
  const stages::Asking asking_;
  const stages::StagePrompt prompts_;
  Chat* referee_ = nullptr;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, consistency, Consistency,
               R"json(
  "version": "1.0.0",
  "summary": "How often a judge's verdicts on steps and reply contradict each other (Fig. 5a).",
  "parameters": {
    "referee": {"type": "plugin", "kind": "chat", "default": null,
      "help": "chat model that decides whether a judgement contradicts itself; unset: the annotators' labels decide"},
    "referee_prompts": {"type": "path", "default": null,
      "help": "folder with en/consistency.txt; unset: the plugin's own"},
    "max_tokens": {"type": "integer", "default": 16, "min": 1, "help": "maximum tokens per answer of the referee"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the referee's answer is readable"},)json" COMPEER_JUDGES_SETTINGS
               R"json(
  })json")
