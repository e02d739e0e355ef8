/// annotate: chat models label each candidate as human annotators would: whether each step is right, and how its reply
/// compares with the reference, shown in an order drawn for each annotator and restored in the record. A third
/// annotator is asked where two differ. Drops records with a question no two agree on; keeps annotated records
/// unchanged. Adds "steps", "preference" (first: the reference) and "annotators" (all judgements).
#include <cmath>

#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/annotate/majority.h"
#include "stages/asking.h"
#include "statistics/agreement.h"

namespace {

using namespace compeer;
using empathy::Preference;
using nlohmann::json;
using stages::Annotation;

constexpr std::array<const char*, 3> step_names = {"history", "emotion", "strategy"};
constexpr std::array<const char*, 3> annotator_names = {"annotator", "second_annotator", "third_annotator"};
constexpr size_t questions_each = step_names.size() + 1;  // three steps and the preference

/// One annotator and its prompts.
struct Annotator {
  Annotator(const Settings& settings, Host& host, const std::string& name)
      : chat(host.chat(settings.table(name))),
        asking(settings, name),
        preference(settings, host, name, "preference", {"history", "first", "second", "answers"}) {
    for (const char* step : step_names)
      steps.emplace_back(settings, host, name, std::string("step_") + step,
                         std::vector<std::string>{"history", "step", "answers"});
  }

  Chat& chat;
  stages::Asking asking;
  stages::StagePrompt preference;
  std::vector<stages::StagePrompt> steps;
};

/// One annotator's judgement of each record, or a refusal.
struct Opinions {
  std::vector<Annotation> judgements;
  std::vector<std::string> refusals, answers;  // refusals, and the answers that led to them
  int64_t malformed = 0;
};

class Annotate : public Stage {
 public:
  Annotate(const Settings& settings, Host& host)
      : host_(host),
        verdicts_(settings.texts("step_words")),
        preferences_(settings.texts("preference_words")),
        sees_(settings.text("pictures") == "shown") {
    for (const char* name : annotator_names) annotators_.emplace_back(settings, host, name);
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    std::vector<json> open;
    std::vector<size_t> place;
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].contains("steps") && records[i].contains("preference")) {
        outcomes[i] = stages::unchanged();
        outcomes[i].counts["annotated before"] = 1;
      } else {
        open.push_back(records[i]);
        place.push_back(i);
      }
    }
    auto annotated = annotate(open);
    for (size_t k = 0; k < open.size(); ++k) outcomes[place[k]] = std::move(annotated[k]);
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    json all = json::object();
    for (const char* name : step_names) all[name] = agreement_of(counts, name, {"True", "False"});
    all["preference"] = agreement_of(counts, "preference", words);
    return {{"agreement", all}};
  }

  std::string cache_key() const override {
    std::string all;
    for (const Annotator& one : annotators_) {
      all += one.preference.hashes();
      for (const auto& prompts : one.steps) all += prompts.hashes();
    }
    return all;
  }

 private:
  // The words in records, whatever words the annotators use.
  inline static const std::vector<std::string> words = empathy::Preferences().answers().answers();

  // True if this annotator sees the candidate's reply first.
  bool swapped(const json& record, size_t annotator) const {
    const auto [a, b] = stages::random_address(record);
    return host_.random(a, b, static_cast<uint32_t>(annotator)) < 0.5;
  }

  std::vector<Outcome> annotate(const std::vector<json>& records) {
    const Opinions first = ask(0, records), second = ask(1, records);
    std::vector<json> disputed;
    std::vector<size_t> place(records.size(), 0);
    for (size_t i = 0; i < records.size(); ++i) {
      const bool both = first.refusals[i].empty() && second.refusals[i].empty();
      if (!both || first.judgements[i] == second.judgements[i]) continue;
      disputed.push_back(records[i]);
      place[i] = disputed.size();
    }
    const Opinions third = ask(2, disputed);
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < records.size(); ++i) {
      std::vector<Annotation> judgements = {first.judgements[i], second.judgements[i]};
      const Opinions& refusing = !first.refusals[i].empty() ? first : second;
      std::string refusal = refusing.refusals[i], answer = refusing.answers[i];
      if (place[i] > 0) {
        judgements.push_back(third.judgements[place[i] - 1]);
        refusal = third.refusals[place[i] - 1];
        answer = third.answers[place[i] - 1];
      }
      outcomes.push_back(refusal.empty() ? decided(records[i], judgements) : stages::dropped(refusal));
      if (!refusal.empty()) outcomes.back().answer = answer;
    }
    stages::count_malformed(first.malformed + second.malformed + third.malformed, outcomes);
    return outcomes;
  }

  Opinions ask(size_t number, const std::vector<json>& records) const {
    const Annotator& annotator = annotators_[number];
    Opinions all;
    all.judgements.resize(records.size());
    all.refusals.resize(records.size());
    all.answers.resize(records.size());
    std::vector<stages::ChatQuestion> questions;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto pictures = stages::pictures_of(stages::turns_in(records[i].at("history")), sees_);
      for (size_t step = 0; step < 3; ++step) {
        questions.push_back({step_prompt(annotator, records[i], step),
                             [&, i, step](const std::string& answer) {
                               const auto read = empathy::read(verdicts_, answer);
                               if (read) all.judgements[i].steps[step] = *read.value;
                               return read.refusal;
                             },
                             pictures, verdicts_.answers().answers()});
      }
      const bool other_way = swapped(records[i], number);
      questions.push_back({preference_prompt(annotator, records[i], other_way),
                           [&, i, other_way](const std::string& answer) {
                             const auto read = empathy::read(preferences_, answer);
                             if (read)
                               all.judgements[i].preference = other_way ? empathy::swapped(*read.value) : *read.value;
                             return read.refusal;
                           },
                           pictures, preferences_.answers().answers()});
    }
    all.malformed = stages::ask(annotator.chat, questions, annotator.asking);
    for (size_t q = 0; q < questions.size(); ++q) {
      if (questions[q].refusal.empty()) continue;
      all.refusals[q / questions_each] = questions[q].refusal;
      all.answers[q / questions_each] = questions[q].answer;
    }
    return all;
  }

  std::string step_prompt(const Annotator& annotator, const json& record, size_t step) const {
    return annotator.steps[step].fill(record, {{"history", history(record)},
                                               {"step", record.at("candidates").at(0).at(step_names[step])},
                                               {"answers", empathy::listed(verdicts_.answers().answers())}});
  }

  std::string preference_prompt(const Annotator& annotator, const json& record, bool other_way) const {
    const auto reference = stages::one_line(record.at("reference").get<std::string>()),
               reply = stages::one_line(record.at("candidates").at(0).at("reply").get<std::string>());
    return annotator.preference.fill(record, {{"history", history(record)},
                                              {"first", other_way ? reply : reference},
                                              {"second", other_way ? reference : reply},
                                              {"answers", empathy::listed(preferences_.answers().answers())}});
  }

  static std::string history(const json& record) {
    return stages::shown(stages::turns_in(record.at("history")), record);
  }

  Outcome decided(json record, const std::vector<Annotation>& judgements) const {
    const auto found = stages::majority(judgements);
    Outcome outcome = found ? Outcome{} : stages::dropped("no majority");
    count(judgements, outcome);
    if (!found) return outcome;
    record["steps"] = {found->steps};
    record["preference"] = words[static_cast<size_t>(found->preference)];
    json& all = record["annotators"] = json::array();
    for (size_t i = 0; i < judgements.size(); ++i) {
      all.push_back({{"annotator", annotators_[i].chat.model() + " (" + std::to_string(i + 1) + ")"},
                     {"steps", {judgements[i].steps}},
                     {"preference", words[static_cast<size_t>(judgements[i].preference)]}});
    }
    note(record, judgements.size());
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  // Records the first annotator's prompts. The others' are the same unless their chat plugin ships its own.
  void note(json& record, size_t asked) const {
    json models = json::array(), order = json::array(), prompts = json::array();
    for (size_t i = 0; i < asked; ++i) {
      models.push_back(annotators_[i].chat.model());
      order.push_back(swapped(record, i));
    }
    for (const auto& step : annotators_[0].steps) prompts.push_back(step.of(record).sha256());
    record["provenance"]["preference"] = {
        {"models", models}, {"prompt", annotators_[0].preference.of(record).sha256()}, {"swapped", order}};
    record["provenance"]["steps"] = {{"models", models}, {"prompts", prompts}};
  }

  static void count(const std::vector<Annotation>& judgements, Outcome& outcome) {
    const Annotation &a = judgements[0], &b = judgements[1];
    const auto word = [](bool right) { return right ? "True" : "False"; };
    for (size_t step = 0; step < 3; ++step)
      outcome.counts[std::string(step_names[step]) + ": " + word(a.steps[step]) + ", " + word(b.steps[step])] = 1;
    outcome.counts["preference: " + words[static_cast<size_t>(a.preference)] + ", " +
                   words[static_cast<size_t>(b.preference)]] = 1;
    if (judgements.size() > 2) outcome.counts["adjudicated"] = 1;
  }

  static json agreement_of(const std::map<std::string, double>& counts, const std::string& what,
                           const std::vector<std::string>& labels) {
    statistics::ContingencyTable table(labels.size(), std::vector<size_t>(labels.size())), ratings;
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t j = 0; j < labels.size(); ++j) {
        const auto found = counts.find(what + ": " + labels[i] + ", " + labels[j]);
        if (found != counts.end()) table[i][j] = static_cast<size_t>(std::lround(found->second));
        std::vector<size_t> of_item(labels.size());
        ++of_item[i], ++of_item[j];
        ratings.insert(ratings.end(), table[i][j], of_item);
      }
    }
    const auto number = [](double value) { return std::isfinite(value) ? json(value) : json(); };
    return {{"observed", number(statistics::observed_agreement(ratings))},
            {"cohen", number(statistics::cohen(table))},
            {"fleiss", number(statistics::fleiss(ratings))}};
  }

  Host& host_;
  empathy::StepVerdicts verdicts_;
  empathy::Preferences preferences_;
  const bool sees_;
  std::vector<Annotator> annotators_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, annotate, Annotate, R"json(
  "version": "1.0.0",
  "summary": "Two chat models label steps True or False and compare replies; a third decides if they differ.",
  "parameters": {
    "annotator": {"type": "plugin", "kind": "chat", "help": "first annotator"},
    "second_annotator": {"type": "plugin", "kind": "chat",
      "help": "second annotator, which does not see the first one's answers"},
    "third_annotator": {"type": "plugin", "kind": "chat", "help": "annotator that decides if the two differ"},
    "pictures": {"type": "string", "default": "shown", "choices": ["shown", "left_out"],
      "help": "whether to send a dialogue's pictures to the annotators; use left_out for models without vision"},
    "prompts": {"type": "path", "default": null,
      "help": "folder with en/step_history.txt, step_emotion, step_strategy, preference; unset: the plugin's own"},
    "step_words": {"type": "list", "items": "string", "default": ["True", "False"],
      "help": "answers for a correct and a wrong step; other words require prompts that explain them"},
    "preference_words": {"type": "list", "items": "string", "default": ["first", "second", "both good", "neither"],
      "help": "answers about two replies, in this order; other words require prompts that explain them"},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "sampling temperature; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 16, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the answer is readable"}
  })json")
