#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

// The scheduler of continuous batching. It fills each forward pass with one token (plus draft tokens) of every active
// completion and with chunks of prompts that are still being read into the KV cache (prefill), and starts the
// completions of a prompt, its group, as slots become free. A slot is the right to decode one sequence; there are
// `sampling.concurrent` slots.

namespace compeer::rollout {

/// One call of Engine::generate. Not thread-safe.
class Generation {
 public:
  /// The arguments are those of Engine::generate, and the engine's model and KV-cache pages. Keeps references to all.
  Generation(Policy& policy, Pages& pages, const PromptSource& source, const Request& request, const Sink& sink);
  /// Runs the whole call. Returns when the source has ended and all completions were passed to the sink.
  void run();

 private:
  // Properties of a prompt that its completions share.
  struct PromptInfo {
    size_t order;            // number of the prompt in the source, counted from 0
    uint32_t index;          // Prompt::index: key of its random numbers, name in error messages
    CachedSequence* target;  // Prompt::context: receives prompt and first completion; null: no such sequence
    int64_t limit;           // most tokens of a completion
    std::shared_ptr<const Request> own;  // Prompt::request: settings of this prompt only; null: the call's
    const Request* request;              // settings of its completions: those of `own`, or the call's; never null
  };
  // A prompt that is being read into the KV cache, in chunks, or has completions that wait for free slots.
  struct PromptInProgress {
    PromptInfo info;
    CachedSequence conversation;  // the context that the prompt continues, then the prompt
    int64_t started;              // completions started so far
    bool served;                  // in this pass a completion started, or a chunk was read and more are left; with
                                  // max_active_per_prompt the prompt then moves to the end of the queue

    // Returns the number of completions that have not started.
    int64_t missing() const { return info.request->group_size - started; }
  };
  // A completion that is being decoded: an active sequence.
  struct Sequence {
    PromptInfo info;
    uint32_t completion;          // number among the completions of the prompt, 0 ... group_size - 1
    CachedSequence conversation;  // context, prompt, sampled tokens and draft tokens
    CompletionRules rules;        // callbacks of this completion
    std::vector<int32_t> seen;    // distinct tokens so far, prompt included; only with a repetition penalty
    std::vector<bool> marked;     // [vocabulary]: true for tokens in `seen`; empty without a repetition penalty
    Sample sample;                // the result so far
    bool done;                    // ended, not yet passed to the sink
    std::vector<int32_t> drafts;  // draft tokens of this pass, also at the end of `conversation`
  };
  // Active sequences [first, end) (indices into `active_`) that share one hidden state for their next token: one
  // decoded sequence, or the completions of a prompt that start in this pass. `row`: index of that hidden state in the
  // argument `states` of the functions below. If a decoded sequence has draft tokens, their hidden states follow it.
  struct SampleGroup {
    size_t row, first, end;
  };

  // Takes prompts from the source while slots are left for their completions.
  void admit();
  // Checks a prompt and prepares it for reading. Throws Error (exit code 4: empty, too long or invalid ids).
  std::unique_ptr<PromptInProgress> new_group(Prompt prompt);
  // Runs one forward pass and samples the next tokens: of active sequences and of completions that start now.
  void forward();
  // Proposes draft tokens for each active sequence and adds it to the pass, one row per token. Returns one group for
  // each sequence.
  std::vector<SampleGroup> add_active();
  // Appends up to `most` draft tokens to a sequence.
  void propose_drafts(Sequence& sequence, int64_t most) const;
  // Adds the last `count` tokens of `conversation` to the n-gram draft model; does nothing without speculative
  // decoding.
  void record_tokens(const CachedSequence& conversation, size_t count);
  // Returns, for each prompt of `groups_`, how many of its completions start in this pass.
  std::vector<int64_t> completions_to_start() const;
  // Computes that for `max_active_per_prompt` > 0. `starting`: all zeros, one element per prompt of `groups_`.
  void assign_slots_fairly(std::vector<int64_t>& starting) const;
  // Makes the next `count` completions of a prompt active.
  void start(PromptInProgress& group, int64_t count);

  // Sampling. `states`: hidden states [hidden] of this pass that tokens are sampled from, in the order of their rows.

  // True if tokens can be sampled on the model's device, without copying logits to the host.
  bool can_sample_on_device() const;
  // Samples the next token of each active sequence on the model's device.
  void sample_on_device(const std::vector<const float*>& states, const std::vector<SampleGroup>& sample_groups);
  // Samples the next token of each active sequence and, as long as the tokens equal its draft tokens, the ones after
  // it. Returns the number of tokens sampled.
  int64_t sample_next(const std::vector<const float*>& states, std::vector<SampleGroup> sample_groups);
  // Returns the key of the random number of a sequence's next token.
  TokenDraw token_draw(const Sequence& sequence) const;
  // Samples the next token of a sequence from `logits` [vocabulary], after its logits callback. Called on any thread.
  SampledToken sample_token(Sampler& sampler, const Sequence& sequence, float* logits) const;
  // Appends a token to `sequence.sample` and decides whether the completion ends. Throws Error (exit code 4) for
  // non-finite logits, unless `isolate_nonfinite`.
  void accept(Sequence& sequence, const SampledToken& token);
  // Replaces the draft tokens in `sequence.conversation` by the `sampled` tokens that this pass gave. `state`: hidden
  // state [hidden] that the last of these was sampled from.
  void commit(Sequence& sequence, size_t sampled, const float* state);
  // Adds a token to `sequence.seen`.
  void mark_seen(Sequence& sequence, int32_t id) const;

  // Passes the completions that ended to the sink and frees their slots.
  void deliver_finished();

  // Arguments of the constructor.
  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const Sink& sink_;
  const ModelShape shape_;
  const int64_t slots_;  // most sequences decoded at once
  // Speculative decoding is on. Off with libtorch, where results depend on the other rows of a pass, and with
  // sliding-window attention, where freed pages can't be restored.
  const bool speculates_;
  Pass pass_;                                             // the forward pass being filled
  std::vector<Sampler> samplers_;                         // one per thread
  std::deque<std::unique_ptr<PromptInProgress>> groups_;  // prompts with completions that have not started, in order
  std::vector<std::unique_ptr<Sequence>> active_;         // completions being decoded, at most `slots_`
  size_t prompts_ = 0;                                    // number of prompts taken from the source
  bool ended_ = false;                                    // the source has no more prompts
};

}  // namespace compeer::rollout
