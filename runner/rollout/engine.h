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

// The inference engine of one rank: samples completions of prompts (rollouts) and computes log-probabilities of texts.
// A completion is a sequence of sampled tokens that continues a prompt; the completions of one prompt are its group.
// To read tokens is to compute their keys and values into the KV cache (prefill).

namespace compeer::rollout {

struct Request;

/// A token sequence to be completed (`Engine::generate`), scored (`Engine::score`) or read (`Engine::read`).
struct Prompt {
  uint32_t index = 0;  ///< number of the prompt within the training step, over all ranks; a key of its random numbers,
                       ///< and its name in error messages
  std::vector<int32_t> tokens;                             ///< without the tokens of `context`
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< features of the images among `tokens`; null: no images
  /// The sequence that the prompt continues, such as the earlier turns of a dialogue; null: none. `generate` appends
  /// the prompt and its first completion to it, `read` appends the prompt; `score` does not change it. Must outlive the
  /// call.
  CachedSequence* context = nullptr;
  int32_t adapter = 0;  ///< LoRA adapter to use (`Segment::adapter`); ignored if `context` is set, which has its own
  /// `generate` only: settings that replace the call's for this prompt, except `sampling.concurrent`,
  /// `max_active_per_prompt`, `step` and `progress`, which stay the call's; null: the call's settings.
  std::shared_ptr<const Request> request = nullptr;
};

/// One completion, as sampled.
struct Sample {
  std::vector<int32_t> tokens;  ///< sampled tokens, including the end token, without the prompt
  /// Per token of `tokens`: its natural-log probability, and the entropy in nats of its distribution, both at the
  /// request's temperature, after `CompletionRules::logits` and before repetition penalty, top-k, top-p and min-p.
  std::vector<float> log_probs, entropies;
  bool finished = false;   ///< ended by an end token or a stop rule; false if cut off at the length limit
  bool nonfinite = false;  ///< the model computed non-finite logits for the last token, which is meaningless
};

/// Callbacks for one completion, by which callers add stop strings or constrain the output. Each may be null.
struct CompletionRules {
  /// Called with the id of each sampled token in order, except end tokens. Returns true to end the completion after
  /// that token.
  std::function<bool(int32_t id)> stop = nullptr;
  /// Called before each token is sampled, with the logits [vocabulary] of that position, which it may modify in place.
  /// Called on any thread.
  std::function<void(std::span<float> logits)> logits = nullptr;
};

/// Settings of a call of `Engine::generate` or `Engine::score`, or of one prompt (`Prompt::request`).
struct Request {
  Sampling sampling;                ///< temperature, filters, length limit and number of concurrent sequences
  int64_t group_size = 1;           ///< completions per prompt
  std::vector<int32_t> end_tokens;  ///< ids of the tokens that end a completion
  uint64_t seed = 0;  ///< key of the random numbers, together with `step`, prompt, completion and position
  uint32_t step = 0;  ///< number of the training step, or another counter of the caller
  /// True: non-finite logits end only their completion, with `Sample::nonfinite`. False: they make the call throw Error
  /// (exit code 4: unusable data).
  bool isolate_nonfinite = false;
  std::function<void()> progress = [] {};  ///< called after each forward pass; may throw to cancel the call
  /// Returns the callbacks of completion `completion` (0 ... group_size - 1) of a prompt; called when that completion
  /// starts. Null: no callbacks.
  std::function<CompletionRules(uint32_t completion)> rules = nullptr;
  /// Most completions of one prompt that are decoded at once; 0: no limit, and prompts are completed in order. With a
  /// limit, a free slot (one of `sampling.concurrent`) goes to the prompt with the fewest active completions, and
  /// prompts take turns at being read.
  int64_t max_active_per_prompt = 0;
};

/// Result of a call of a PromptSource.
enum class Supply {
  prompt,  ///< the next prompt was filled in
  later,   ///< no prompt is available yet; ask again after the next forward pass
  end      ///< there are no more prompts
};
/// Supplies the prompts (or texts) of a call one by one, so that they need not all exist when the call begins. Assigns
/// the next prompt to `next`. If `wait` is true, it must block until a prompt is available or there are no more, and
/// must not return `later`.
using PromptSource = std::function<Supply(Prompt& next, bool wait)>;
/// Returns a source that supplies copies of `prompts` in order. `prompts` must outlive it.
PromptSource in_order(const std::vector<Prompt>& prompts);
/// Receives each completion of `Engine::generate` when it ends. `prompt` counts the prompts of the source from 0;
/// `completion` is in 0 ... group_size - 1.
using Sink = std::function<void(size_t prompt, uint32_t completion, Sample sample)>;

/// A position of a sequence at which a token is to be sampled, and the key of its random number.
struct SamplePosition {
  int64_t at = 0;  ///< position of the sampled token in the sequence: it follows the first `at` tokens
  TokenDraw draw;  ///< key of the random number
};

/// Input of `Engine::verify`: a speculative continuation of a sequence, with the positions at which to check it against
/// the model.
struct DraftTokens {
  CachedSequence* context = nullptr;  ///< the sequence to continue, not null; `tokens` are appended to it
  std::vector<int32_t> tokens;        ///< tokens that certainly follow (may be none), then draft tokens to be verified
  /// Positions at which to sample, ascending. The least possible position is the number of tokens of `context` that the
  /// KV cache holds, the largest one the length of the sequence after appending `tokens`.
  std::vector<SamplePosition> positions;
};

/// The token sampled at one SamplePosition, given all tokens before it.
struct NextToken {
  SampledToken token;        ///< id, log-probability and entropy
  std::vector<float> state;  ///< hidden state [hidden] that it was sampled from; the argument `state` of
                             ///< `CachedSequence::truncate` if tokens from this position on are dropped
};

/// Receives the log-probabilities (natural, one per scored token) of one text of `Engine::score`. `text` counts the
/// texts of the source from 0.
using ScoreSink = std::function<void(size_t text, std::vector<float> log_probs)>;

/// Generates completions and scores texts with one model, using a paged KV cache.
///
/// Continuous batching: up to `sampling.concurrent` sequences are decoded at once, one token each per forward pass plus
/// draft tokens. When one ends, the next takes its place, and prompts are read in chunks within the same passes. A
/// prompt is computed once; its completions share its pages. Memory is bounded by the sequences in progress.
///
/// With the exact kernels, log-probabilities are bitwise identical to those of a training forward pass over the same
/// tokens, and a completion does not depend on what else is decoded with it.
///
/// No communication between ranks. Not thread-safe.
class Engine {
 public:
  /// Keeps a reference to `policy`, which must outlive the engine.
  explicit Engine(Policy& policy);

  /// Samples `group_size` completions of each prompt and passes each to `sink` when it ends, in any order. Throws Error
  /// (exit code 4), naming the prompt, if it is empty, has ids outside the vocabulary or leaves no position for a
  /// token, and on non-finite logits unless `Request::isolate_nonfinite`.
  void generate(const PromptSource& source, const Request& request, const Sink& sink);
  /// The same for a list of prompts; returns [prompt][completion].
  std::vector<std::vector<Sample>> generate(const std::vector<Prompt>& prompts, const Request& request);

  /// Passes the log-probability of each token of each text, given the tokens before it, to `sink`; the first token of a
  /// sequence, which has none before it, is left out. Only three settings of `request` apply: the temperature,
  /// `sampling.concurrent` (texts read at once) and `progress`. Never materializes [tokens, vocabulary] logits. Throws
  /// Error (exit code 4) if a text is empty, too long or has ids outside the vocabulary, and on non-finite logits.
  void score(const PromptSource& source, const Request& request, const ScoreSink& sink);
  /// The same for a list of texts; returns [text][scored token].
  std::vector<std::vector<float>> score(const std::vector<Prompt>& texts, const Request& request = {});

  /// Returns an empty sequence for use as `Prompt::context`; its tokens will be read with LoRA adapter `adapter` (0:
  /// the model as opened). The engine must outlive it.
  CachedSequence new_sequence(int32_t adapter = 0) { return CachedSequence(pages_, adapter); }
  /// Appends each prompt to its `context`, which must not be null, and computes its keys and values (prefill) without
  /// sampling. Throws Error (exit code 4) like `score`, except on non-finite logits, which are not computed.
  void read(const std::vector<Prompt>& prompts);

  /// Verifies draft tokens: appends and reads the tokens of all drafts, in one forward pass if they fit, and samples a
  /// token at each of their positions. Returns [draft][position]. Each result is the token that `generate` would sample
  /// after the same tokens, bit for bit; after the first one that differs from the draft token at its position, the
  /// results of that draft are meaningless. Requires repetition_penalty = 1. Throws Error (exit code 4) like `score`.
  std::vector<std::vector<NextToken>> verify(const std::vector<DraftTokens>& drafts, const Sampling& sampling);

  /// The KV-cache pages of all sequences of this engine.
  const Pages& pages() const { return pages_; }

 private:
  Policy& policy_;
  Pages pages_;
};

/// Calls `Engine::generate` of a temporary engine; returns [prompt][completion].
std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request);

/// Thrown if a prompt leaves too few of the model's positions (maximum context length). A type of its own, so that
/// callers can shorten the prompt and try again.
struct TooLong : Error {
  using Error::Error;
};

/// Checks a prompt and returns its number of tokens, including those of the sequence that it continues. Throws Error
/// (exit code 4), naming the prompt, if that number is 0 or a token id is outside the vocabulary; throws TooLong if
/// fewer than `room` of the model's positions are left for sampled tokens.
int64_t checked_length(const Prompt& prompt, const ModelShape& shape, int64_t room);

/// Returns the Error (exit code 4) to be thrown for non-finite logits, which mean that the model's weights are damaged.
/// `prompt` is `Prompt::index`.
Error not_finite(uint32_t prompt);

}  // namespace compeer::rollout
