/// persona: asks a chat model how the seeker of each record behaves in conversation (DISC): "persona": {"dominance",
/// "influence", "steadiness", "compliance" (0 to 10), "manner", "vector": the four as shares of the most}.
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
        asking_(settings),
        prompts_(settings, host, "persona", {"id", "dialogue"}) {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Disc> found(records.size());
    std::vector<stages::Question> questions;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto dialogue = stages::shown(stages::turns_of(records[i]), records[i]);
      questions.push_back({prompts_.of(records[i]).fill({{"id", records[i].at("id")}, {"dialogue", dialogue}}),
                           [&, i](const std::string& answer) {
                             auto read = empathy::read_disc(answer);
                             if (read) found[i] = std::move(*read.value);
                             return read.refusal;
                           }});
    }
    const auto malformed = stages::ask(chat_, questions, asking_);
    const auto model = chat_.model();
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < records.size(); ++i) {
      json record = records[i];
      record["persona"] = persona_of(found[i]);
      stages::note_provenance(record, "persona", model, prompts_.of(record));
      outcomes.push_back(questions[i].refusal.empty() ? stages::kept(std::move(record))
                                                      : stages::dropped(questions[i]));
    }
    stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  std::string ingredients() const override { return prompts_.hashes(); }

 private:
  Chat& chat_;
  stages::Asking asking_;
  stages::Prompts prompts_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, persona, Persona, R"json(
  "version": "1.0.0",
  "summary": "The seeker's DISC traits, by a chat model, as numbers.",
  "parameters": {
    "chat": {"type": "plugin", "kind": "chat", "help": "who reads the dialogue"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/persona.txt; unset: the plugin's own"},
    "temperature": {"type": "number", "default": 0.0, "min": 0, "help": "of the answers; 0: the likeliest"},
    "max_tokens": {"type": "integer", "default": 128, "min": 1, "help": "of an answer"},
    "tries": {"type": "integer", "default": 3, "min": 1, "help": "answers that can't be read are asked for so often"}
  })json")
