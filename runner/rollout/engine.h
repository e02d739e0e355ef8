#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "rollout/kv_cache.h"
#include "rollout/policy.h"
#include "rollout/sampling.h"

namespace compeer::rollout {

struct Request;

/// What is to be completed, or scored.
struct Prompt {
  uint32_t index = 0;  ///< of the group within the step, over all ranks; random numbers and messages name it
  std::vector<int32_t> tokens;
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of the pictures among `tokens`
  CachedSequence* after = nullptr;  ///< what comes before; it gets the prompt added, then its first completion
  int32_t adapter = 0;              ///< which of the model's reads it, if nothing comes before
  /// How this one is completed, if not as the others: all of it counts but `concurrent`, `most_places`, `step` and
  /// `progress`.
  std::shared_ptr<const Request> request = nullptr;
};

struct Sample {
  std::vector<int32_t> tokens;  ///< the end token included
  std::vector<float> log_probs, entropies;
  bool finished = false;  ///< by an end token or a stop rule; false if cut off at the length limit
  bool broken = false;    ///< the last token is void: the model computed numbers that are not finite
};

/// What one completion is subject to. Each may be null.
struct CompletionRules {
  /// Sees the tokens one by one, end tokens excepted, and says when it is over: stop strings, interruptions.
  std::function<bool(int32_t id)> stop = nullptr;
  /// Sees the logits [vocabulary] of each next token, which it may lower. Called by any thread.
  std::function<void(std::span<float> logits)> logits = nullptr;
};

struct Request {
  Sampling sampling;
  int64_t group_size = 1;
  std::vector<int32_t> end_tokens;
  uint64_t seed = 0;
  uint32_t step = 0;
  bool breaks_alone = false;  ///< numbers that are not finite end the completion, not all that are under way
  std::function<void()> progress = [] {};  ///< called after each forward pass; to cancel, it throws
  std::function<CompletionRules(uint32_t completion)> rules = nullptr;  ///< makes those of each completion of a prompt
  /// Completions of one prompt that may be decoded at once; 0: no limit, and prompts are completed in order. With a
  /// limit, a free place goes to the prompt that has the fewest, and prompts are read in turn.
  int64_t most_places = 0;
};

enum class Supply { prompt, later, end };
/// Where prompts come from: fills in the next one. `later` means that there is none yet; with `wait` it may not say so.
using PromptSource = std::function<Supply(Prompt& next, bool wait)>;
PromptSource in_order(const std::vector<Prompt>& prompts);
/// Where completions go, as they end: `prompt` counts the prompts of the source.
using Sink = std::function<void(size_t prompt, uint32_t completion, Sample sample)>;

/// Where a token is asked for: place `at` of a conversation, and the random number that draws it.
struct DrawAt {
  int64_t at = 0;
  TokenDraw draw;
};

/// How a conversation may go on: tokens that are given, and guesses of what generation would say behind them.
struct Guess {
  CachedSequence* after = nullptr;  ///< gets the tokens added
  std::vector<int32_t> tokens;
  std::vector<DrawAt>
      places;  ///< in order, from the first token on that was not read before to the one behind the last
};

/// What generation says at a place if all that stands before it is true.
struct NextToken {
  SampledToken token;
  std::vector<float> state;  ///< the hidden state that it is drawn from, for `CachedSequence::keep`
};

using ScoreSink = std::function<void(size_t text, std::vector<float> log_probs)>;

/// Generates and scores with one model, keeping keys and values in pages.
///
/// Batching is continuous: up to `concurrent` sequences are decoded at once, one token each per forward pass; when one
/// ends, the next takes its place, its prompt read in portions beside the others' tokens. A prompt is computed once;
/// its completions share its pages. Memory is bounded by what is in flight.
/// Log-probs are bit for bit those of a training forward pass over the same tokens, and a completion does not depend on
/// what else is decoded with it.
class Engine {
 public:
  explicit Engine(Policy& policy);

  /// group_size completions of each prompt. A prompt that is empty, has ids outside the vocabulary or leaves no room is
  /// an Error (exit 4) that names it.
  void generate(const PromptSource& source, const Request& request, const Sink& sink);
  std::vector<std::vector<Sample>> generate(const std::vector<Prompt>& prompts, const Request& request);

  /// The log-probabilities (at the request's temperature) of each text's tokens given what stands before; the first
  /// token of a text that comes after nothing has none. `after` stays as it is. Up to `concurrent` texts are read at
  /// once, and nothing of size [tokens, vocabulary] is made.
  void score(const PromptSource& source, const Request& request, const ScoreSink& sink);
  std::vector<std::vector<float>> score(const std::vector<Prompt>& texts, const Request& request = {});

  /// An empty conversation, for `Prompt::after`, which one of the model's adapters reads and answers.
  CachedSequence new_sequence(int32_t adapter = 0) { return CachedSequence(pages_, adapter); }
  /// Adds prompts to their conversations without an answer.
  void read(const std::vector<Prompt>& prompts);

  /// Reads guesses in one pass, as far as they fit, and draws the token of each place: bit for bit what `generate`
  /// says. Where it is not the one that was guessed, what follows is void. repetition_penalty must be 1.
  std::vector<std::vector<NextToken>> choose(const std::vector<Guess>& guesses, const Sampling& sampling);

  const Pages& pages() const { return pages_; }

 private:
  Policy& policy_;
  Pages pages_;
};

/// With an engine of its own.
std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request);

/// The length of a prompt with what stands before it. Throws Error (exit 4) naming the prompt if it is empty, has ids
/// outside the vocabulary, or has fewer than `room` positions behind it.
int64_t check(const Prompt& prompt, const ModelShape& shape, int64_t room);

/// A model that computes numbers which are none: its weights are damaged.
Error not_finite(uint32_t prompt);

}  // namespace compeer::rollout
