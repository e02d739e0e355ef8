#include "serve/completion.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "kernels/sampling.h"

namespace compeer::serve {

namespace {

constexpr float impossible = -1e30f;  // a finite number: entropies are computed of all logits

// The `count` largest, the first of equals before the others. A few maxima that stand for all bound them from below.
std::vector<int32_t> likeliest(const std::vector<float>& logits, size_t count) {
  if (count == 0) return {};
  const auto size = static_cast<int64_t>(logits.size());
  std::vector<float> maxima((logits.size() + 511) / 512 * 16);
  maxima.resize(static_cast<size_t>(kernels::lane_maxima(logits.data(), size, maxima.data())));
  float bound = -std::numeric_limits<float>::infinity();
  if (maxima.size() > count) {
    const auto last = maxima.begin() + static_cast<int64_t>(count) - 1;
    std::nth_element(maxima.begin(), last, maxima.end(), std::greater<>());
    bound = *last;
  }
  std::vector<int32_t> ids(logits.size() + 16);
  ids.resize(static_cast<size_t>(kernels::at_least(logits.data(), size, 1, bound, ids.data())));
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  ids.resize(std::min(ids.size(), count));
  std::erase_if(ids, [&](int32_t id) { return logits[static_cast<size_t>(id)] == impossible; });
  return ids;
}

// How much of the end of `text` may be the beginning of one of these.
size_t open_end(const std::string& text, const std::vector<std::string>& stops) {
  size_t longest = 0;
  for (const auto& stop : stops) {
    for (size_t length = std::min(stop.size() - 1, text.size()); length > longest; --length) {
      if (text.compare(text.size() - length, length, stop, 0, length) == 0) longest = length;
    }
  }
  return longest;
}

}  // namespace

GrowingCompletion::GrowingCompletion(const language::Tokenizer& tokenizer,
                                     std::shared_ptr<const CompletionOptions> wanted)
    : tokenizer_(tokenizer), wanted_(std::move(wanted)), choices_(wanted_->choices), text_(tokenizer) {}

void GrowingCompletion::see(std::span<float> logits) {
  if (choices_) {
    std::vector<std::pair<int32_t, float>> allowed;
    for (const int32_t id : choices_->allowed()) allowed.emplace_back(id, logits[static_cast<size_t>(id)]);
    std::fill(logits.begin(), logits.end(), impossible);
    for (const auto& [id, logit] : allowed) logits[static_cast<size_t>(id)] = logit;
  }
  if (!wanted_->log_probs) return;
  logits_.assign(logits.begin(), logits.end());
  all_ = kernels::distribution(logits_.data(), static_cast<int64_t>(logits_.size()), 1);
  likeliest_ = likeliest(logits_, static_cast<size_t>(wanted_->alternatives));
}

bool GrowingCompletion::push(int32_t id) {
  waiting_ += text_.push(id);
  if (wanted_->log_probs) {
    const auto log_prob = [&](int32_t one) { return all_.log_prob(logits_[static_cast<size_t>(one)], 1); };
    ToldToken token{std::string(tokenizer_.bytes(id, true)), log_prob(id)};
    for (const int32_t other : likeliest_)
      token.alternatives.emplace_back(tokenizer_.bytes(other, true), log_prob(other));
    told_ += (told_.empty() ? "" : ",") + json_of(token);
  }
  const std::string so_far = waiting_ + std::string(text_.whole());
  for (const auto& stop : wanted_->stop) stopped_ = stopped_ || so_far.find(stop) != std::string::npos;
  if (stopped_) waiting_ += text_.finish();
  return stopped_ || (choices_ && choices_->push(id));
}

std::string GrowingCompletion::settled(bool all) {
  if (stopped_) waiting_ = language::StopStrings::before(waiting_, wanted_->stop);
  const size_t open = all || stopped_ ? 0 : open_end(waiting_, wanted_->stop);
  auto text = waiting_.substr(0, waiting_.size() - open);
  waiting_.erase(0, text.size());
  return text;
}

Said GrowingCompletion::take() { return {0, settled(false), std::exchange(told_, {}), {}}; }

Said GrowingCompletion::finish() {
  if (!stopped_) waiting_ += text_.finish();
  return {0, settled(true), std::exchange(told_, {}), {}};
}

}  // namespace compeer::serve
