#include "datasets/esc_world/world/play.h"

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

}  // namespace

Play::Play(const WorldSettings& world, const std::string& split, uint32_t index)
    : world_(world),
      words_(lexicon(world.language)),
      place_{world.seed, number_of(split), index, 0},
      truth_{world.language, first(place_), {}, world.feelings} {}

std::string Play::utterance() const { return esc_world::utterance(truth_.seeker, words_, world_.ambiguity, place_); }

Heard Play::hear(const std::string& reply) const {
  Heard heard{read(reply, words_), {}, 0};
  if (!heard.reply) return heard;
  for (const Sentence& sentence : heard.reply->sentences) heard.keys.push_back(key(sentence));
  heard.felt = felt(*heard.reply, truth_.seeker, truth_.said, truth_.feelings);
  return heard;
}

void Play::go_on(const std::vector<std::string>& keys, double quality) {
  truth_.said.push_back(keys);
  ++place_.round;
  truth_.seeker = after(truth_.seeker, quality, place_);
}

std::vector<Round> played(const WorldSettings& world, const std::string& split, uint32_t index,
                          const std::vector<std::string>& replies) {
  Play play(world, split, index);
  std::vector<Round> rounds;
  for (const std::string& reply : replies) {
    const Heard heard = play.hear(reply);
    rounds.push_back({play.truth(), play.utterance(), heard});
    play.go_on(heard.keys, heard.felt);
  }
  rounds.push_back({play.truth(), play.utterance(), {}});
  return rounds;
}

}  // namespace compeer::esc_world
