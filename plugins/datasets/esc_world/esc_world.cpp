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
      : settings_(settings), world_(compeer::esc_world::world_of(settings.json())) {}

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
  "summary": "A small world of emotional support, generated, with known truth.",
  "parameters": {
    "seed": {"type": "integer", "default": 0, "min": 0, "help": "which world; the run's own seed does not change it"},
    "language": {"type": "string", "default": "en", "choices": ["en"], "help": "whose words are used"},
    "train": {"type": "integer", "default": 20000, "min": 0, "max": 4294967295, "help": "dialogues in the split train"},
    "valid": {"type": "integer", "default": 500, "min": 0, "max": 4294967295, "help": "dialogues in the split valid"},
    "test": {"type": "integer", "default": 500, "min": 0, "max": 4294967295, "help": "dialogues in the split test"},
    "unit": {"type": "string", "default": "turn", "choices": ["turn", "dialogue", "scenario"],
      "help": "an example: an utterance of the seeker to be answered, a whole dialogue, or who is to be played"},
    "rounds": {"type": "integer", "default": 3, "min": 1, "max": 16,
      "help": "utterances of the seeker at most; the last one is to be answered"},
    "ambiguity": {"type": "number", "default": 0.15, "min": 0, "max": 0.5,
      "help": "probability that a cue for stage or emotion is missing, weak or wrong"},
    "habituation": {"type": "number", "default": 0.3, "min": 0, "max": 1,
      "help": "share of its effect that a reply loses with each repeat"},
    "safe_quality": {"type": "number", "default": 0.67, "min": 0, "max": 1, "help": "quality of generic comfort"},
    "writer": {"type": "string", "default": "mixed", "choices": ["expert", "habit", "mixed"],
      "help": "who writes the supporter's replies and the answers"},
    "habit_share": {"type": "number", "default": 0.75, "min": 0, "max": 1,
      "help": "mixed: share of dialogues written by the writer with habits"},
    "habit": {"type": "number", "default": 0.9, "min": 0, "max": 1,
      "help": "how often early advice and generic comfort are given where they are a habit"},
    "error_history": {"type": "number", "default": 0.25, "min": 0, "max": 1,
      "help": "the writer takes the talk for another stage"},
    "error_emotion": {"type": "number", "default": 0.25, "min": 0, "max": 1, "help": "takes the feeling for another"},
    "error_strategy": {"type": "number", "default": 0.15, "min": 0, "max": 1, "help": "announces a strategy at random"},
    "error_follow": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "does another strategy than announced"},
    "error_subject": {"type": "number", "default": 0.2, "min": 0, "max": 1,
      "help": "does not name the subject, or names another"},
    "error_attunement": {"type": "number", "default": 0.2, "min": 0, "max": 1,
      "help": "does not attune to the feeling, or to another"},
    "error_tone": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "talks to another style, or artificially"},
    "error_grammar": {"type": "number", "default": 0.03, "min": 0, "max": 1, "help": "breaks the grammar of the reply"},
    "error_format": {"type": "number", "default": 0.02, "min": 0, "max": 1, "help": "leaves a step out or unclosed"}
  })json")
