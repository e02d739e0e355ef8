/// esc_eval: a chat model plays a role card in a dialogue with the tested model, and one or two judges score the
/// dialogue in seven dimensions (ESC-Eval, Table 2). A record that contains a dialogue is only judged, one that
/// contains scores or answers of judges is only counted; neither needs the models of the skipped parts. Adds
/// "greeting", "turns", "answers" and "scores".
#include "compeer/plugin.h"
#include "evaluating/esc_eval/judge.h"
#include "evaluating/esc_eval/summary.h"
#include "evaluating/esc_eval/talk.h"
#include "stages/records.h"

namespace {

using namespace compeer;
namespace esc_eval = evaluating::esc_eval;
using nlohmann::json;

class EscEval : public Stage {
 public:
  EscEval(const Settings& settings, Host& host)
      : role_player_(settings, host),
        supporter_(settings, host, "esc_eval_supporter"),
        judging_(settings, host),
        rounds_(static_cast<size_t>(settings.integer("rounds"))),
        resampling_{.resamples = static_cast<size_t>(settings.integer("resamples"))} {}

  std::vector<Outcome> make(const std::vector<json>& given) override {
    std::vector<json> records = given;
    std::vector<Outcome> outcomes(records.size());
    std::vector<size_t> cards;
    std::vector<esc_eval::JudgedDialogue> cases;
    for (size_t i = 0; i < records.size(); ++i) {
      if (esc_eval::is_judged(records[i])) {
        outcomes[i] = summed_up(records[i]);
      } else if (esc_eval::is_recorded(records[i])) {
        take(records[i], esc_eval::transcript_of(records[i]), outcomes[i], cases);
      } else if (is_card(records[i], outcomes[i])) {
        cards.push_back(i);
      }
    }
    play(cards, records, outcomes, cases);
    judging_.judge(cases);
    for (const auto& one : cases) {
      const auto i = static_cast<size_t>(one.record - records.data());
      outcomes[i] = told(one, std::move(outcomes[i].counts));
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    json all = esc_eval::summary(counts, resampling_);
    all["models"] = judging_.models();
    if (supporter_) all["supporter"] = supporter_.model();
    return all;
  }

  std::string cache_key() const override {
    return role_player_.prompts() + judging_.prompts() + supporter_.fingerprint();
  }

 private:
  Outcome summed_up(const json& record) const {
    const auto recorded = esc_eval::recorded(record, judging_.parser());
    if (!recorded.refusal.empty()) return stages::dropped(recorded.refusal);
    json scored = record;
    scored["scores"] = esc_eval::to_json(recorded.judged);
    if (record.contains("language")) scored["language"] = esc_eval::language_of(record, "");
    Outcome outcome = stages::kept(scored);
    esc_eval::count(scored, recorded.judged, outcome);
    return outcome;
  }

  // Detects the card's language. Returns false if the card can't be played.
  static bool is_card(json& record, Outcome& outcome) {
    const auto card = esc_eval::card_of(record);
    record["language"] = esc_eval::language_of(record, card.text);
    if (!card.refusal.empty()) outcome.dropped = card.refusal;
    for (const auto& field : card.missing) outcome.counts["cards without " + field] = 1;
    return card.refusal.empty();
  }

  // Adds a dialogue to `cases`, or sets why it can't be judged. `record` must stay valid; the case points to it.
  void take(json& record, esc_eval::Transcript transcript, Outcome& outcome,
            std::vector<esc_eval::JudgedDialogue>& cases) const {
    outcome.dropped = transcript.refusal;
    if (!transcript.refusal.empty()) return;
    std::string first = transcript.turns[0].at("text");
    record["language"] = esc_eval::language_of(record, first);
    if (esc_eval::rounds_of(transcript.turns) < rounds_)
      outcome.counts["dialogues of fewer rounds than " + std::to_string(rounds_)] = 1;
    if (esc_eval::ends_with_seeker(transcript.turns)) outcome.counts["dialogues that nobody answers in the end"] = 1;
    cases.push_back({&record, std::move(transcript)});
  }

  void play(const std::vector<size_t>& cards, std::vector<json>& records, std::vector<Outcome>& outcomes,
            std::vector<esc_eval::JudgedDialogue>& cases) const {
    std::vector<const json*> played;
    for (const size_t i : cards) played.push_back(&records[i]);
    auto talks = role_player_.play(played, supporter_);
    for (size_t k = 0; k < talks.size(); ++k) {
      Outcome& outcome = outcomes[cards[k]];
      if (talks[k].silent > 0) outcome.counts["answers without a reply"] = static_cast<double>(talks[k].silent);
      role_player_.note(records[cards[k]]);
      take(records[cards[k]], std::move(talks[k].transcript), outcome, cases);
    }
  }

  // Returns the outcome of a judged dialogue.
  Outcome told(const esc_eval::JudgedDialogue& one, std::map<std::string, double> counts) const {
    json record = *one.record;
    record.erase("lines");
    if (!one.transcript.greeting.empty()) record["greeting"] = one.transcript.greeting;
    record["turns"] = one.transcript.turns;
    record["answers"] = one.answers;
    record["scores"] = esc_eval::to_json(one.judged);
    judging_.note(record);
    Outcome outcome = stages::kept(record);
    outcome.counts = std::move(counts);
    if (one.refused > 0) outcome.counts["answers that could not be read"] = static_cast<double>(one.refused);
    esc_eval::count(record, one.judged, outcome);
    return outcome;
  }

  const esc_eval::RolePlayer role_player_;
  const evaluating::Supporter supporter_;
  const esc_eval::DimensionJudges judging_;
  const size_t rounds_;
  const statistics::Resampling resampling_;
};

}  // namespace

#define JUDGE(dimension) \
#dimension R"json(: {"type": "plugin", "kind": "chat", "default": null, "help": "judge of this dimension"})json"
#define JUDGES_BY_DIMENSION                                                                                            \
  JUDGE("fluency")                                                                                                     \
  "," JUDGE("diversity") "," JUDGE("empathic") "," JUDGE("suggestion") "," JUDGE("human") "," JUDGE("tech") "," JUDGE( \
      "overall")

COMPEER_PLUGIN(Stage, stages, esc_eval, EscEval,
               R"json(
  "version": "1.0.0",
  "summary": "Plays role cards against a model and has the dialogues scored in seven dimensions (ESC-Eval, Table 2).",
  "parameters": {
    "role_player": {"type": "plugin", "kind": "chat", "default": null,
      "help": "chat model that plays the cards; optional if all dialogues are recorded"},)json" COMPEER_SUPPORTER_SETTINGS
                   COMPEER_SUPPORTER_SYSTEM_SETTING
               R"json(
    "judge": {"type": "plugin", "kind": "chat", "default": null,
      "help": "chat model that scores the dialogues; may be unset if all scores are recorded"},
    "second_judge": {"type": "plugin", "kind": "chat", "default": null,
      "help": "second judge; scores are averaged over both. Unset: none"},
    "judges": {"type": "table", "default": {},
      "help": "judges of one language and dimension each, instead of 'judge', such as ESC-Rank's adapters",
      "parameters": {
        "en": {"type": "table", "default": {},
          "help": "judges of dialogues in English", "parameters": {)json" JUDGES_BY_DIMENSION
               R"json(}},
        "zh": {"type": "table", "default": {},
          "help": "judges of dialogues in Chinese", "parameters": {)json" JUDGES_BY_DIMENSION
               R"json(}}}},
    "rounds": {"type": "integer", "default": 5, "min": 1, "help": "number of answers of the tested model"},
    "greeting": {"type": "string", "default": null,
      "help": "supporter's first turn, shown to role player and judges; unset: a sentence in the card's language"},
    "parser": {"type": "string", "default": "strict", "choices": ["strict", "upstream"],
      "help":
        "strict: one score from 0 to 4; upstream: the first of 0, 1, ... 4 found in the answer, as published"},
    "prompts": {"type": "path", "default": null,
      "help": "folder with en/esc_eval_role.txt, en/esc_eval_fluency.txt, ...; unset: the plugin's own"},
    "role_temperature": {"type": "number", "default": 0.7, "min": 0,
      "help": "temperature of the role player; 0: greedy"},
    "role_tokens": {"type": "integer", "default": 256, "min": 1,
      "help": "maximum tokens per utterance of the role player"},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "temperature of the judges; 0: greedy"},
    "max_tokens": {"type": "integer", "default": 64, "min": 1, "help": "maximum tokens per answer of a judge"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts until the role player's utterance is not empty or the judge's score is readable"},
    "resamples": {"type": "integer", "default": 1000, "min": 1, "help": "bootstrap resamples for the intervals"}
  })json")
