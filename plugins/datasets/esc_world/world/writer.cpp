// Scripted supporters: what they believe, announce and say.
#include "datasets/esc_world/world/writer.h"

#include <algorithm>

#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/quality.h"
#include "empathy/format.h"

namespace compeer::esc_world {
namespace {

template <class Labels, class Label>
Label another(const Labels& labels, Label label, Draw& draw) {
  const size_t skip = 1 + draw.below(labels.size() - 1);
  return labels[(static_cast<size_t>(label) + skip) % labels.size()];
}

bool was_said(const EarlierReplies& said, const std::string& key) {
  return std::any_of(said.begin(), said.end(), [&](const std::vector<std::string>& earlier) {
    return std::find(earlier.begin(), earlier.end(), key) != earlier.end();
  });
}

/// Writes one completion: holds the writer's belief about the seeker and the random numbers.
class Pen {
 public:
  Pen(const Writer& writer, const Seeker& seeker, const EarlierReplies& said, const Lexicon& words, Draw& draw)
      : writer_(writer), errors_(writer.errors), belief_(seeker), said_(said), words_(words), draw_(draw) {
    if (draw_.chance(errors_.wrong_stage)) belief_.stage = another(empathy::stages, belief_.stage, draw_);
    if (draw_.chance(errors_.wrong_emotion)) belief_.emotion = another(empathy::emotions, belief_.emotion, draw_);
    const bool habit = draw_.chance(writer_.habit), exploring = belief_.stage == Stage::exploration;
    const bool driving = belief_.style == Style::dominance || belief_.style == Style::conscientiousness;
    early_advice_ = habit && exploring && driving;
    generic_comfort_ = habit && !exploring && !driving;
  }

  const Seeker& belief() const { return belief_; }

  Strategy announce() {
    if (early_advice_) return Strategy::suggestion;
    if (generic_comfort_) return Strategy::affirmation;
    if (draw_.chance(errors_.random_strategy)) return draw_.pick(empathy::strategies);
    return freshest(good_strategies(belief_.stage, belief_.emotion, belief_.style));
  }

  Reply compose(Strategy announced) {
    if (generic_comfort_) return comfort();
    const bool follows = !draw_.chance(errors_.strategy_mismatch);
    const Sentence act = this->act(follows ? announced : another(empathy::strategies, announced, draw_));
    const std::optional<Sentence> attunement = this->attunement(), tail = this->tail();
    Reply reply;
    const size_t order = draw_.weighted({0.6, 0.2, 0.2});
    if (order != 1 && attunement) reply.sentences.push_back(*attunement);
    if (order == 2 && tail) reply.sentences.push_back(*tail);
    reply.sentences.push_back(act);
    if (order == 1 && attunement) reply.sentences.push_back(*attunement);
    if (order != 2 && tail) reply.sentences.push_back(*tail);
    return reply;
  }

 private:
  /// Returns one of the strategies used least often so far.
  Strategy freshest(const std::vector<Strategy>& good) {
    std::vector<Strategy> best;
    size_t fewest = said_.size() + 1;
    for (Strategy strategy : good) {
      const std::string manner = "act/" + std::string(empathy::name(strategy)) + "/";
      size_t used = 0;
      for (const auto& earlier : said_) {
        used += std::any_of(earlier.begin(), earlier.end(), [&](const auto& key) { return key.starts_with(manner); });
      }
      if (used < fewest) best.clear();
      if (used <= fewest) best.push_back(strategy);
      fewest = std::min(fewest, used);
    }
    return draw_.pick(best);
  }

  /// Returns a sentence of that kind, one not said before if possible.
  Sentence phrase(Part part, int label, size_t count) {
    const size_t start = draw_.below(count);
    for (size_t i = 0; i < count; ++i) {
      const Sentence sentence{part, label, static_cast<int>((start + i) % count)};
      if (!was_said(said_, key(sentence))) return sentence;
    }
    return {part, label, static_cast<int>(start)};
  }

  Sentence act(Strategy strategy) {
    const int label = static_cast<int>(strategy);
    Sentence sentence = phrase(Part::act, label, words_.acts[static_cast<size_t>(label)].size());
    sentence.subject = belief_.subject;
    const bool wrong = draw_.chance(errors_.subject), names_other = draw_.chance(0.25);
    const int other = static_cast<int>(draw_.below(subjects));
    if (wrong) sentence.subject = names_other ? other : -1;
    return sentence;
  }

  std::optional<Sentence> attunement() {
    Emotion emotion = belief_.emotion;
    if (draw_.chance(errors_.attunement)) {
      const size_t how = draw_.below(3);
      if (how == 0) return std::nullopt;
      if (how == 1) return phrase(Part::safe, 0, words_.safe.size());
      emotion = another(empathy::emotions, emotion, draw_);
    }
    const int label = static_cast<int>(emotion);
    return phrase(Part::attunement, label, words_.attunements[static_cast<size_t>(label)].size());
  }

  std::optional<Sentence> tail() {
    Style style = belief_.style;
    if (draw_.chance(errors_.tone)) {
      if (draw_.chance(0.5)) return phrase(Part::artificial, 0, words_.artificial.size());
      style = another(styles, style, draw_);
    } else if (!draw_.chance(0.7)) {
      return std::nullopt;
    }
    const int label = static_cast<int>(style);
    return phrase(Part::tail, label, words_.tails[static_cast<size_t>(label)].size());
  }

  /// Returns two or three consecutive safe sentences of the table, so that the same few recur.
  Reply comfort() {
    const size_t count = 2 + draw_.below(2), start = draw_.below(2);
    Reply reply;
    for (size_t i = 0; i < count; ++i) reply.sentences.push_back({Part::safe, 0, static_cast<int>(start + i)});
    return reply;
  }

  const Writer& writer_;
  const Errors& errors_;
  Seeker belief_;
  const EarlierReplies& said_;
  const Lexicon& words_;
  Draw& draw_;
  bool early_advice_ = false, generic_comfort_ = false;
};

empathy::Structured steps(const Seeker& belief, Strategy announced, const Lexicon& words) {
  const auto& problem = words.problem[static_cast<size_t>(belief.subject / subjects_each)];
  const Sentiment sentiment = empathy::sentiment_of(belief.emotion);
  return {
      problem.name + ", " + words.subject(belief.subject) + ", " + std::string(empathy::name(belief.stage)) + " stage",
      std::string(empathy::name(sentiment)) + ", " + std::string(empathy::name(belief.emotion)) + " " +
          std::to_string(belief.intensity),
      std::string(empathy::name(announced)), ""};
}

/// Drops, doubles or swaps words until the grammar can't parse the text.
std::string broken(const std::string& text, const Lexicon& words, Draw& draw) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  while (read(join(parts), words)) {
    const auto at = static_cast<std::ptrdiff_t>(draw.below(parts.size()));
    const size_t how = parts.size() < 2 ? 1 : draw.below(3);
    if (how == 0) parts.erase(parts.begin() + at);
    if (how == 1) parts.insert(parts.begin() + at, std::string(parts[static_cast<size_t>(at)]));
    if (how == 2) std::swap(parts[static_cast<size_t>(at)], parts[draw.below(parts.size())]);
  }
  return join(parts);
}

// Leaves out a step, or its closing tag.
std::string malformed(const std::string& text, Draw& draw) {
  static constexpr std::array<std::string_view, 3> names = {"history", "emotion", "strategy"};
  const std::string open = "<" + std::string(draw.pick(names)) + ">", close = "</" + open.substr(1);
  const size_t from = text.find(open), to = text.find(close);
  const bool left_out = draw.chance(0.5);
  return left_out ? text.substr(0, from) + text.substr(to + close.size())
                  : text.substr(0, to) + text.substr(to + close.size());
}

}  // namespace

WrittenCompletion write(const Writer& writer, const Seeker& seeker, const EarlierReplies& said,
                        const QualitySettings& feelings, const Lexicon& words, const RandomAddress& place,
                        Purpose purpose) {
  Draw draw(place, purpose);
  Pen pen(writer, seeker, said, words, draw);
  const Strategy announced = pen.announce();
  const Reply reply = pen.compose(announced);
  WrittenCompletion written;
  written.spoken = say(reply, words);
  if (draw.chance(writer.errors.grammar)) {
    written.spoken = broken(written.spoken, words, draw);
  } else {
    for (const Sentence& sentence : reply.sentences) written.keys.push_back(key(sentence));
    written.quality = quality(reply, announced, seeker, said, feelings);
  }
  empathy::Structured parts = steps(pen.belief(), announced, words);
  parts.reply = written.spoken;
  written.text = empathy::print(parts);
  if (draw.chance(writer.errors.format)) written.text = malformed(written.text, draw);
  return written;
}

}  // namespace compeer::esc_world
