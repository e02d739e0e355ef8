#include "rollout/scoring.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "rollout/check.h"

namespace compeer::rollout {

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

// As many texts as fill a pass.
void Scoring::admit() {
  int64_t rows = 0;
  for (const auto& text : texts_) rows += text->conversation.unread();
  while (!ended_ && rows < pass_.most_rows() && static_cast<int64_t>(texts_.size()) < request_.sampling.concurrent) {
    Prompt prompt;
    const Supply supply = source_(prompt, texts_.empty());
    ended_ = supply == Supply::end;
    if (supply != Supply::prompt) return;
    check(prompt, shape_, 0);
    auto conversation = prompt.after ? *prompt.after : CachedSequence(pages_, prompt.adapter);
    const int64_t before = conversation.size();
    const bool whole = prompt.vision || prompt.tokens.empty();  // pictures can't be cut
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

// The row of token i predicts token i + 1. The last row of what was read earlier is kept in the conversation.
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
    if (read == text->first && text->log_probs.empty()) ask(*text, text->conversation.last().data(), read);
  }
  const auto portions = pass_.add(waiting);
  const auto hidden = pass_.rows() > 0 ? pass_.run() : at::Tensor();
  for (const Portion& portion : portions) {
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
    // Logits that are no numbers show in the entropy, whichever token is asked for.
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

}  // namespace compeer::rollout
