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

/// A token sequence to be completed, scored or read.
struct Prompt {
  uint32_t index = 0;  ///< number of the prompt within the step, over all ranks; a key of its random numbers, and its
                       ///< name in error messages
  std::vector<int32_t> tokens;
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of the images among `tokens`; null: no images
  /// The sequence that the prompt continues; null: none. `generate` appends the prompt and its first completion to it,
  /// `read` the prompt; `score` does not change it. Must outlive the call.
  CachedSequence* context = nullptr;
  int32_t adapter = 0;  ///< LoRA adapter to use (`Segment::adapter`); ignored if `context` is set, which has its own
  /// `generate` only: settings that replace the call's for this prompt, all but `concurrent`, `max_active_per_prompt`,
  /// `step` and `progress`; null: the call's settings.
  std::shared_ptr<const Request> request = nullptr;
};

/// One completion.
struct Sample {
  std::vector<int32_t> tokens;  ///< includes the end token
  /// Per token: natural-log probability, and entropy in nats, of the distribution at the request's temperature, before
  /// filters and penalty.
  std::vector<float> log_probs, entropies;
  bool finished = false;   ///< ended by an end token or a stop rule; false if cut off at the length limit
  bool nonfinite = false;  ///< the model computed non-finite logits for the last token, which is meaningless
};

/// Callbacks for one completion. Each may be null.
struct CompletionRules {
  /// Called with each token in order, except end tokens; returns true to end the completion (stop strings,
  /// interruptions).
  std::function<bool(int32_t id)> stop = nullptr;
  /// Called with the logits [vocabulary] of each next token, which it may modify. Called on any thread.
  std::function<void(std::span<float> logits)> logits = nullptr;
};

/// Settings of a call of `Engine::generate` or `Engine::score`, or of one prompt (`Prompt::request`).
struct Request {
  Sampling sampling;
  int64_t group_size = 1;           ///< completions per prompt
  std::vector<int32_t> end_tokens;  ///< any of them ends a completion
  uint64_t seed = 0;                ///< key of the random numbers, as `step` is
  uint32_t step = 0;
  bool isolate_nonfinite =
      false;  ///< non-finite logits end only their completion (`Sample::nonfinite`); false: Error (exit 4)
  std::function<void()> progress = [] {};  ///< called after each forward pass; may throw to cancel the call
  /// Returns the callbacks of one completion (0 ... group_size - 1) of a prompt; null: none.
  std::function<CompletionRules(uint32_t completion)> rules = nullptr;
  /// Most completions of one prompt that are decoded at once; 0: no limit, and prompts are completed in order. With a
  /// limit, a free slot goes to the prompt with the fewest active completions, and prompts take turns at being read.
  int64_t max_active_per_prompt = 0;
};

/// Result of a PromptSource. `prompt`: the next prompt was filled in; `later`: none is available yet; `end`: there are
/// no more.
enum class Supply { prompt, later, end };
/// Supplies prompts: fills in `next`. If `wait` is true, it must block until a prompt is available or there are no
/// more, and must not return `later`.
using PromptSource = std::function<Supply(Prompt& next, bool wait)>;
/// Supplies `prompts`, which must outlive the result, in order.
PromptSource in_order(const std::vector<Prompt>& prompts);
/// Receives each completion when it ends. `prompt` is the position of the prompt in the source.
using Sink = std::function<void(size_t prompt, uint32_t completion, Sample sample)>;

/// A position of a sequence at which a token is to be sampled, and the key of its random number.
struct SamplePosition {
  int64_t at = 0;  ///< position of the sampled token: it follows the first `at` tokens
  TokenDraw draw;
};

/// A speculative continuation of a sequence: given tokens, followed by draft tokens to be verified.
struct DraftTokens {
  CachedSequence* context = nullptr;  ///< the sequence; `tokens` are appended to it
  std::vector<int32_t> tokens;
  /// Positions at which to sample, ascending: from the number of tokens that were read before up to the position after
  /// the last token.
  std::vector<SamplePosition> positions;
};

/// The token sampled at one position, given all tokens before it.
struct NextToken {
  SampledToken token;
  std::vector<float> state;  ///< hidden state [hidden] that it was sampled from, for `CachedSequence::truncate`
};

/// Receives the log-probabilities of one text. `text` is its position in the source.
using ScoreSink = std::function<void(size_t text, std::vector<float> log_probs)>;

/// Generates and scores with one model, using a paged KV cache.
///
/// Continuous batching: up to `concurrent` sequences are decoded at once, one token each per forward pass plus draft
/// tokens. When one ends, the next takes its place, and prompts are read in chunks within the same passes. A prompt is
/// computed once; its completions share its pages. Memory is bounded by the sequences in progress.
///
/// With the exact kernels, log-probabilities are bitwise identical to those of a training forward pass over the same
/// tokens, and a completion does not depend on what else is decoded with it.
///
/// Local. Keeps a reference to the policy. Not thread-safe.
class Engine {
 public:
  explicit Engine(Policy& policy);

  /// Samples `group_size` completions of each prompt and passes each to `sink` when it ends, in any order. Throws Error
  /// (exit 4), naming the prompt, if it is empty, has ids outside the vocabulary or leaves no position for a token, and
  /// on non-finite logits (see `isolate_nonfinite`).
  void generate(const PromptSource& source, const Request& request, const Sink& sink);
  /// The same for a list; returns [prompts][completions].
  std::vector<std::vector<Sample>> generate(const std::vector<Prompt>& prompts, const Request& request);

  /// Passes the log-probability of each token of each text, given the tokens before it, to `sink`; the first token of a
  /// text that continues nothing is left out. Of the request only the temperature, `concurrent` (texts read at once)
  /// and `progress` apply. Never materializes [tokens, vocabulary] logits. Throws Error (exit 4) if a text is empty,
  /// too long or has ids outside the vocabulary, and on non-finite logits.
  void score(const PromptSource& source, const Request& request, const ScoreSink& sink);
  /// The same for a list; returns [texts][tokens].
  std::vector<std::vector<float>> score(const std::vector<Prompt>& texts, const Request& request = {});

  /// Returns an empty sequence for `Prompt::context`, read with LoRA adapter `adapter`. The engine must outlive it.
  CachedSequence new_sequence(int32_t adapter = 0) { return CachedSequence(pages_, adapter); }
  /// Appends each prompt to its `context`, which must be set, and computes it, without sampling.
  void read(const std::vector<Prompt>& prompts);

  /// Verifies drafts: appends and reads the tokens of all drafts, in one pass if they fit, and samples a token at each
  /// of their positions. Returns [drafts][positions]. Each is the token that `generate` would sample after the same
  /// tokens, bit for bit; where it differs from the draft token, the results after it are void. Requires
  /// repetition_penalty = 1. Throws Error (exit 4) like `score`.
  std::vector<std::vector<NextToken>> verify(const std::vector<DraftTokens>& drafts, const Sampling& sampling);

  const Pages& pages() const { return pages_; }

 private:
  Policy& policy_;
  Pages pages_;
};

/// `Engine::generate` with a temporary engine.
std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request);

/// The error that a prompt leaves too few of the model's positions.
struct TooLong : Error {
  using Error::Error;
};

/// Returns the length of the prompt including the sequence it continues. Throws Error (exit 4), naming the prompt, if
/// that is 0 or a token id is outside the vocabulary, TooLong if fewer than `room` of the model's positions are left.
int64_t checked_length(const Prompt& prompt, const ModelShape& shape, int64_t room);

/// The Error (exit 4) for non-finite logits of prompt `prompt`: the model's weights are damaged.
Error not_finite(uint32_t prompt);

}  // namespace compeer::rollout
