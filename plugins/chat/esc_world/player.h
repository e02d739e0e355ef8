#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "empathy/judgement.h"

namespace compeer::esc_world {

/// How those who are played go wrong.
struct Profile {
  Writer writer;                   ///< who generates completions
  uint32_t seed = 0;               ///< players with different seeds write and err differently
  double annotator_noise = 0.1;    ///< share of an annotator's verdicts that are the wrong one, or any of the four
  double first_bias = 0.05;        ///< share of comparisons in which the first reply is taken unseen
  double tie = 0.07;               ///< qualities no further apart count as equal
  double poor = 0.3;               ///< if neither reply is better than this, neither is acceptable
  double persona_noise = 0.1;      ///< share of personas read as another style
  double emotion_scale = 20;       ///< SAGE: points for the whole way from the worst reply to the best
  double emotion_rest = 0.5;       ///< SAGE: the felt quality that moves nothing
  double judge_noise = 0.1;        ///< share of scores that are one too high or too low
  Style drift = Style::influence;  ///< the style of a rewriter that has no persona in mind

  /// Another seed than the world's: what is written now is not what was said then.
  uint64_t seed_of(const WorldSettings& world, uint32_t draw) const {
    return world.seed + (uint64_t{1} + seed) * 1000003 + uint64_t{draw} * 7919;
  }
};

/// Plays chat models for dialogues of the world: it knows the truth of the case that a prompt names.
class Player {
 public:
  Player(WorldSettings world, Profile profile) : world_(std::move(world)), profile_(std::move(profile)) {}

  /// Uniform in [0, 1): a function of the question, the draw and this number.
  using Uniform = std::function<double(uint32_t number)>;

  /// Throws std::runtime_error if the dialogue that is shown is not that of the case, as when the world is another.
  std::string answer(const ParsedPrompt& asked, uint32_t draw, const Uniform& uniform) const;

 private:
  std::string filter(const ParsedPrompt& asked) const;
  std::string completion(const ParsedPrompt& asked, const Truth& truth, uint32_t draw) const;
  std::string verdict(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const;
  std::string preference(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const;
  empathy::Preference better(const ParsedPrompt& asked, const Truth& truth) const;
  std::string contradiction(const ParsedPrompt& asked, const Truth& truth) const;
  std::string persona(const Truth& truth, const Uniform& uniform) const;
  std::string rewritten(const ParsedPrompt& asked, const Uniform& uniform) const;

  WorldSettings world_;
  Profile profile_;
};

/// What is said, in other words: sentences of the grammar become others of the same label, markers and tails those of
/// `style`. What the grammar does not know stays as it is.
std::string paraphrased(const WorldTurn& line, Style style, const Lexicon& words, const Player::Uniform& uniform);

/// Plays the supporter: one of the world's writers, who knows the truth of the case. Nobody tells it the case; it is
/// found by what the seeker has said.
class Support {
 public:
  /// Knows dialogues 0 ... count - 1 of a split. Keeps `world` and `profile`.
  Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count);

  /// A completion, steps and reply, for the dialogue so far; nothing if no known dialogue began and went on like this.
  /// Of several that did, the first is answered.
  std::optional<std::string> answer(const std::vector<WorldTurn>& lines, uint32_t draw) const;

 private:
  std::optional<std::string> answer_as(uint32_t index, const std::vector<WorldTurn>& lines, uint32_t draw) const;

  const WorldSettings& world_;
  const Profile& profile_;
  std::string split_;
  std::multimap<std::string, uint32_t> known_;  // by the first utterance
};

}  // namespace compeer::esc_world
