#include "rollout/choosing.h"

#include <algorithm>
#include <cmath>

#include "kernels/workers.h"
#include "rollout/check.h"

namespace compeer::rollout {

namespace {

// Logits that are in memory at once.
constexpr size_t kRowsAtOnce = 64;

int64_t read_of(const CachedSequence& conversation) { return conversation.size() - conversation.unread(); }

}  // namespace

Choosing::Choosing(Policy& policy, Pages& pages, const std::vector<Guess>& guesses, const Sampling& sampling)
    : policy_(policy),
      guesses_(guesses),
      sampling_(sampling),
      shape_(policy.model.shape()),
      pass_(policy, pages),
      choices_(guesses.size()) {
  TORCH_CHECK(sampling.repetition_penalty == 1.0, "guesses don't know which tokens were said before");
  for (const Guess& guess : guesses) {
    check({guess.places.empty() ? 0 : guess.places.front().draw.prompt, guess.tokens, nullptr, guess.after}, shape_, 0);
    TORCH_CHECK(guess.places.empty() || guess.places.front().at >= read_of(*guess.after), "is behind a place");
  }
}

std::vector<std::vector<NextToken>> Choosing::run() {
  for (size_t i = 0; i < guesses_.size(); ++i) {
    CachedSequence& conversation = *guesses_[i].after;
    if (at_place(i) && read_of(conversation) > 0) choices_[i].push_back({{}, conversation.last()});
    conversation.append(guesses_[i].tokens);
  }
  while (forward()) {
  }
  draw();
  return std::move(choices_);
}

// Is a token asked for behind what was read?
bool Choosing::at_place(size_t guess) const {
  const size_t next = choices_[guess].size();
  const auto& places = guesses_[guess].places;
  return next < places.size() && places[next].at == read_of(*guesses_[guess].after);
}

// What fits into the pass. Portions of one conversation stand in order, so each sees those before it.
void Choosing::add(size_t guess) {
  CachedSequence& conversation = *guesses_[guess].after;
  const auto& places = guesses_[guess].places;
  size_t next = choices_[guess].size();
  while (conversation.unread() > 0 && pass_.rows() < pass_.most_rows()) {
    const int64_t from = read_of(conversation), fits = pass_.most_rows() - pass_.rows();
    const int64_t wanted = next < places.size() ? places[next].at - from : conversation.unread();
    pass_.add(conversation, conversation.portion(std::min(fits, wanted)));
    const bool asked = next < places.size() && places[next].at == read_of(conversation);
    ends_.push_back({guess, asked});
    next += asked ? 1 : 0;
  }
}

bool Choosing::forward() {
  ends_.clear();
  for (size_t i = 0; i < guesses_.size() && pass_.rows() < pass_.most_rows(); ++i) add(i);
  if (ends_.empty()) return false;
  const auto hidden = pass_.run_for_last();
  for (size_t i = 0; i < ends_.size(); ++i) {
    const float* row = row_of(hidden, static_cast<int64_t>(i));
    std::vector<float> state(row, row + shape_.hidden);
    auto& last = guesses_[ends_[i].guess].after->last();
    last = std::move(state);
    if (ends_[i].asked) choices_[ends_[i].guess].push_back({{}, last});
  }
  return true;
}

void Choosing::draw() {
  std::vector<NextToken*> all;
  std::vector<const TokenDraw*> draws;
  for (size_t i = 0; i < guesses_.size(); ++i) {
    TORCH_CHECK(choices_[i].size() == guesses_[i].places.size(), "a place is behind the end of what was guessed");
    for (size_t k = 0; k < choices_[i].size(); ++k) {
      all.push_back(&choices_[i][k]);
      draws.push_back(&guesses_[i].places[k].draw);
    }
  }
  const auto threads = static_cast<size_t>(kernels::threads());
  std::vector<Sampler> samplers(threads, Sampler(sampling_, shape_.vocabulary));
  for (size_t first = 0; first < all.size(); first += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, all.size() - first);
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
    kernels::share(static_cast<int64_t>(threads), work);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all[i]->token.log_prob)) throw not_finite(draws[i]->prompt);
  }
}

}  // namespace compeer::rollout
