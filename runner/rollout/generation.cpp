// Continuous batching: decodes active sequences with draft tokens, reads waiting prompts in the same forward passes and
// starts their completions as slots become free.
#include "rollout/generation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernels/libtorch_kernels.h"
#include "kernels/workers.h"
#include "rollout/engine.h"

namespace compeer::rollout {

Generation::Generation(Policy& policy, Pages& pages, const PromptSource& source, const Request& request,
                       const Sink& sink)
    : policy_(policy),
      pages_(pages),
      source_(source),
      request_(request),
      sink_(sink),
      shape_(policy.model.shape()),
      slots_(std::max<int64_t>(1, request.sampling.concurrent)),
      speculates_(shape_.exact && shape_.window == 0),
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

// Takes prompts from the source while slots are left after all completions of earlier prompts; with
// `max_active_per_prompt`, after the first completion of each, with at most twice as many waiting prompts as slots.
void Generation::admit() {
  const bool in_turn = request_.max_active_per_prompt > 0;
  const auto claim = [&](const PromptInProgress& group) { return in_turn ? group.started == 0 : group.missing(); };
  int64_t spoken_for = static_cast<int64_t>(active_.size());
  for (const auto& group : groups_) spoken_for += claim(*group);
  while (!ended_ && spoken_for < slots_ && (!in_turn || static_cast<int64_t>(groups_.size()) < 2 * slots_)) {
    Prompt prompt;
    const Supply supply = source_(prompt, groups_.empty() && active_.empty());
    ended_ = supply == Supply::end;
    if (supply != Supply::prompt) return;
    groups_.push_back(new_group(std::move(prompt)));
    spoken_for += claim(*groups_.back());
  }
}

std::unique_ptr<Generation::PromptInProgress> Generation::new_group(Prompt prompt) {
  const Request& request = prompt.request ? *prompt.request : request_;
  const int64_t length = checked_length(prompt, shape_, 1);
  auto conversation = prompt.context ? *prompt.context : CachedSequence(pages_, prompt.adapter);
  conversation.append(prompt.tokens, std::move(prompt.vision));
  record_tokens(conversation, prompt.tokens.size());
  const int64_t limit = std::min(request.sampling.max_new_tokens, shape_.positions - length);
  PromptInfo ticket{prompts_++, prompt.index, prompt.context, limit, std::move(prompt.request), &request};
  return std::make_unique<PromptInProgress>(PromptInProgress{std::move(ticket), std::move(conversation), 0, false});
}

// One forward pass: the last token and the draft tokens of every active sequence, then chunks of the waiting prompts.
// Samples the next tokens.
void Generation::forward() {
  const auto began = std::chrono::steady_clock::now();
  const size_t decoded = active_.size();
  auto sample_groups = add_active();
  const int64_t rows = pass_.rows();
  std::vector<CachedSequence*> waiting;
  for (const auto& group : groups_) waiting.push_back(&group->conversation);
  const auto portions = pass_.add(waiting);
  const auto hidden = pass_.rows() > 0 ? pass_.run_for_last() : at::Tensor();
  std::vector<const float*> states;  // hidden states of which logits are computed
  for (int64_t row = 0; row < rows; ++row) states.push_back(row_of(hidden, row));
  for (size_t i = 0; i < portions.size(); ++i) {
    const float* last = row_of(hidden, rows + static_cast<int64_t>(i));
    waiting[portions[i].which]->last_hidden().assign(last, last + shape_.hidden);
  }
  const auto starting = completions_to_start();
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (starting[i] == 0) continue;
    const size_t first = active_.size();
    start(*groups_[i], starting[i]);
    groups_[i]->served = true;
    sample_groups.push_back({states.size(), first, active_.size()});
    states.push_back(groups_[i]->conversation.last_hidden().data());
  }
  const int64_t sampled = states.empty() ? 0 : sample_next(states, std::move(sample_groups));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (portions.empty() && active_.size() == decoded) policy_.draft_length.record(sampled, seconds.count());
  if (request_.max_active_per_prompt > 0) {  // prompts that had a turn move to the end of the queue
    for (const auto& portion : portions)
      groups_[portion.which]->served |= groups_[portion.which]->conversation.unread() > 0;
    std::stable_partition(groups_.begin(), groups_.end(),
                          [](const auto& group) { return !std::exchange(group->served, false); });
  }
  std::erase_if(groups_, [](const auto& group) { return group->missing() == 0; });
}

std::vector<Generation::SampleGroup> Generation::add_active() {
  // Groups the rows by adapter, so that each adapter's products are computed at once.
  std::stable_sort(active_.begin(), active_.end(),
                   [](const auto& a, const auto& b) { return a->conversation.adapter() < b->conversation.adapter(); });
  const auto count = static_cast<int64_t>(active_.size());
  const int64_t most = count > 0 && speculates_ ? policy_.draft_length.next(count) : 0;
  std::vector<SampleGroup> sample_groups;
  for (size_t i = 0; i < active_.size(); ++i) {
    propose_drafts(*active_[i], most);
    sample_groups.push_back({static_cast<size_t>(pass_.rows()), i, i + 1});
    for (size_t k = 0; k <= active_[i]->drafts.size(); ++k) pass_.add(active_[i]->conversation, 1);
  }
  return sample_groups;
}

void Generation::propose_drafts(Sequence& sequence, int64_t most) const {
  const int64_t left = sequence.info.limit - static_cast<int64_t>(sequence.sample.tokens.size());
  sequence.drafts = policy_.drafts.propose(sequence.conversation.tokens(), std::min(most, left - 1));
  sequence.conversation.append(sequence.drafts);
}

// Adds the last `count` tokens to the draft model.
void Generation::record_tokens(const CachedSequence& conversation, size_t count) {
  if (!speculates_) return;
  const std::span<const int32_t> tokens(conversation.tokens());
  for (size_t end = tokens.size() - count; end++ < tokens.size();) policy_.drafts.add(tokens.first(end));
}

// Returns how many completions of each prompt start now: in order, up to the first prompt that is still being read.
std::vector<int64_t> Generation::completions_to_start() const {
  std::vector<int64_t> starting(groups_.size());
  if (request_.max_active_per_prompt > 0) {
    assign_slots_fairly(starting);
    return starting;
  }
  int64_t free = slots_ - static_cast<int64_t>(active_.size());
  for (size_t i = 0; i < groups_.size() && groups_[i]->conversation.unread() == 0; ++i)
    free -= starting[i] = std::min(free, groups_[i]->missing());
  return starting;
}

// The same with `max_active_per_prompt`: a free slot goes to the prompt with the fewest active completions, the first
// of several. A prompt that is still being read reserves one.
void Generation::assign_slots_fairly(std::vector<int64_t>& starting) const {
  std::map<size_t, int64_t> held;  // by `PromptInfo::order`
  for (const auto& sequence : active_) ++held[sequence->info.order];
  for (int64_t free = slots_ - static_cast<int64_t>(active_.size()); free > 0; --free) {
    std::optional<size_t> next;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const auto& group = *groups_[i];
      const bool being_read = group.conversation.unread() > 0;
      const int64_t own = held[group.info.order], most = being_read ? 1 : request_.max_active_per_prompt;
      if (own < most && starting[i] < group.missing() && (!next || own < held[groups_[*next]->info.order])) next = i;
    }
    if (!next) return;
    ++held[groups_[*next]->info.order];
    if (groups_[*next]->conversation.unread() == 0) ++starting[*next];
  }
}

void Generation::start(PromptInProgress& group, int64_t count) {
  const Request& request = *group.info.request;
  if (group.started == 0 && group.info.target) *group.info.target = group.conversation;
  while (count-- > 0) {
    const auto completion = static_cast<uint32_t>(group.started++);
    auto sequence =
        std::make_unique<Sequence>(Sequence{group.info, completion, group.conversation, {}, {}, {}, {}, false, {}});
    if (request.rules) sequence->rules = request.rules(completion);
    if (request.sampling.needs_seen()) {
      sequence->marked.resize(static_cast<size_t>(shape_.vocabulary));
      for (const int32_t id : sequence->conversation.tokens()) mark_seen(*sequence, id);
    }
    active_.push_back(std::move(sequence));
  }
}

void Generation::mark_seen(Sequence& sequence, int32_t id) const {
  if (sequence.marked[static_cast<size_t>(id)]) return;
  sequence.marked[static_cast<size_t>(id)] = true;
  sequence.seen.push_back(id);
}

// True if the next tokens can be sampled on the model's device without copying logits: it is not the host, and no
// sequence has filters, a repetition penalty, a logits callback or another temperature.
bool Generation::can_sample_on_device() const {
  const Sampling& first = active_.front()->info.request->sampling;
  return !policy_.head.value().is_cpu() && std::all_of(active_.begin(), active_.end(), [&](const auto& sequence) {
    const Sampling& own = sequence->info.request->sampling;
    return !sequence->rules.logits && !own.filters() && !own.needs_seen() && own.temperature == first.temperature &&
           own.greedy == first.greedy;
  });
}

void Generation::sample_on_device(const std::vector<const float*>& states,
                                  const std::vector<SampleGroup>& sample_groups) {
  std::vector<kernels::DrawPlace> places;
  for (const SampleGroup& turn : sample_groups) {
    for (size_t i = turn.first; i < turn.end; ++i)
      places.push_back({static_cast<int64_t>(turn.row), uniform_of(token_draw(*active_[i]))});
  }
  const Sampling& sampling = active_.front()->info.request->sampling;
  const auto drawn =
      kernels::draw(stacked(states, shape_.hidden), policy_.head, sampling.temperature, sampling.greedy, places);
  size_t next = 0;
  for (const SampleGroup& turn : sample_groups) {
    for (size_t i = turn.first; i < turn.end; ++i, ++next) {
      accept(*active_[i], {static_cast<int32_t>(drawn.token.const_data_ptr<int64_t>()[next]),
                           drawn.log_prob.const_data_ptr<float>()[next], drawn.entropy.const_data_ptr<float>()[next]});
      commit(*active_[i], 1, states[turn.row]);
    }
  }
}

// Samples the next token of each sequence and, as long as they equal its draft tokens, the following ones. Returns the
// number of tokens sampled.
int64_t Generation::sample_next(const std::vector<const float*>& states, std::vector<SampleGroup> sample_groups) {
  if (can_sample_on_device()) {
    sample_on_device(states, sample_groups);
    return static_cast<int64_t>(active_.size());
  }
  const auto logits = policy_.arithmetic.logits(stacked(states, shape_.hidden), policy_.head);
  auto* rows = static_cast<float*>(logits.mutable_data_ptr());
  std::vector<SampledToken> tokens(active_.size());
  int64_t count = 0;
  for (size_t ahead = 0; !sample_groups.empty(); ++ahead) {
    const auto work = [&](int64_t thread) {
      for (auto turn = static_cast<size_t>(thread); turn < sample_groups.size(); turn += samplers_.size()) {
        float* row = rows + static_cast<int64_t>(sample_groups[turn].row + ahead) * shape_.vocabulary;
        for (size_t i = sample_groups[turn].first; i < sample_groups[turn].end; ++i)
          tokens[i] = sample_token(samplers_[static_cast<size_t>(thread)], *active_[i], row);
      }
    };
    kernels::parallel_for(static_cast<int64_t>(samplers_.size()), work);
    std::vector<SampleGroup> going_on;
    for (const SampleGroup& turn : sample_groups) {
      bool as_guessed = true;
      for (size_t i = turn.first; i < turn.end; ++i) {
        Sequence& sequence = *active_[i];
        accept(sequence, tokens[i]);
        as_guessed = !sequence.done && ahead < sequence.drafts.size() && tokens[i].id == sequence.drafts[ahead];
        if (!as_guessed) commit(sequence, ahead + 1, states[turn.row + ahead]);
        ++count;
      }
      if (as_guessed) going_on.push_back(turn);
    }
    sample_groups = std::move(going_on);
  }
  return count;
}

TokenDraw Generation::token_draw(const Sequence& sequence) const {
  const PromptInfo& ticket = sequence.info;
  return {ticket.request->seed, request_.step, ticket.index, sequence.completion,
          static_cast<uint32_t>(sequence.sample.tokens.size())};
}

SampledToken Generation::sample_token(Sampler& sampler, const Sequence& sequence, float* logits) const {
  std::vector<float> own;  // a copy: other completions of the prompt may be sampled from the same row
  if (sequence.rules.logits) {
    own.assign(logits, logits + shape_.vocabulary);
    sequence.rules.logits(own);
    logits = own.data();
  }
  sampler.use(sequence.info.request->sampling);
  return sampler.sample(logits, sequence.seen, token_draw(sequence));
}

void Generation::accept(Sequence& sequence, const SampledToken& token) {
  const Request& request = *sequence.info.request;
  const bool broken = !std::isfinite(token.log_prob);
  if (broken && !request.isolate_nonfinite) throw not_finite(sequence.info.index);
  Sample& sample = sequence.sample;
  sample.tokens.push_back(token.id);
  sample.log_probs.push_back(token.log_prob);
  sample.entropies.push_back(token.entropy);
  if (broken) {
    sample.nonfinite = sequence.done = true;
    return;
  }
  if (request.sampling.needs_seen()) mark_seen(sequence, token.id);
  const auto& ends = request.end_tokens;
  const auto& stop = sequence.rules.stop;
  sample.finished = std::find(ends.begin(), ends.end(), token.id) != ends.end() || (stop && stop(token.id));
  sequence.done = sample.finished || static_cast<int64_t>(sample.tokens.size()) >= sequence.info.limit;
}

// Replaces the draft tokens by the `sampled` tokens that were sampled. `state`: hidden state that the last one was
// sampled from.
void Generation::commit(Sequence& sequence, size_t sampled, const float* state) {
  CachedSequence& conversation = sequence.conversation;
  const auto guessed = static_cast<int64_t>(sequence.drafts.size());
  if (guessed > 0) {
    conversation.truncate(conversation.size() - guessed + static_cast<int64_t>(sampled) - 1,
                          {state, static_cast<size_t>(shape_.hidden)});
  }
  conversation.append({&sequence.sample.tokens.back(), 1});
  sequence.drafts.clear();
  record_tokens(conversation, sampled);
}

void Generation::deliver_finished() {
  for (auto& sequence : active_) {
    if (!sequence->done) continue;
    if (sequence->info.target && sequence->completion == 0) *sequence->info.target = std::move(sequence->conversation);
    sink_(sequence->info.order, sequence->completion, std::move(sequence->sample));
  }
  std::erase_if(active_, [](const auto& sequence) { return sequence->done; });
}

}  // namespace compeer::rollout
