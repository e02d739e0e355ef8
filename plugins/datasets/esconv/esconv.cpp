/// ESConv: emotional support by crowd workers, English. Three layouts, detected for each record: the published split
/// (speakers usr and sys), the original ESConv.json and FailedESConv.json (separate annotations), and the relabelled
/// test split of MultiESC (several strategies for a turn; its valence and arousal are not read).
///
/// ESConv has no reasoning, but labels of its topics. With `steps`, answers begin with steps made from these labels, in
/// the form of empathy/format.h, so that a policy can learn the format from people's replies.
#include <set>

#include "base/error.h"
#include "compeer/plugin.h"
#include "corpora/corpus.h"
#include "empathy/format.h"

namespace {

using namespace compeer::corpora;

// Unifies the names of strategies, which differ between the corpus's files.
json strategy(const json& written) {
  static const std::vector<std::pair<std::string_view, std::string_view>> names = {
      {"Questions", "Question"},
      {"Other", "Others"},
      {"Direct Guidance", "Providing Suggestions"},
      {"Approval and Reassurance", "Affirmation and Reassurance"},
      {"Restatement", "Restatement or Paraphrasing"},
      {"Greetings", "Greeting"}};
  for (const auto& [one, usual] : names) {
    if (written == one) return usual;
  }
  return written;
}

json strategies(const json& utterance, const json& annotation) {
  if (!utterance.contains("all_strategy")) return strategy(label(annotation, "strategy"));
  json all = json::array();
  for (const json& one : list_of(utterance, "all_strategy")) all.push_back(strategy(one));
  return all;
}

void finish_turn(const json& written, Utterance& one) {
  const json& annotation = written.contains("annotation") ? part_of(written, "annotation") : written;
  if (one.role == Role::supporter) one.labels = {{"strategy", strategies(written, annotation)}};
  if (one.role == Role::seeker) one.labels = {{"feedback", scale(annotation, "feedback")}};
  if (written.contains("cause")) one.labels["cause"] = label(written, "cause");
}

json survey(const json& record) {
  const json& scores = part_of(record, "survey_score");
  const json &seeker = part_of(scores, "seeker"), &supporter = part_of(scores, "supporter");
  const bool relabelled = record.contains("init_intensity");
  return {
      {"initial_intensity", relabelled ? scale(record, "init_intensity") : scale(seeker, "initial_emotion_intensity")},
      {"final_intensity", relabelled ? scale(record, "final_intensity") : scale(seeker, "final_emotion_intensity")},
      {"empathy", scale(seeker, "empathy")},
      {"relevance", scale(seeker, "relevance")},
      {"supporter_relevance", scale(supporter, "relevance")}};
}

void finish(const json& record, Dialogue& dialogue) {
  json& all = dialogue.labels["survey"] = survey(record);
  for (const char* question : {"seeker_question1", "seeker_question2", "supporter_question1", "supporter_question2"})
    all[question] = label(record, question);
}

const RecordLayout dialogue_layout = {.turns = "dialog",
                                      .turn = "utterance",
                                      .speaker = "speaker",
                                      .text = {"content", "text"},
                                      .roles = {{"usr", Role::seeker},
                                                {"sys", Role::supporter},
                                                {"seeker", Role::seeker},
                                                {"speaker", Role::seeker},
                                                {"supporter", Role::supporter},
                                                {"listener", Role::supporter}},
                                      .labels = {{"emotion", {"emotion_type"}},
                                                 {"problem", {"problem_type"}},
                                                 {"situation", {"situation"}},
                                                 {"experience", {"experience_type"}}},
                                      .finish_turn = finish_turn,
                                      .finish = finish};

// Returns the distinct strategies of an answer: "Question, Self-disclosure"; empty if none is labelled.
std::string named(const json& strategies) {
  std::set<std::string> seen;
  std::string names;
  for (const json& one : strategies) {
    if (one.is_string() && seen.insert(one).second) names += (names.empty() ? "" : ", ") + one.get<std::string>();
  }
  return names;
}

// Returns the answer with steps; empty if a label is missing or a text contains a tag.
std::string with_steps(const compeer::Example& example) {
  const json &problem = example.record.at("problem"), &emotion = example.record.at("emotion");
  const std::string strategy = named(example.record.at("strategies"));
  if (example.answer.empty() || !problem.is_string() || !emotion.is_string() || strategy.empty()) return "";
  const std::string text = "<history>" + problem.get<std::string>() + "</history><emotion>" +
                           emotion.get<std::string>() + "</emotion><strategy>" + strategy + "</strategy>\n" +
                           example.answer;
  return compeer::empathy::parse(text) ? text : "";
}

class Esconv : public Corpus {
 public:
  Esconv(const compeer::Settings& settings, compeer::Host& host)
      : Corpus({"esconv", "en", {".json", ".jsonl", ".txt"}, json_records(dialogue_layout)}, settings, host),
        steps_(settings.flag("steps")) {
    if (steps_ && settings.text("unit") != "turn")
      throw compeer::Error("esconv", "has 'steps' for the supporter's turns, but unit = \"dialogue\"",
                           "set unit = \"turn\", or leave 'steps' out", compeer::Exit::spec);
  }

  compeer::Example get(const std::string& split, int64_t index) override {
    compeer::Example example = Corpus::get(split, index);
    if (steps_) example.answer = with_steps(example);
    return example;
  }

 private:
  bool steps_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, esconv, Esconv,
               R"json(
  "version": "1.0.0",
  "summary": "ESConv: emotional support in eight strategies, English.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(,
    "steps": {"type": "boolean", "default": false,
      "help": "begin answers with three steps made of the labels problem, emotion, strategy; leave out unlabelled ones"}
  })json")
