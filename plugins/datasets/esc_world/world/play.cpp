// Dialogues in progress, and scenarios.
#include "datasets/esc_world/world/play.h"

#include <fmt/format.h>

#include <stdexcept>

#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/seeker.h"

namespace compeer::esc_world {

namespace {

uint32_t number_of(const std::string& split) {
  if (split == "train") return 0;
  if (split == "valid") return 1;
  if (split == "test") return 2;
  throw std::invalid_argument("esc_world has no split '" + split + "' (known: train, valid, test)");
}

// Returns the feeling by the first cue of the table: clearer than the seeker's utterances, where cues may be missing or
// misleading.
std::string feeling(const Seeker& seeker, const Lexicon& words) {
  const auto& cue = words.cues[static_cast<size_t>(seeker.emotion)].front();
  return fill(cue, "{i}", words.intensities[static_cast<size_t>(seeker.intensity - 1)].front());
}

std::string event(const Seeker& seeker, const Lexicon& words) {
  const auto& problem = words.problem[static_cast<size_t>(seeker.subject / subjects_each)];
  return fill(fill(words.facts.front(), "{s}", words.subject(seeker.subject)), "{c}", problem.context);
}

}  // namespace

Play::Play(const WorldSettings& world, const std::string& split, uint32_t index)
    : world_(world),
      words_(lexicon(world.language)),
      place_{world.seed, number_of(split), index, 0},
      truth_{world.language, first(place_), {}, world.feelings} {}

std::string Play::utterance() const { return esc_world::utterance(truth_.seeker, words_, world_.ambiguity, place_); }

PerceivedReply Play::hear(const std::string& reply) const {
  PerceivedReply heard{read(reply, words_), {}, 0};
  if (!heard.reply) return heard;
  for (const Sentence& sentence : heard.reply->sentences) heard.keys.push_back(key(sentence));
  heard.felt = felt(*heard.reply, truth_.seeker, truth_.said, truth_.feelings);
  return heard;
}

void Play::advance(const std::vector<std::string>& keys, double quality) {
  truth_.said.push_back(keys);
  ++place_.round;
  truth_.seeker = after(truth_.seeker, quality, place_);
}

std::vector<Round> played(const WorldSettings& world, const std::string& split, uint32_t index,
                          const std::vector<std::string>& replies) {
  Play play(world, split, index);
  std::vector<Round> rounds;
  for (const std::string& reply : replies) {
    const PerceivedReply heard = play.hear(reply);
    rounds.push_back({play.truth(), play.utterance(), heard});
    play.advance(heard.keys, heard.felt);
  }
  rounds.push_back({play.truth(), play.utterance(), {}});
  return rounds;
}

Scenario scenario(const WorldSettings& world, const std::string& split, uint32_t index) {
  const Play play(world, split, index);
  const Seeker& seeker = play.truth().seeker;
  const Lexicon& words = play.words();
  const auto style = static_cast<size_t>(seeker.style);
  Scenario made;
  made.id = fmt::format("esc_world/{}/{:06}", split, index);
  made.problem = words.problem[static_cast<size_t>(seeker.subject / subjects_each)].name;
  made.style = name(seeker.style);
  made.player = fill(words.manners[style], "{m}", words.markers[style].front());
  made.scene = join({event(seeker, words), feeling(seeker, words)});
  made.task = words.wishes[static_cast<size_t>(seeker.need)];
  made.first_talk = play.utterance();
  const auto& now = words.stage_cues[static_cast<size_t>(seeker.stage)].front();
  made.card = fill(
      fill(fill(fill(words.card, "{problem}", made.problem + ": " + event(seeker, words)), "{manner}", made.player),
           "{feeling}", feeling(seeker, words)),
      "{now}", now);
  return made;
}

}  // namespace compeer::esc_world
