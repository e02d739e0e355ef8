#include "rollout/generation.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/workers.h"
#include "rollout/check.h"

namespace compeer::rollout {

Generation::Generation(Policy& policy, Pages& pages, const PromptSource& source, const Request& request,
                       const Sink& sink)
    : policy_(policy),
      pages_(pages),
      source_(source),
      request_(request),
      sink_(sink),
      shape_(policy.model.shape()),
      places_(std::max<int64_t>(1, request.sampling.concurrent)),
      pass_(policy, pages),
      samplers_(static_cast<size_t>(kernels::threads()), Sampler(request.sampling, shape_.vocabulary)) {}

void Generation::run() {
  for (;;) {
    admit();
    if (groups_.empty() && active_.empty()) return;
    forward();
    deliver_finished();
    request_.progress();
  }
}

// Prompts are taken from the source only as far as there will be places for their completions.
void Generation::admit() {
  int64_t spoken_for = static_cast<int64_t>(active_.size());
  for (const auto& group : groups_) spoken_for += group->missing();
  while (!ended_ && spoken_for < places_) {
    Prompt prompt;
    const Supply supply = source_(prompt, spoken_for == 0);
    ended_ = supply == Supply::end;
    if (supply != Supply::prompt) return;
    groups_.push_back(group_of(std::move(prompt)));
    spoken_for += groups_.back()->missing();
  }
}

std::unique_ptr<Generation::PromptInProgress> Generation::group_of(Prompt prompt) {
  const Request& request = prompt.request ? *prompt.request : request_;
  const int64_t length = check(prompt, shape_, 1);
  auto conversation = prompt.after ? *prompt.after : CachedSequence(pages_);
  conversation.append(prompt.tokens, std::move(prompt.vision));
  const int64_t limit = std::min(request.sampling.max_new_tokens, shape_.positions - length);
  Ticket ticket{prompts_++, prompt.index, prompt.after, limit, std::move(prompt.request), &request};
  return std::make_unique<PromptInProgress>(PromptInProgress{std::move(ticket), std::move(conversation), 0});
}

// One token of every active sequence, and portions of the prompts beside them; then what comes next is drawn.
void Generation::forward() {
  std::vector<const float*> heads;  // hidden states that logits are needed of
  std::vector<size_t> first;        // of the sequences that are drawn from each
  for (const auto& sequence : active_) pass_.add(sequence->conversation, 1);
  std::vector<CachedSequence*> waiting;
  for (const auto& group : groups_) waiting.push_back(&group->conversation);
  const auto portions = pass_.add(waiting);
  const auto hidden = pass_.rows() > 0 ? pass_.run_for_last() : at::Tensor();
  for (size_t i = 0; i < active_.size(); ++i) {
    heads.push_back(row_of(hidden, static_cast<int64_t>(i)));
    first.push_back(i);
  }
  for (size_t i = 0; i < portions.size(); ++i) {
    const float* last = row_of(hidden, static_cast<int64_t>(active_.size() + i));
    waiting[portions[i].which]->last().assign(last, last + shape_.hidden);
  }
  for (const auto& group : groups_) {
    if (group->conversation.unread() > 0 || active_.size() >= static_cast<size_t>(places_)) break;
    heads.push_back(group->conversation.last().data());
    first.push_back(active_.size());
    start(*group);
  }
  if (!heads.empty()) draw(heads, first);
  std::erase_if(groups_, [](const auto& group) { return group->missing() == 0; });
}

// As many completions of a prompt as there are places for.
void Generation::start(PromptInProgress& group) {
  const Request& request = *group.ticket.request;
  if (group.started == 0 && group.ticket.home) *group.ticket.home = group.conversation;
  while (group.missing() > 0 && static_cast<int64_t>(active_.size()) < places_) {
    const auto completion = static_cast<uint32_t>(group.started++);
    auto sequence =
        std::make_unique<Sequence>(Sequence{group.ticket, completion, group.conversation, {}, {}, {}, {}, false});
    if (request.rules) sequence->rules = request.rules(completion);
    if (request.sampling.needs_seen()) {
      sequence->marked.resize(static_cast<size_t>(shape_.vocabulary));
      for (const int32_t id : sequence->conversation.tokens()) see(*sequence, id);
    }
    active_.push_back(std::move(sequence));
  }
}

void Generation::see(Sequence& sequence, int32_t id) const {
  if (sequence.marked[static_cast<size_t>(id)]) return;
  sequence.marked[static_cast<size_t>(id)] = true;
  sequence.seen.push_back(id);
}

void Generation::draw(const std::vector<const float*>& heads, std::vector<size_t> first) {
  const auto logits = policy_.arithmetic.logits(stacked(heads, shape_.hidden), policy_.head);
  auto* rows = static_cast<float*>(logits.mutable_data_ptr());
  std::vector<SampledToken> tokens(active_.size());
  first.push_back(active_.size());
  const auto threads = static_cast<int64_t>(samplers_.size());
  const auto work = [&](int64_t thread) {
    for (auto row = static_cast<size_t>(thread); row < heads.size(); row += samplers_.size()) {
      for (size_t i = first[row]; i < first[row + 1]; ++i) {
        tokens[i] = drawn(samplers_[static_cast<size_t>(thread)], *active_[i],
                          rows + static_cast<int64_t>(row) * shape_.vocabulary);
      }
    }
  };
  kernels::share(threads, work);
  for (size_t i = 0; i < active_.size(); ++i) accept(*active_[i], tokens[i]);
}

SampledToken Generation::drawn(Sampler& sampler, const Sequence& sequence, float* logits) const {
  const Ticket& ticket = sequence.ticket;
  const TokenDraw place{ticket.request->seed, request_.step, ticket.index, sequence.completion,
                        static_cast<uint32_t>(sequence.sample.tokens.size())};
  std::vector<float> own;  // other completions of the prompt may be drawn from the same row
  if (sequence.rules.logits) {
    own.assign(logits, logits + shape_.vocabulary);
    sequence.rules.logits(own);
    logits = own.data();
  }
  sampler.use(ticket.request->sampling);
  return sampler.sample(logits, sequence.seen, place);
}

void Generation::accept(Sequence& sequence, const SampledToken& token) {
  if (!std::isfinite(token.log_prob)) throw not_finite(sequence.ticket.index);
  Sample& sample = sequence.sample;
  sample.tokens.push_back(token.id);
  sample.log_probs.push_back(token.log_prob);
  sample.entropies.push_back(token.entropy);
  sequence.conversation.append({&token.id, 1});
  const Request& request = *sequence.ticket.request;
  if (request.sampling.needs_seen()) see(sequence, token.id);
  const auto& ends = request.end_tokens;
  const auto& stop = sequence.rules.stop;
  sample.finished = std::find(ends.begin(), ends.end(), token.id) != ends.end() || (stop && stop(token.id));
  sequence.done = sample.finished || static_cast<int64_t>(sample.tokens.size()) >= sequence.ticket.limit;
}

void Generation::deliver_finished() {
  for (auto& sequence : active_) {
    if (!sequence->done) continue;
    if (sequence->ticket.home && sequence->completion == 0) *sequence->ticket.home = std::move(sequence->conversation);
    sink_(sequence->ticket.order, sequence->completion, std::move(sequence->sample));
  }
  std::erase_if(active_, [](const auto& sequence) { return sequence->done; });
}

}  // namespace compeer::rollout
