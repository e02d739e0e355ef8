/// persona: asks a chat model for the DISC traits of each dialogue's seeker. Adds "persona": {"dominance", "influence",
/// "steadiness", "compliance" (0 to 10), "manner", "vector" (the four traits divided by 10)}. All records of a dialogue
/// share one persona, determined from the longest of them.
#include <map>
#include <unordered_map>

#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"

namespace {

using namespace compeer;
using empathy::Disc;
using nlohmann::json;

json persona_of(const Disc& disc) {
  json persona = {{"manner", disc.manner}, {"vector", json::array()}};
  for (size_t i = 0; i < Disc::names.size(); ++i) {
    persona[std::string(Disc::names[i])] = disc.traits[i];
    persona["vector"].push_back(static_cast<double>(disc.traits[i]) / Disc::most);
  }
  return persona;
}

class Persona : public Stage {
 public:
  Persona(const Settings& settings, Host& host)
      : chat_(host.chat(settings.table("chat"))),
        asking_(settings, "chat"),
        prompts_(settings, host, "chat", "persona", {"dialogue"}) {}

  bool needs_summaries() const override { return true; }

  std::string summary(const json& record) const override {
    const json language = record.contains("language") ? record.at("language") : json("en");
    return json{said_by(record), record.at("id"), language, stages::shown(stages::turns_of(record), record)}.dump();
  }

  void add_summary(const std::string& summary) override {
    const json seen = json::parse(summary);
    auto text = seen[3].get<std::string>();
    PersonaDialogue& longest = dialogues_[seen[0].get<std::string>()];
    if (longest.record.is_null() || text.size() > longest.text.size())
      longest = {{{"id", seen[1]}, {"language", seen[2]}}, std::move(text)};
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<std::string> asked;  // dialogues, as `said_by` names them
    std::map<std::string, size_t> place;
    for (const json& record : records) {
      if (place.emplace(said_by(record), asked.size()).second) asked.push_back(said_by(record));
    }
    std::vector<Disc> found(asked.size());
    auto questions = questions_about(asked, found);
    const auto malformed = stages::ask(chat_, questions, asking_);
    const auto model = chat_.model();
    std::vector<Outcome> outcomes;
    for (json record : records) {
      const size_t which = place.at(said_by(record));
      record["persona"] = persona_of(found[which]);
      stages::note_provenance(record, "persona", model, prompts_.of(record));
      const auto& question = questions[which];
      outcomes.push_back(question.refusal.empty() ? stages::kept(std::move(record)) : stages::dropped(question));
    }
    stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  std::string cache_key() const override { return prompts_.hashes(); }

 private:
  struct PersonaDialogue {
    json record;  // "id" and "language" of the longest record
    std::string text;
  };

  // Identifies the seeker of a record. A rewritten dialogue may have another seeker than the original.
  static std::string said_by(const json& record) {
    return stages::dialogue_of(record) + (record.contains("rewritten") ? "/rewritten" : "");
  }

  std::vector<stages::ChatQuestion> questions_about(const std::vector<std::string>& asked,
                                                    std::vector<Disc>& found) const {
    std::vector<stages::ChatQuestion> questions;
    for (size_t i = 0; i < asked.size(); ++i) {
      const PersonaDialogue& dialogue = dialogues_.at(asked[i]);
      questions.push_back(
          {prompts_.fill(dialogue.record, {{"dialogue", dialogue.text}}), [&found, i](const std::string& answer) {
             auto read = empathy::read_disc(answer);
             if (read) found[i] = std::move(*read.value);
             return read.refusal;
           }});
    }
    return questions;
  }

  Chat& chat_;
  stages::Asking asking_;
  stages::StagePrompt prompts_;
  std::unordered_map<std::string, PersonaDialogue> dialogues_;  // the longest record of each seeker
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, persona, Persona, R"json(
  "version": "1.0.0",
  "summary": "A chat model rates the seeker's DISC traits as numbers, once per dialogue.",
  "parameters": {
    "chat": {"type": "plugin", "kind": "chat", "help": "chat model that rates the traits"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/persona.txt; unset: the plugin's own"},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "sampling temperature; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 128, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the answer is readable"}
  })json")
