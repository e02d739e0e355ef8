#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::rollout {

/// One call of Engine::generate: the scheduler of continuous batching. It decides which prompts wait, which are read
/// (computed into the KV cache) and which completions are decoded in each forward pass. A completion being decoded
/// occupies a slot; there are `Sampling::concurrent` of them. Keeps references to all arguments.
class Generation {
 public:
  Generation(Policy& policy, Pages& pages, const PromptSource& source, const Request& request, const Sink& sink);
  /// Returns when the source has ended and all completions were delivered.
  void run();

 private:
  // The part of a prompt that its completions share.
  struct PromptInfo {
    size_t order;                        // position among the prompts of the source
    uint32_t index;                      // Prompt::index
    CachedSequence* target;              // Prompt::context: receives the prompt and its first completion; may be null
    int64_t limit;                       // maximum number of tokens of a completion
    std::shared_ptr<const Request> own;  // Prompt::request
    const Request* request;              // settings of its completions: `own`, or the call's
  };
  // A prompt that is being read, in chunks, or has completions that wait for free slots.
  struct PromptInProgress {
    PromptInfo info;
    CachedSequence conversation;  // the context and the prompt, as far as read
    int64_t started;              // number of completions started so far
    bool served;                  // started a completion, or was partly read, in this pass

    // Returns the number of completions that wait for a slot.
    int64_t missing() const { return info.request->group_size - started; }
  };
  // A completion being decoded.
  struct Sequence {
    PromptInfo info;
    uint32_t completion;          // index of the completion within its group
    CachedSequence conversation;  // prompt, sampled tokens and draft tokens
    CompletionRules rules;
    std::vector<int32_t> seen;    // distinct tokens so far; only with repetition_penalty
    std::vector<bool> marked;     // [vocabulary]: true for tokens in `seen`
    Sample sample;                // the tokens sampled so far
    bool done;                    // the completion has ended and is to be delivered
    std::vector<int32_t> drafts;  // draft tokens, at the end of `conversation`
  };
  // Active sequences [first, end): their next tokens are sampled from row `row`. A single sequence may have draft
  // tokens; their rows follow.
  struct SampleGroup {
    size_t row, first, end;
  };

  // Takes prompts from the source as long as there are slots for their completions.
  void admit();
  // Checks a prompt and puts it in progress.
  std::unique_ptr<PromptInProgress> group_of(Prompt prompt);
  // Runs the model once: the last token and the draft tokens of every active sequence, then chunks of prompts. Samples
  // the next tokens and starts completions of prompts that were read.
  void forward();
  // Adds all active sequences to the pass, with draft tokens if there are few.
  std::vector<SampleGroup> add_active();
  // Appends at most `most` draft tokens to a sequence.
  void propose_drafts(Sequence& sequence, int64_t most) const;
  // Adds the last `count` tokens to the n-gram draft model.
  void record_tokens(const CachedSequence& conversation, size_t count);
  // Returns how many completions of each prompt in `groups_` start now.
  std::vector<int64_t> shares() const;
  // The same with a limit of active completions per prompt: adds to `starting`, which has an entry per prompt.
  void assign_slots_fairly(std::vector<int64_t>& starting) const;
  // Starts `count` completions of a prompt that was read: appends them to `active_`.
  void start(PromptInProgress& group, int64_t count);

  // Samples the next token of each sequence of `sample_groups` and, while they equal its draft tokens, the following
  // ones. `states`: hidden states, by SampleGroup::row. Returns the number of tokens sampled.
  int64_t draw(const std::vector<const float*>& states, std::vector<SampleGroup> sample_groups);
  // The same on the model's device, one token per sequence, if no sequence needs its logits on the host.
  bool can_sample_on_device() const;
  void sample_on_device(const std::vector<const float*>& states, const std::vector<SampleGroup>& sample_groups);
  // Returns the random-number key of a sequence's next token.
  TokenDraw token_draw(const Sequence& sequence) const;
  // Samples one token from a row of logits [vocabulary].
  SampledToken drawn(Sampler& sampler, const Sequence& sequence, float* logits) const;
  // Appends a sampled token to Sequence::sample and sets `done` if the completion has ended.
  void accept(Sequence& sequence, const SampledToken& token);
  // Replaces the draft tokens of the conversation by the `sampled` tokens that were sampled. `state`: hidden state that
  // the last of them was sampled from.
  void commit(Sequence& sequence, size_t sampled, const float* state);
  // Adds a token to `seen`, for the repetition penalty.
  void see(Sequence& sequence, int32_t id) const;
  // Passes completions that are done to the sink and removes them from `active_`.
  void deliver_finished();

  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const Sink& sink_;
  const ModelShape shape_;
  const int64_t slots_;  // maximum number of sequences decoded at once
  // Speculative decoding. Off with libtorch, where results depend on the other rows of a pass, and with attention
  // windows, where freed pages can't be restored.
  const bool speculates_;
  Pass pass_;
  std::vector<Sampler> samplers_;                         // one per thread
  std::deque<std::unique_ptr<PromptInProgress>> groups_;  // in the order in which they get slots
  std::vector<std::unique_ptr<Sequence>> active_;         // completions being decoded
  size_t prompts_ = 0;                                    // number of prompts taken from the source
  bool ended_ = false;                                    // the source has no more prompts
};

}  // namespace compeer::rollout
