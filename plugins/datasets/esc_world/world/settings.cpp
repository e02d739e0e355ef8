#include "datasets/esc_world/world/settings.h"

#include <stdexcept>

namespace compeer::esc_world {
namespace {

Writer careless() {
  Writer writer;
  writer.name = "habit";
  writer.errors = {.history = 0.25,
                   .emotion = 0.25,
                   .strategy = 0.15,
                   .follow = 0.1,
                   .subject = 0.2,
                   .attunement = 0.2,
                   .tone = 0.1,
                   .grammar = 0.03,
                   .format = 0.02};
  writer.habit = 0.9;
  return writer;
}

}  // namespace

WorldSettings usual(const std::string& writer) {
  WorldSettings world;
  if (writer != "expert" && writer != "habit" && writer != "mixed") {
    throw std::invalid_argument("esc_world has no writer '" + writer + "' (known: expert, habit, mixed)");
  }
  if (writer != "expert") world.writer = careless();
  if (writer == "mixed") world.habit_share = 0.75;
  return world;
}

WorldSettings world_of(const nlohmann::json& settings) {
  WorldSettings world = usual(settings.value("writer", "mixed"));
  const auto take = [&](const char* key, auto& value) { value = settings.value(key, value); };
  take("language", world.language);
  take("seed", world.seed);
  take("ambiguity", world.ambiguity);
  take("habituation", world.feelings.habituation);
  take("safe_quality", world.feelings.safe_quality);
  take("rounds", world.rounds);
  if (world.writer.name == "expert") return world;
  if (world.habit_share < 1) take("habit_share", world.habit_share);
  take("habit", world.writer.habit);
  Errors& errors = world.writer.errors;
  take("error_history", errors.history);
  take("error_emotion", errors.emotion);
  take("error_strategy", errors.strategy);
  take("error_follow", errors.follow);
  take("error_subject", errors.subject);
  take("error_attunement", errors.attunement);
  take("error_tone", errors.tone);
  take("error_grammar", errors.grammar);
  take("error_format", errors.format);
  return world;
}

}  // namespace compeer::esc_world
