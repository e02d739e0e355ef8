/// esc_world: generated dialogues with known truth (docs/esc_world.md). Nothing is stored: example `index` of a split
/// is generated on request, identically on every rank.
#include "compeer/dataset.h"
#include "compeer/plugin.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"

namespace {

class EscWorld : public compeer::Dataset {
 public:
  EscWorld(const compeer::Settings& settings, compeer::Host&)
      : settings_(settings), world_(compeer::esc_world::parse_world_settings(settings.json())) {}

  int64_t size(const std::string& split) const override {
    return split == "train" || split == "valid" || split == "test" ? settings_.integer(split) : 0;
  }

  compeer::Example get(const std::string& split, int64_t index) override {
    if (settings_.text("unit") == "scenario") return scenario(split, static_cast<uint32_t>(index));
    if (settings_.text("unit") == "dialogue") return whole(split, static_cast<uint32_t>(index));
    compeer::esc_world::WorldSample sample = compeer::esc_world::sample(world_, split, static_cast<uint32_t>(index));
    compeer::Example example{std::move(sample.id), {}, std::move(sample.answer), std::move(sample.record)};
    for (auto& line : sample.history) example.history.push_back({std::move(line.role), std::move(line.text)});
    return example;
  }

 private:
  compeer::Example scenario(const std::string& split, uint32_t index) const {
    auto made = compeer::esc_world::scenario(world_, split, index);
    nlohmann::json record = {
        {"source", "esc_world"},          {"language", world_.language},  {"category", std::move(made.problem)},
        {"main_cha", made.style},         {"card", std::move(made.card)}, {"player", std::move(made.player)},
        {"scene", std::move(made.scene)}, {"task", std::move(made.task)}, {"first_talk", std::move(made.first_talk)}};
    return {std::move(made.id), {}, "", std::move(record)};
  }

  compeer::Example whole(const std::string& split, uint32_t index) const {
    using nlohmann::json;
    compeer::esc_world::WorldDialogue dialogue = compeer::esc_world::dialogue(world_, split, index);
    compeer::Example example{dialogue.id, {}, "", {}};
    json labels = json::array();
    for (size_t i = 0; i < dialogue.turns.size(); ++i) {
      example.history.push_back({std::move(dialogue.turns[i].role), std::move(dialogue.turns[i].text)});
      labels.push_back(i % 2 == 1 ? json{{"truth", to_json(dialogue.truths[i / 2])}} : json::object());
    }
    example.record = {{"dialogue", std::move(dialogue.id)},   {"source", "esc_world"},   {"language", world_.language},
                      {"writer", std::move(dialogue.writer)}, {"rounds", world_.rounds}, {"labels", std::move(labels)}};
    return example;
  }

  compeer::Settings settings_;
  compeer::esc_world::WorldSettings world_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, esc_world, EscWorld, R"json(
  "version": "1.0.0",
  "summary": "Generated dialogues of emotional support with known correct labels.",
  "parameters": {
    "seed": {"type": "integer", "default": 0, "min": 0,
      "help": "seed of the generated world; independent of the run's seed"},
    "language": {"type": "string", "default": "en", "choices": ["en"], "help": "language of the dialogues"},
    "train": {"type": "integer", "default": 20000, "min": 0, "max": 4294967295, "help": "dialogues in the split train"},
    "valid": {"type": "integer", "default": 500, "min": 0, "max": 4294967295, "help": "dialogues in the split valid"},
    "test": {"type": "integer", "default": 500, "min": 0, "max": 4294967295, "help": "dialogues in the split test"},
    "unit": {"type": "string", "default": "turn", "choices": ["turn", "dialogue", "scenario"],
      "help": "an example is a seeker's utterance to answer, a whole dialogue, or the profile of a seeker to play"},
    "rounds": {"type": "integer", "default": 3, "min": 1, "max": 16,
      "help": "maximum utterances of the seeker; the last one is to be answered"},
    "ambiguity": {"type": "number", "default": 0.15, "min": 0, "max": 0.5,
      "help": "probability that a cue for stage or emotion is missing, weak or wrong"},
    "habituation": {"type": "number", "default": 0.3, "min": 0, "max": 1,
      "help": "share of its effect that a reply loses with each repetition"},
    "safe_quality": {"type": "number", "default": 0.67, "min": 0, "max": 1, "help": "quality of generic comfort"},
    "writer": {"type": "string", "default": "mixed", "choices": ["expert", "habit", "mixed"],
      "help": "writer of the supporter's replies and of the answers"},
    "habit_share": {"type": "number", "default": 0.75, "min": 0, "max": 1,
      "help": "mixed: share of dialogues written by the writer 'habit'"},
    "habit": {"type": "number", "default": 0.9, "min": 0, "max": 1,
      "help": "writer 'habit': probability of early advice and generic comfort"},
    "error_history": {"type": "number", "default": 0.25, "min": 0, "max": 1,
      "help": "probability that the writer names the wrong stage of the dialogue"},
    "error_emotion": {"type": "number", "default": 0.25, "min": 0, "max": 1,
      "help": "probability of naming the wrong emotion"},
    "error_strategy": {"type": "number", "default": 0.15, "min": 0, "max": 1,
      "help": "probability of announcing a random strategy"},
    "error_follow": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "probability of a reply that does not follow the announced strategy"},
    "error_subject": {"type": "number", "default": 0.2, "min": 0, "max": 1,
      "help": "probability of not naming the subject, or the wrong one"},
    "error_attunement": {"type": "number", "default": 0.2, "min": 0, "max": 1,
      "help": "probability of not responding to the emotion, or to the wrong one"},
    "error_tone": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "probability of the wrong style for the seeker, or an artificial one"},
    "error_grammar": {"type": "number", "default": 0.03, "min": 0, "max": 1,
      "help": "probability of an ungrammatical reply"},
    "error_format": {"type": "number", "default": 0.02, "min": 0, "max": 1,
      "help": "probability of a missing or unclosed step"}
  })json")
