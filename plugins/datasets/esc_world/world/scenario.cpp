#include "datasets/esc_world/world/scenario.h"

#include <fmt/format.h>

#include "datasets/esc_world/world/play.h"
#include "datasets/esc_world/world/slots.h"

namespace compeer::esc_world {
namespace {

// Plainer than anything the seeker says: the first cue of each table, nothing missing or misleading.
std::string feeling(const Seeker& seeker, const Lexicon& words) {
  const auto& cue = words.cues[static_cast<size_t>(seeker.emotion)].front();
  return fill(cue, "{i}", words.intensities[static_cast<size_t>(seeker.intensity - 1)].front());
}

std::string event(const Seeker& seeker, const Lexicon& words) {
  const auto& problem = words.problem[static_cast<size_t>(seeker.subject / subjects_each)];
  return fill(fill(words.facts.front(), "{s}", words.subject(seeker.subject)), "{c}", problem.context);
}

}  // namespace

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
