#include "datasets/esc_world/world/dialogue.h"

#include <fmt/format.h>

#include <stdexcept>

#include "datasets/esc_world/world/evidence.h"

namespace compeer::esc_world {
namespace {

uint32_t number_of(const std::string& split) {
  if (split == "train") return 0;
  if (split == "valid") return 1;
  if (split == "test") return 2;
  throw std::invalid_argument("esc_world has no split '" + split + "' (known: train, valid, test)");
}

uint32_t choose_round(const World& world, Draw& draw) {
  std::vector<double> weights;
  for (int round = 0; round < world.rounds; ++round) weights.push_back(3.0 / (3 + round));
  return static_cast<uint32_t>(draw.weighted(weights));
}

}  // namespace

Sample sample(const World& world, const std::string& split, uint32_t index) {
  const Lexicon& words = lexicon(world.language);
  Place place{world.seed, number_of(split), index, 0};
  Draw draw(place, Purpose::choice);
  const uint32_t asked = choose_round(world, draw);
  const Writer writer = draw.chance(world.habit_share) ? world.writer : Writer{};

  Sample sample;
  Truth truth{world.language, first(place), {}, world.feelings};
  for (;; ++place.round) {
    sample.history.push_back({"user", utterance(truth.seeker, words, world.ambiguity, place)});
    const bool last = place.round == asked;
    const Written written = write(writer, truth.seeker, truth.said, world.feelings, words, place,
                                  last ? Purpose::answer : Purpose::supporter);
    if (last) {
      sample.answer = written.text;
      break;
    }
    sample.history.push_back({"assistant", written.spoken});
    truth.said.push_back(written.keys);
    Place next = place;
    ++next.round;
    truth.seeker = after(truth.seeker, written.quality, next);
  }
  sample.id = fmt::format("esc_world/{}/{:06}/{}", split, index, asked);
  sample.record = to_json(truth);
  sample.record["writer"] = writer.name;
  return sample;
}

}  // namespace compeer::esc_world
