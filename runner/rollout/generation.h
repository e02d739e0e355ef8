#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::rollout {

/// One call of Engine::generate: which sequences wait, which are read, which are decoded.
class Generation {
 public:
  Generation(Policy& policy, Pages& pages, const PromptSource& source, const Request& request, const Sink& sink);
  void run();

 private:
  // What a completion needs to know of its prompt.
  struct Ticket {
    size_t order;                        // among the prompts of the source
    uint32_t index;                      // Prompt::index
    CachedSequence* home;                // Prompt::after
    int64_t limit;                       // tokens of a completion
    std::shared_ptr<const Request> own;  // Prompt::request
    const Request* request;              // that it is completed by
  };
  // A prompt on its way: read in portions, then its completions start as places become free.
  struct PromptInProgress {
    Ticket ticket;
    CachedSequence conversation;
    int64_t started;  // completions
    bool served;      // had a turn in this pass

    int64_t missing() const { return ticket.request->group_size - started; }
  };
  // A completion being decoded.
  struct Sequence {
    Ticket ticket;
    uint32_t completion;
    CachedSequence conversation;
    CompletionRules rules;
    std::vector<int32_t> seen;  // distinct tokens; only with repetition_penalty
    std::vector<bool> marked;
    Sample sample;
    bool done;
    std::vector<int32_t> guessed;  // tokens at the end of the conversation that are yet to be drawn
  };
  // Active sequences that are drawn from one row, or one sequence that is drawn from this row and those behind it.
  struct Turn {
    size_t row, first, end;
  };

  void admit();
  std::unique_ptr<PromptInProgress> group_of(Prompt prompt);
  void forward();
  std::vector<Turn> add_active();
  void guess(Sequence& sequence, int64_t most) const;
  void learn(const CachedSequence& conversation, size_t count);
  std::vector<int64_t> shares() const;
  void give_places(std::vector<int64_t>& starting) const;
  void start(PromptInProgress& group, int64_t count);
  bool drawn_there() const;
  void draw_there(const std::vector<const float*>& heads, const std::vector<Turn>& turns);
  int64_t draw(const std::vector<const float*>& heads, std::vector<Turn> turns);
  TokenDraw place_of(const Sequence& sequence) const;
  SampledToken drawn(Sampler& sampler, const Sequence& sequence, float* logits) const;
  void accept(Sequence& sequence, const SampledToken& token);
  void settle(Sequence& sequence, size_t said, const float* state);
  void see(Sequence& sequence, int32_t id) const;
  void deliver_finished();

  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const Sink& sink_;
  const ModelShape shape_;
  const int64_t places_;
  const bool guesses_;  // what comes next; not where bits depend on other rows, or pages are forgotten
  Pass pass_;
  std::vector<Sampler> samplers_;  // one for each thread
  std::deque<std::unique_ptr<PromptInProgress>> groups_;
  std::vector<std::unique_ptr<Sequence>> active_;
  size_t prompts_ = 0;
  bool ended_ = false;  // the source has no more
};

}  // namespace compeer::rollout
