// The engine's calls; scoring of texts and verification of drafts. Generation is in generation.cpp.
#include "rollout/engine.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/device_error.h"
#include "kernels/workers.h"
#include "rollout/generation.h"
#include "rollout/pass.h"

namespace compeer::rollout {

namespace {

/// One call of Engine::score: reads texts in chunks, several at a time.
class Scoring {
 public:
  Scoring(Policy& policy, Pages& pages, const PromptSource& source, const Request& request, const ScoreSink& sink);
  void run();

 private:
  struct ScoredText {
    size_t order;
    uint32_t index;
    CachedSequence conversation;  // without the last token, which predicts nothing
    std::vector<int32_t> tokens;
    int64_t before, first;  // positions in the sequence: of tokens[0], and of the first scored token
    std::vector<float> log_probs;
  };

  void admit();
  void forward();
  void deliver_finished();

  Policy& policy_;
  Pages& pages_;
  const PromptSource& source_;
  const Request& request_;
  const ScoreSink& sink_;
  const ModelShape shape_;
  Pass pass_;
  std::vector<std::unique_ptr<ScoredText>> texts_;
  size_t count_ = 0;
  bool ended_ = false;
};

Scoring::Scoring(Policy& policy, Pages& pages, const PromptSource& source, const Request& request,
                 const ScoreSink& sink)
    : policy_(policy),
      pages_(pages),
      source_(source),
      request_(request),
      sink_(sink),
      shape_(policy.model.shape()),
      pass_(policy, pages) {}

void Scoring::run() {
  for (;;) {
    admit();
    if (texts_.empty()) return;
    forward();
    deliver_finished();
    request_.progress();
  }
}

// Takes texts from the source until they fill a pass.
void Scoring::admit() {
  int64_t rows = 0;
  for (const auto& text : texts_) rows += text->conversation.unread();
  while (!ended_ && rows < pass_.most_rows() && static_cast<int64_t>(texts_.size()) < request_.sampling.concurrent) {
    Prompt prompt;
    const Supply supply = source_(prompt, texts_.empty());
    ended_ = supply == Supply::end;
    if (supply != Supply::prompt) return;
    checked_length(prompt, shape_, 0);
    auto conversation = prompt.context ? *prompt.context : CachedSequence(pages_, prompt.adapter);
    const int64_t before = conversation.size();
    const bool whole = prompt.vision || prompt.tokens.empty();  // images can't be split
    conversation.append({prompt.tokens.data(), prompt.tokens.size() - (whole ? 0 : 1)}, std::move(prompt.vision));
    rows += conversation.unread();
    texts_.push_back(std::make_unique<ScoredText>(ScoredText{count_++,
                                                             prompt.index,
                                                             std::move(conversation),
                                                             std::move(prompt.tokens),
                                                             before,
                                                             std::max<int64_t>(before, 1),
                                                             {}}));
  }
}

// The row of token i predicts token i + 1. `CachedSequence::last_hidden` holds the last row of the sequence that a text
// continues, which predicts its first token.
void Scoring::forward() {
  std::vector<const float*> rows;
  std::vector<int64_t> targets;
  std::vector<ScoredText*> owners;
  const auto ask = [&](ScoredText& text, const float* row, int64_t target) {
    const auto place = static_cast<size_t>(target - text.before);
    if (target < text.first || place >= text.tokens.size()) return;
    rows.push_back(row);
    targets.push_back(text.tokens[place]);
    owners.push_back(&text);
  };
  std::vector<CachedSequence*> waiting;
  for (const auto& text : texts_) {
    waiting.push_back(&text->conversation);
    const int64_t read = text->conversation.size() - text->conversation.unread();
    if (read == text->first && text->log_probs.empty()) ask(*text, text->conversation.last_hidden().data(), read);
  }
  const auto portions = pass_.add(waiting);
  const auto hidden = pass_.rows() > 0 ? pass_.run() : at::Tensor();
  for (const TokenChunk& portion : portions) {
    ScoredText& text = *texts_[portion.which];
    for (int64_t i = 0; i < portion.count; ++i) ask(text, row_of(hidden, portion.row + i), portion.from + i + 1);
  }
  if (rows.empty()) return;
  at::Tensor wanted = at::empty({static_cast<int64_t>(targets.size())}, at::kLong);
  std::copy(targets.begin(), targets.end(), static_cast<int64_t*>(wanted.mutable_data_ptr()));
  const auto scored = policy_.arithmetic.token_logprobs(stacked(rows, shape_.hidden), policy_.head, wanted,
                                                        request_.sampling.temperature);
  const auto* log_prob = static_cast<const float*>(scored.log_prob.const_data_ptr());
  const auto* entropy = static_cast<const float*>(scored.entropy.const_data_ptr());
  for (ScoredText* text : owners) {
    // The entropy depends on all logits, so it is not finite if any of them isn't.
    if (!std::isfinite(*log_prob) || !std::isfinite(*entropy++)) throw not_finite(text->index);
    text->log_probs.push_back(*log_prob++);
  }
}

void Scoring::deliver_finished() {
  for (auto& text : texts_) {
    if (text->conversation.unread() == 0) sink_(text->order, std::move(text->log_probs));
  }
  std::erase_if(texts_, [](const auto& text) { return text->conversation.unread() == 0; });
}

/// One call of Engine::verify: reads the drafts in chunks that end at the positions to sample, then samples all
/// tokens.
class DraftVerification {
 public:
  DraftVerification(Policy& policy, Pages& pages, const std::vector<DraftTokens>& drafts, const Sampling& sampling);
  std::vector<std::vector<NextToken>> run();

 private:
  struct DraftEnd {
    size_t draft;
    bool asked;  // a token is sampled after it
  };

  bool at_place(size_t draft) const;
  void add(size_t draft);
  bool forward();
  void draw();

  Policy& policy_;
  const std::vector<DraftTokens>& drafts_;
  const Sampling& sampling_;
  const ModelShape shape_;
  Pass pass_;
  std::vector<DraftEnd> ends_;  // of the chunks in this pass
  std::vector<std::vector<NextToken>> choices_;
};

// Rows of logits in memory at once.
constexpr size_t rows_at_once = 64;

int64_t read_of(const CachedSequence& conversation) { return conversation.size() - conversation.unread(); }

DraftVerification::DraftVerification(Policy& policy, Pages& pages, const std::vector<DraftTokens>& drafts,
                                     const Sampling& sampling)
    : policy_(policy),
      drafts_(drafts),
      sampling_(sampling),
      shape_(policy.model.shape()),
      pass_(policy, pages),
      choices_(drafts.size()) {
  TORCH_CHECK(sampling.repetition_penalty == 1.0, "draft tokens don't support repetition_penalty");
  for (const DraftTokens& draft : drafts) {
    checked_length(
        {draft.positions.empty() ? 0 : draft.positions.front().draw.prompt, draft.tokens, nullptr, draft.context},
        shape_, 0);
    TORCH_CHECK(draft.positions.empty() || draft.positions.front().at >= read_of(*draft.context), "is behind a place");
  }
}

std::vector<std::vector<NextToken>> DraftVerification::run() {
  for (size_t i = 0; i < drafts_.size(); ++i) {
    CachedSequence& conversation = *drafts_[i].context;
    if (at_place(i) && read_of(conversation) > 0) choices_[i].push_back({{}, conversation.last_hidden()});
    conversation.append(drafts_[i].tokens);
  }
  while (forward()) {
  }
  draw();
  return std::move(choices_);
}

// True if a token is to be sampled after the tokens read so far.
bool DraftVerification::at_place(size_t draft) const {
  const size_t next = choices_[draft].size();
  const auto& places = drafts_[draft].positions;
  return next < places.size() && places[next].at == read_of(*drafts_[draft].context);
}

// Adds the chunks of a draft that fit into the pass. Chunks of one sequence are in order, so each attends to those
// before it.
void DraftVerification::add(size_t draft) {
  CachedSequence& conversation = *drafts_[draft].context;
  const auto& places = drafts_[draft].positions;
  size_t next = choices_[draft].size();
  while (conversation.unread() > 0 && pass_.rows() < pass_.most_rows()) {
    const int64_t from = read_of(conversation), fits = pass_.most_rows() - pass_.rows();
    const int64_t wanted = next < places.size() ? places[next].at - from : conversation.unread();
    pass_.add(conversation, conversation.chunk_size(std::min(fits, wanted)));
    const bool asked = next < places.size() && places[next].at == read_of(conversation);
    ends_.push_back({draft, asked});
    next += asked ? 1 : 0;
  }
}

bool DraftVerification::forward() {
  ends_.clear();
  for (size_t i = 0; i < drafts_.size() && pass_.rows() < pass_.most_rows(); ++i) add(i);
  if (ends_.empty()) return false;
  const auto hidden = pass_.run_for_last();
  for (size_t i = 0; i < ends_.size(); ++i) {
    const float* row = row_of(hidden, static_cast<int64_t>(i));
    std::vector<float> state(row, row + shape_.hidden);
    auto& last = drafts_[ends_[i].draft].context->last_hidden();
    last = std::move(state);
    if (ends_[i].asked) choices_[ends_[i].draft].push_back({{}, last});
  }
  return true;
}

void DraftVerification::draw() {
  std::vector<NextToken*> all;
  std::vector<const TokenDraw*> draws;
  for (size_t i = 0; i < drafts_.size(); ++i) {
    TORCH_CHECK(choices_[i].size() == drafts_[i].positions.size(), "a place is behind the end of what was guessed");
    for (size_t k = 0; k < choices_[i].size(); ++k) {
      all.push_back(&choices_[i][k]);
      draws.push_back(&drafts_[i].positions[k].draw);
    }
  }
  const auto threads = static_cast<size_t>(kernels::threads());
  std::vector<Sampler> samplers(threads, Sampler(sampling_, shape_.vocabulary));
  for (size_t first = 0; first < all.size(); first += rows_at_once) {
    const size_t count = std::min(rows_at_once, all.size() - first);
    std::vector<const float*> states;
    for (size_t i = first; i < first + count; ++i) states.push_back(all[i]->state.data());
    const auto logits = policy_.arithmetic.logits(stacked(states, shape_.hidden), policy_.head);
    auto* rows = static_cast<float*>(logits.mutable_data_ptr());
    const auto work = [&](int64_t thread) {
      for (auto row = static_cast<size_t>(thread); row < count; row += threads) {
        float* of = rows + static_cast<int64_t>(row) * shape_.vocabulary;
        all[first + row]->token = samplers[static_cast<size_t>(thread)].sample(of, {}, *draws[first + row]);
      }
    };
    kernels::parallel_for(static_cast<int64_t>(threads), work);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all[i]->token.log_prob)) throw not_finite(draws[i]->prompt);
  }
}

std::string name_of(uint32_t prompt) { return fmt::format("prompt {}", prompt); }

}  // namespace

PromptSource in_order(const std::vector<Prompt>& prompts) {
  return [&prompts, next = size_t{0}](Prompt& prompt, bool) mutable {
    if (next == prompts.size()) return Supply::end;
    prompt = prompts[next++];
    return Supply::prompt;
  };
}

Engine::Engine(Policy& policy) : policy_(policy), pages_(policy.model.shape(), policy.head.value().device()) {}

void Engine::generate(const PromptSource& source, const Request& request, const Sink& sink) {
  const at::NoGradGuard no_grad;
  with_remedy("inference", [&] { Generation(policy_, pages_, source, request, sink).run(); });
}

std::vector<std::vector<Sample>> Engine::generate(const std::vector<Prompt>& prompts, const Request& request) {
  std::vector<std::vector<Sample>> groups(prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto& own = prompts[i].request;
    groups[i].resize(static_cast<size_t>((own ? *own : request).group_size));
  }
  generate(in_order(prompts), request,
           [&](size_t prompt, uint32_t completion, Sample sample) { groups[prompt][completion] = std::move(sample); });
  return groups;
}

void Engine::score(const PromptSource& source, const Request& request, const ScoreSink& sink) {
  const at::NoGradGuard no_grad;
  with_remedy("inference", [&] { Scoring(policy_, pages_, source, request, sink).run(); });
}

std::vector<std::vector<float>> Engine::score(const std::vector<Prompt>& texts, const Request& request) {
  std::vector<std::vector<float>> all(texts.size());
  score(in_order(texts), request, [&](size_t text, std::vector<float> scores) { all[text] = std::move(scores); });
  return all;
}

void Engine::read(const std::vector<Prompt>& prompts) {
  const at::NoGradGuard no_grad;
  const auto shape = policy_.model.shape();
  std::vector<CachedSequence*> waiting;
  for (const Prompt& prompt : prompts) checked_length(prompt, shape, 0);
  for (const Prompt& prompt : prompts) {
    prompt.context->append(prompt.tokens, prompt.vision);
    waiting.push_back(prompt.context);
  }
  Pass pass(policy_, pages_);
  for (;;) {
    const auto portions = pass.add(waiting);
    if (portions.empty()) return;
    const auto hidden = pass.run_for_last();
    for (size_t i = 0; i < portions.size(); ++i) {
      const float* last = row_of(hidden, static_cast<int64_t>(i));
      waiting[portions[i].which]->last_hidden().assign(last, last + shape.hidden);
    }
  }
}

std::vector<std::vector<NextToken>> Engine::verify(const std::vector<DraftTokens>& drafts, const Sampling& sampling) {
  const at::NoGradGuard no_grad;
  return with_remedy("inference", [&] { return DraftVerification(policy_, pages_, drafts, sampling).run(); });
}

std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request) {
  return Engine(policy).generate(prompts, request);
}

int64_t checked_length(const Prompt& prompt, const ModelShape& shape, int64_t room) {
  const auto where = name_of(prompt.index);
  const int64_t length = (prompt.context ? prompt.context->size() : 0) + static_cast<int64_t>(prompt.tokens.size());
  if (length == 0) throw Error(where, "is empty", "provide at least one token to continue", Exit::data);
  for (const int32_t id : prompt.tokens) {
    if (id >= 0 && id < shape.vocabulary) continue;
    throw Error(where, fmt::format("token id {} is outside the vocabulary of {}", id, shape.vocabulary), "",
                Exit::data);
  }
  if (length + room > shape.positions) {
    throw TooLong(where,
                  fmt::format("has {} tokens{}, the model has room for {}", length,
                              length <= shape.positions ? " and needs one more" : "", shape.positions),
                  "shorten it, or raise max_position_embeddings in the model's config.json", Exit::data);
  }
  return length;
}

Error not_finite(uint32_t prompt) {
  return {name_of(prompt), "the model computes numbers that are not finite",
          "check the weights for damage; if training diverged, use an earlier checkpoint", Exit::data};
}

}  // namespace compeer::rollout
