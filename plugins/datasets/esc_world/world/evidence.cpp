#include "datasets/esc_world/world/evidence.h"

#include "datasets/esc_world/world/slots.h"

namespace compeer::esc_world {
namespace {

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

/// A label other than `label`, each equally likely.
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

std::string utterance(const Seeker& seeker, const Lexicon& words, double ambiguity, const DrawKey& place) {
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
