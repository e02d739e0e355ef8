// The hidden state of seekers, its changes, and utterances with cues for it.
#include "datasets/esc_world/world/seeker.h"

#include <algorithm>

#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {

namespace {

constexpr double good = 0.7, poor = 0.5;  // thresholds of quality

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

enum class Cue { plain, missing, shared, wrong };

Cue draw_cue(Draw& draw, double ambiguity) {
  const bool misleads = draw.chance(ambiguity);
  const size_t how = draw.below(3);
  if (!misleads) return Cue::plain;
  return how == 0 ? Cue::missing : how == 1 ? Cue::shared : Cue::wrong;
}

template <class Label>
const std::string& shared_cue(const std::vector<Lexicon::Shared<Label>>& cues, Label label, Draw& draw) {
  std::vector<const std::string*> fitting;
  for (const auto& cue : cues) {
    if (cue.first == label || cue.second == label) fitting.push_back(&cue.text);
  }
  return *draw.pick(fitting);
}

/// Returns a random label other than `label`.
template <class Labels, class Label>
Label another(const Labels& labels, Label label, Draw& draw) {
  const size_t skip = 1 + draw.below(labels.size() - 1);
  return labels[(static_cast<size_t>(label) + skip) % labels.size()];
}

std::string emotion_cue(const Seeker& seeker, const Lexicon& words, Cue cue, Draw& draw) {
  Emotion emotion = seeker.emotion;
  if (cue == Cue::wrong) emotion = another(empathy::emotions, emotion, draw);
  const std::string& text = cue == Cue::shared ? shared_cue(words.shared_cues, emotion, draw)
                                               : draw.pick(words.cues[static_cast<size_t>(emotion)]);
  return fill(text, "{i}", draw.pick(words.intensities[static_cast<size_t>(seeker.intensity - 1)]));
}

std::string stage_cue(const Seeker& seeker, const Lexicon& words, Cue cue, Draw& draw) {
  Stage stage = seeker.stage;
  if (cue == Cue::wrong) stage = another(empathy::stages, stage, draw);
  return cue == Cue::shared ? shared_cue(words.shared_stage_cues, stage, draw)
                            : draw.pick(words.stage_cues[static_cast<size_t>(stage)]);
}

std::string subject_mention(const Seeker& seeker, const Lexicon& words, bool opening, Draw& draw) {
  const std::string& text = draw.pick(opening ? words.facts : words.reminders);
  const auto& problem = words.problem[static_cast<size_t>(seeker.subject / subjects_each)];
  return fill(fill(text, "{s}", words.subject(seeker.subject)), "{c}", problem.context);
}

}  // namespace

Seeker first(RandomAddress place) {
  place.round = 0;
  Draw draw(place, Purpose::start);
  Seeker seeker;
  seeker.subject = static_cast<int>(draw.below(subjects));
  seeker.style = draw.pick(styles);
  seeker.need = static_cast<Need>(draw.below(3));
  seeker.emotion = draw.pick(empathy::emotions);
  seeker.intensity = 1 + static_cast<int>(draw.weighted({1, 2, 3, 3, 2}));
  // Some seekers begin in a later stage, so that the round does not determine the stage.
  seeker.stage = empathy::stages[draw.weighted({0.7, 0.18, 0.12})];
  return seeker;
}

Seeker after(const Seeker& before, double quality, RandomAddress place) {
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

std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const RandomAddress& place) {
  Draw draw(place, Purpose::utterance);
  const bool opening = place.round == 0;
  const bool marked = draw.chance(1 - 2 * ambiguity), reminds = draw.chance(0.25);
  Cue emotion = draw_cue(draw, ambiguity);
  const Cue stage = draw_cue(draw, ambiguity);
  if (opening && emotion == Cue::missing) emotion = Cue::shared;

  std::vector<std::string> parts;
  if (marked) parts.push_back(draw.pick(words.markers[static_cast<size_t>(seeker.style)]));
  if (opening || reminds || (emotion == Cue::missing && stage == Cue::missing)) {
    parts.push_back(subject_mention(seeker, words, opening, draw));
  }
  if (emotion != Cue::missing) parts.push_back(emotion_cue(seeker, words, emotion, draw));
  if (stage != Cue::missing) parts.push_back(stage_cue(seeker, words, stage, draw));
  return join(parts);
}

}  // namespace compeer::esc_world
