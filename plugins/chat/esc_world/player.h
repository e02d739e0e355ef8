#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "empathy/judgement.h"

namespace compeer::esc_world {

/// Error rates and other parameters of the scripted chat models.
struct Profile {
  Writer writer;                   ///< the writer of completions and its error rates
  uint32_t seed = 0;               ///< players with different seeds write differently and make different errors
  double annotator_noise = 0.1;    ///< probability that a step verdict is flipped, or a preference is drawn at random
  double first_bias = 0.05;        ///< probability that the first reply is preferred regardless of its quality
  double tie = 0.07;               ///< replies whose qualities differ by at most this are equally good
  double poor = 0.3;               ///< if no reply is better than this, neither is acceptable
  double persona_noise = 0.1;      ///< probability that a persona is drawn at random
  double emotion_scale = 20;       ///< SAGE: points between the worst reply and the best
  double emotion_rest = 0.5;       ///< SAGE: the felt quality that does not change the points
  double judge_noise = 0.1;        ///< probability that a score is one too high or too low
  Style drift = Style::influence;  ///< style of a rewriter without a persona

  /// Returns a seed that differs from the world's, so that new completions differ from the replies in the data set.
  uint64_t seed_of(const WorldSettings& world, uint32_t draw) const {
    return world.seed + (uint64_t{1} + seed) * 1000003 + uint64_t{draw} * 7919;
  }
};

/// Plays chat models for dialogues of the world. Determines the truth of the case whose id the prompt contains.
class Player {
 public:
  Player(WorldSettings world, Profile profile) : world_(std::move(world)), profile_(std::move(profile)) {}

  /// Returns a number in [0, 1) that depends on the question, the draw and `number`.
  using Uniform = std::function<double(uint32_t number)>;

  /// Returns the answer to a prompt. Throws std::runtime_error if the dialogue in the prompt is not that of the case,
  /// for example because the world settings differ.
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

/// Returns a line in other words: sentences of the grammar become others with the same label; markers and tails become
/// those of `style`. Text that the grammar can't parse is unchanged.
std::string paraphrased(const WorldTurn& line, Style style, const Lexicon& words, const Player::Uniform& uniform);

/// Plays the supporter as one of the world's writers, who knows the truth of the case. Prompts for supporters contain
/// no id; the case is found by the seeker's utterances.
class Support {
 public:
  /// Knows dialogues 0 ... count - 1 of a split. Keeps references to `world` and `profile`.
  Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count);

  /// Returns a completion (steps and reply) for the dialogue so far, from the first known dialogue that agrees with it.
  /// Empty if there is none.
  std::optional<std::string> answer(const std::vector<WorldTurn>& lines, uint32_t draw) const;

 private:
  std::optional<std::string> answer_as(uint32_t index, const std::vector<WorldTurn>& lines, uint32_t draw) const;

  const WorldSettings& world_;
  const Profile& profile_;
  std::string split_;
  std::multimap<std::string, uint32_t> known_;  // by the first utterance
};

}  // namespace compeer::esc_world
