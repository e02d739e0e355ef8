#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chat/esc_world/parsed_prompt.h"
#include "empathy/judgement.h"

// Scripted chat models of the chat plugin `esc_world`, which take the place of language models in tests and trials.
// They answer prompts about dialogues of a generated world. The true state of the seeker is known for each dialogue, so
// that the models can be right, or wrong at a given rate. A completion is three reasoning steps and a reply.

namespace compeer::esc_world {

/// Error rates and other parameters of the scripted chat models.
struct Profile {
  Writer writer;                   ///< the writer of completions and its error rates
  uint32_t seed = 0;               ///< models with different seeds write differently and make different errors
  double annotator_noise = 0.1;    ///< probability that a step verdict is flipped, or a preference is drawn at random
  double first_bias = 0.05;        ///< probability that the first reply is preferred regardless of its quality
  double tie = 0.07;               ///< replies whose qualities differ by at most this are equally good
  double poor = 0.3;               ///< if no reply is better than this, neither is acceptable
  double persona_noise = 0.1;      ///< probability that a persona is drawn at random
  double emotion_scale = 20;       ///< SAGE: points between the worst reply and the best
  double emotion_rest = 0.5;       ///< SAGE: the felt quality that does not change the points
  double judge_noise = 0.1;        ///< probability that a score is one too high or too low
  Style drift = Style::influence;  ///< style of a rewriter without a persona

  /// Returns a seed for completions that differs from the world's, so that new completions differ from the replies in
  /// the data set. `sample_index`: different values give different completions for the same prompt.
  uint64_t seed_of(const WorldSettings& world, uint32_t sample_index) const {
    return world.seed + (uint64_t{1} + seed) * 1000003 + uint64_t{sample_index} * 7919;
  }
};

/// Answers prompts that contain the id of a dialogue: as annotator, writer, filter, persona reader, rewriter, seeker or
/// judge. Determines the truth from the id.
class Player {
 public:
  Player(WorldSettings world, Profile profile) : world_(std::move(world)), profile_(std::move(profile)) {}

  /// A source of random numbers for one answer: returns the number in [0, 1) with the index `number`. It depends only
  /// on the prompt, the sample index and `number`.
  using Uniform = std::function<double(uint32_t number)>;

  /// Returns the answer to the prompt `asked`. `sample_index`: different values give different completions. Throws
  /// std::runtime_error if the dialogue in the prompt is not the one with its id, for example because the world
  /// settings differ.
  std::string answer(const ParsedPrompt& asked, uint32_t sample_index, const Uniform& uniform) const;

 private:
  // The answers to each kind of task. `truth`: the seeker's true state in the round.

  // "keep", or the reason why the dialogue is not suitable for training.
  std::string filter(const ParsedPrompt& asked) const;
  // Steps and reply by the writer of the profile.
  std::string completion(const ParsedPrompt& asked, const Truth& truth, uint32_t sample_index) const;
  // "True" or "False": is the step right?
  std::string verdict(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const;
  // "first", "second", "both good" or "neither": the better reply, with random errors; `better` makes no errors.
  std::string preference(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const;
  empathy::Preference better(const ParsedPrompt& asked, const Truth& truth) const;
  // "yes" or "no": do the judge's verdicts in the prompt contradict each other?
  std::string contradiction(const ParsedPrompt& asked, const Truth& truth) const;
  // The seeker's DISC traits.
  std::string persona(const Truth& truth, const Uniform& uniform) const;
  // All lines of the dialogue in other words, numbered.
  std::string rewritten(const ParsedPrompt& asked, const Uniform& uniform) const;

  WorldSettings world_;
  Profile profile_;
};

/// Returns a line of a dialogue in other words: sentences of the world's grammar become others with the same meaning,
/// and phrases that reveal a style become those of `style`. `words`: the phrases of the grammar. Text that the grammar
/// can't parse is unchanged.
std::string paraphrased(const WorldTurn& line, Style style, const Lexicon& words, const Player::Uniform& uniform);

/// Plays the supporter in a conversation, as one of the world's writers. Prompts for supporters contain no id, so the
/// dialogue is found by the seeker's utterances.
class Support {
 public:
  /// Can answer in the dialogues 0 ... count - 1 of `split`. Keeps references to `world` and `profile`.
  Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count);

  /// Returns a completion for the dialogue so far. `lines`: its turns, which alternate and start and end with the
  /// seeker. Uses the first dialogue of the split with the same utterances of the seeker; returns nullopt if there is
  /// none.
  std::optional<std::string> answer(const std::vector<WorldTurn>& lines, uint32_t sample_index) const;

 private:
  // Returns a completion for `lines` as a part of dialogue `index`; nullopt if the utterances differ.
  std::optional<std::string> answer_as(uint32_t index, const std::vector<WorldTurn>& lines,
                                       uint32_t sample_index) const;

  const WorldSettings& world_;
  const Profile& profile_;
  std::string split_;
  std::multimap<std::string, uint32_t> known_;  // indices of the dialogues by the seeker's first utterance
};

}  // namespace compeer::esc_world
