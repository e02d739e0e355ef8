// Dialogues and samples of the world, their ids and settings.
#include "datasets/esc_world/world/dialogue.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "datasets/esc_world/world/play.h"

namespace compeer::esc_world {

namespace {

uint32_t choose_round(const WorldSettings& world, Draw& draw) {
  std::vector<double> weights;
  for (int round = 0; round < world.rounds; ++round) weights.push_back(3.0 / (3 + round));
  return static_cast<uint32_t>(draw.weighted(weights));
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// A dialogue in which one of the world's writers is the supporter.
class Unfolding : public Play {
 public:
  Unfolding(const WorldSettings& world, const std::string& split, uint32_t index) : Play(world, split, index) {
    Draw draw(place(), Purpose::choice);
    asked_ = choose_round(world, draw);
    if (draw.chance(world.habit_share)) writer_ = world.writer;
  }

  uint32_t asked() const { return asked_; }  ///< the round of the sample
  uint32_t round() const { return place().round; }
  const Writer& writer() const { return writer_; }

  WrittenCompletion reply(Purpose purpose) const {
    return write(writer_, truth().seeker, truth().said, truth().feelings, words(), place(), purpose);
  }
  void advance(const WrittenCompletion& reply) { Play::advance(reply.keys, reply.quality); }

 private:
  uint32_t asked_ = 0;
  Writer writer_;
};

// Returns the writer with errors and habits.
Writer careless() {
  Writer writer;
  writer.name = "habit";
  writer.errors = {.wrong_stage = 0.25,
                   .wrong_emotion = 0.25,
                   .random_strategy = 0.15,
                   .strategy_mismatch = 0.1,
                   .subject = 0.2,
                   .attunement = 0.2,
                   .tone = 0.1,
                   .grammar = 0.03,
                   .format = 0.02};
  writer.habit = 0.9;
  return writer;
}

}  // namespace

WorldSample sample(const WorldSettings& world, const std::string& split, uint32_t index) {
  Unfolding talk(world, split, index);
  WorldSample sample;
  while (true) {
    sample.history.push_back({"user", talk.utterance()});
    if (talk.round() == talk.asked()) break;
    const WrittenCompletion written = talk.reply(Purpose::supporter);
    sample.history.push_back({"assistant", written.spoken});
    talk.advance(written);
  }
  sample.answer = talk.reply(Purpose::answer).text;
  sample.id = fmt::format("esc_world/{}/{:06}/{}", split, index, talk.asked());
  sample.record = to_json(talk.truth());
  sample.record["writer"] = talk.writer().name;
  return sample;
}

WorldDialogue dialogue(const WorldSettings& world, const std::string& split, uint32_t index) {
  Unfolding talk(world, split, index);
  WorldDialogue all;
  all.id = fmt::format("esc_world/{}/{:06}", split, index);
  all.writer = talk.writer().name;
  for (int round = 0; round < world.rounds; ++round) {
    all.turns.push_back({"user", talk.utterance()});
    all.truths.push_back(talk.truth());
    const WrittenCompletion written = talk.reply(Purpose::supporter);
    all.turns.push_back({"assistant", written.spoken});
    talk.advance(written);
  }
  return all;
}

std::optional<WorldId> named(std::string_view id) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = id; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  WorldId made;
  if (parts.size() < 3 || parts[0] != "esc_world" || !read_number(parts[2], made.dialogue)) return std::nullopt;
  made.split = parts[1];
  if (made.split != "train" && made.split != "valid" && made.split != "test") return std::nullopt;
  if (parts.size() > 3 && !read_number(parts[3], made.round)) made.round = -1;
  return made;
}

WorldSettings default_world(const std::string& writer) {
  WorldSettings world;
  if (writer != "expert" && writer != "habit" && writer != "mixed") {
    throw std::invalid_argument("esc_world has no writer '" + writer + "' (known: expert, habit, mixed)");
  }
  if (writer != "expert") world.writer = careless();
  if (writer == "mixed") world.habit_share = 0.75;
  return world;
}

WorldSettings parse_world_settings(const nlohmann::json& settings) {
  WorldSettings world = default_world(settings.value("writer", "mixed"));
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
  take("error_history", errors.wrong_stage);
  take("error_emotion", errors.wrong_emotion);
  take("error_strategy", errors.random_strategy);
  take("error_follow", errors.strategy_mismatch);
  take("error_subject", errors.subject);
  take("error_attunement", errors.attunement);
  take("error_tone", errors.tone);
  take("error_grammar", errors.grammar);
  take("error_format", errors.format);
  return world;
}

}  // namespace compeer::esc_world
