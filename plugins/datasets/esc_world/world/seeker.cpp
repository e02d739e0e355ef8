#include "datasets/esc_world/world/seeker.h"

#include <algorithm>

namespace compeer::esc_world {
namespace {

constexpr double good = 0.7, poor = 0.5;  // qualities of a reply that change what a seeker does next

double chance_to_move_on(const Seeker& seeker, double quality) {
  double chance = quality >= good ? 0.65 : 0.45;
  if (seeker.stage == Stage::exploration && seeker.need == Need::understand) chance -= 0.2;
  if (seeker.stage == Stage::comforting && seeker.need == Need::be_heard) chance -= 0.2;
  if (seeker.stage == Stage::comforting && seeker.need == Need::find_a_way) chance += 0.2;
  return chance;
}

Stage next_stage(const Seeker& seeker, double quality, double draw) {
  constexpr double fall_back = 0.1;
  const int stage = static_cast<int>(seeker.stage);
  if (draw < fall_back) return static_cast<Stage>(std::max(stage - 1, 0));
  if (draw < fall_back + chance_to_move_on(seeker, quality)) return static_cast<Stage>(std::min(stage + 1, 2));
  return seeker.stage;
}

}  // namespace

Seeker first(DrawKey place) {
  place.round = 0;
  Draw draw(place, Purpose::start);
  Seeker seeker;
  seeker.subject = static_cast<int>(draw.below(subjects));
  seeker.style = draw.pick(styles);
  seeker.need = static_cast<Need>(draw.below(3));
  seeker.emotion = draw.pick(empathy::emotions);
  seeker.intensity = 1 + static_cast<int>(draw.weighted({1, 2, 3, 3, 2}));
  // Some arrive later in the arc, so the round number alone does not tell the stage.
  seeker.stage = empathy::stages[draw.weighted({0.7, 0.18, 0.12})];
  return seeker;
}

Seeker after(const Seeker& before, double quality, DrawKey place) {
  Draw draw(place, Purpose::change);
  Seeker now = before;
  now.stage = next_stage(before, quality, draw.uniform());
  const bool other_emotion = draw.chance(0.2), to_hope = draw.chance(0.5);
  const Emotion drawn = draw.pick(empathy::emotions);
  if (other_emotion) now.emotion = quality >= good && to_hope ? Emotion::hope : drawn;
  const double step = draw.uniform();
  if (quality >= good && step < 0.5) --now.intensity;
  if (quality < poor && step < 0.4) ++now.intensity;
  now.intensity = std::clamp(now.intensity, 1, 5);
  return now;
}

}  // namespace compeer::esc_world
