// The hash table of n-grams, and the search for the best draft length.
#include "rollout/drafts.h"

#include <algorithm>
#include <bit>

namespace compeer::rollout {

namespace {

constexpr size_t context = 3;               // tokens that predict the next one
constexpr int32_t sure = 2;                 // least count of a follower that is proposed
constexpr int32_t most_times = 8;           // limit of counts, so that outdated followers are soon replaced
constexpr int64_t max_trial_interval = 32;  // most passes between two trials
constexpr double remembered = 0.8;          // decay of a rate with each new measurement

uint64_t key_of(const int32_t* tokens) {
  uint64_t key = 0;
  for (size_t i = 0; i < context; ++i) key = (key + static_cast<uint32_t>(tokens[i]) + 1) * 0x9e3779b97f4a7c15u;
  return key;
}

}  // namespace

void NgramDrafts::add(std::span<const int32_t> tokens) {
  if (tokens.size() <= context) return;
  const int32_t token = tokens.back();
  const uint64_t key = key_of(&tokens[tokens.size() - 1 - context]);
  Follower& follower = followers_[key >> 48];
  if (follower.key == key && follower.token == token) {
    follower.times = std::min(follower.times + 1, most_times);
  } else if (--follower.times <= 0) {
    follower = {key, token, 1};
  }
}

std::vector<int32_t> NgramDrafts::propose(std::span<const int32_t> tokens, int64_t most) const {
  if (tokens.size() < context) return {};
  std::vector<int32_t> text(tokens.end() - context, tokens.end());
  while (static_cast<int64_t>(text.size() - context) < most) {
    const uint64_t key = key_of(&text[text.size() - context]);
    const Follower& follower = followers_[key >> 48];
    if (follower.key != key || follower.times < sure) break;
    text.push_back(follower.token);
  }
  return {text.begin() + context, text.end()};
}

int64_t DraftLength::next(int64_t sequences) {
  trials_of_pass_ = nullptr;
  if (sequences > most_rows / 2) return 0;
  if (fixed_ >= 0) return std::min(fixed_, most_rows / sequences - 1);
  Trials& trials = trials_[static_cast<size_t>(std::bit_width(static_cast<uint64_t>(sequences)) - 1)];
  trials_of_pass_ = &trials;
  length_of_pass_ = trials.best;
  if (++trials.passes_since_trial >= trials.trial_interval) {
    trials.passes_since_trial = 0;
    trials.last_tried = length_of_pass_ = (trials.last_tried + 1) % lengths.size();
    if (length_of_pass_ == 0) trials.trial_interval = std::min(2 * trials.trial_interval, max_trial_interval);
  }
  return std::min(lengths[length_of_pass_], most_rows / sequences - 1);
}

void DraftLength::record(int64_t tokens, double seconds) {
  if (!trials_of_pass_) return;
  auto& rates = trials_of_pass_->rates;
  Rate& rate = rates[length_of_pass_];
  rate = {remembered * rate.tokens + static_cast<double>(tokens), remembered * rate.seconds + seconds};
  const auto faster = [](const Rate& a, const Rate& b) { return a.tokens * b.seconds < b.tokens * a.seconds; };
  trials_of_pass_->best = static_cast<size_t>(std::max_element(rates.begin(), rates.end(), faster) - rates.begin());
  trials_of_pass_ = nullptr;
}

}  // namespace compeer::rollout
