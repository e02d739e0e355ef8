#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::rollout {

/// One call of Engine::generate: the scheduler of continuous batching. It decides which prompts wait, which are read
/// and which completions are decoded in each forward pass. Keeps references to all arguments.
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
    CachedSequence* target;              // Prompt::context
    int64_t limit;                       // most tokens of a completion
    std::shared_ptr<const Request> own;  // Prompt::request
    const Request* request;              // settings of its completions: `own`, or the call's
  };
  // A prompt that is being read, in chunks, or has completions that wait for free slots.
  struct PromptInProgress {
    PromptInfo info;
    CachedSequence conversation;
    int64_t started;  // completions started so far
    bool served;      // started a completion, or was partly read, in this pass

    int64_t missing() const { return info.request->group_size - started; }
  };
  // A completion being decoded.
  struct Sequence {
    PromptInfo info;
    uint32_t completion;
    CachedSequence conversation;  // prompt, sampled tokens and draft tokens
    CompletionRules rules;
    std::vector<int32_t> seen;  // distinct tokens so far; only with repetition_penalty
    std::vector<bool> marked;   // [vocabulary]: true for tokens in `seen`
    Sample sample;
    bool done;
    std::vector<int32_t> drafts;  // draft tokens, at the end of `conversation`
  };
  // Active sequences [first, end): their next tokens are sampled from row `row`. A single sequence may have draft
  // tokens; their rows follow.
  struct SampleGroup {
    size_t row, first, end;
  };

  void admit();
  std::unique_ptr<PromptInProgress> group_of(Prompt prompt);
  void forward();
  std::vector<SampleGroup> add_active();
  void propose_drafts(Sequence& sequence, int64_t most) const;
  void record_tokens(const CachedSequence& conversation, size_t count);
  std::vector<int64_t> shares() const;
  void assign_slots_fairly(std::vector<int64_t>& starting) const;
  void start(PromptInProgress& group, int64_t count);
  bool can_sample_on_device() const;
  void sample_on_device(const std::vector<const float*>& heads, const std::vector<SampleGroup>& turns);
  int64_t draw(const std::vector<const float*>& heads, std::vector<SampleGroup> turns);
  TokenDraw token_draw(const Sequence& sequence) const;
  SampledToken drawn(Sampler& sampler, const Sequence& sequence, float* logits) const;
  void accept(Sequence& sequence, const SampledToken& token);
  void commit(Sequence& sequence, size_t said, const float* state);
  void see(Sequence& sequence, int32_t id) const;
  void deliver_finished();

  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const Sink& sink_;
  const ModelShape shape_;
  const int64_t places_;  // most sequences decoded at once
  // Speculative decoding. Off with libtorch, where results depend on the other rows of a pass, and with attention
  // windows, where freed pages can't be restored.
  const bool speculates_;
  Pass pass_;
  std::vector<Sampler> samplers_;  // one per thread
  std::deque<std::unique_ptr<PromptInProgress>> groups_;
  std::vector<std::unique_ptr<Sequence>> active_;
  size_t prompts_ = 0;  // taken from the source
  bool ended_ = false;  // the source has no more prompts
};

}  // namespace compeer::rollout
