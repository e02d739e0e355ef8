// Answers in progress: constrained decoding, stop strings, log-probabilities and streams.
#include "serve/active_request.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "kernels/sampling.h"

namespace compeer::serve {

namespace {

constexpr float impossible = -1e30f;  // finite, since entropies are computed over all logits

// Ids of the `count` largest logits, largest first, ties by id. The count-th largest of the lane maxima, each the
// maximum of some logits, bounds them from below, so only a few candidates are sorted.
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

// Length of the longest end of `text` that is the beginning of a stop string.
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

ChoiceConstraint::ChoiceConstraint(std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences,
                                   std::vector<int32_t> ends)
    : sequences_(std::move(sequences)), ends_(std::move(ends)), left_(sequences_->size()) {
  std::iota(left_.begin(), left_.end(), size_t{0});
}

std::vector<int32_t> ChoiceConstraint::allowed() const {
  std::set<int32_t> next;
  for (const size_t i : left_) {
    const auto& sequence = (*sequences_)[i];
    if (sequence.size() > length_) {
      next.insert(sequence[length_]);
    } else {
      next.insert(ends_.begin(), ends_.end());
    }
  }
  return {next.begin(), next.end()};
}

bool ChoiceConstraint::push(int32_t id) {
  std::erase_if(left_, [&](size_t i) {
    const auto& sequence = (*sequences_)[i];
    return sequence.size() <= length_ || sequence[length_] != id;
  });
  ++length_;
  return std::all_of(left_.begin(), left_.end(), [&](size_t i) { return (*sequences_)[i].size() <= length_; });
}

GrowingCompletion::GrowingCompletion(const language::Tokenizer& tokenizer,
                                     std::shared_ptr<const CompletionOptions> wanted)
    : tokenizer_(tokenizer), wanted_(std::move(wanted)), choices_(wanted_->choices), text_(tokenizer) {}

void GrowingCompletion::constrain(std::span<float> logits) {
  if (choices_) {
    std::vector<std::pair<int32_t, float>> allowed;
    for (const int32_t id : choices_->allowed()) allowed.emplace_back(id, logits[static_cast<size_t>(id)]);
    std::fill(logits.begin(), logits.end(), impossible);
    for (const auto& [id, logit] : allowed) logits[static_cast<size_t>(id)] = logit;
  }
  if (!wanted_->log_probs) return;
  logits_.assign(logits.begin(), logits.end());
  all_ = kernels::distribution(logits_.data(), static_cast<int64_t>(logits_.size()), 1);
  likeliest_ = likeliest(logits_, static_cast<size_t>(wanted_->top_logprobs));
}

bool GrowingCompletion::push(int32_t id) {
  waiting_ += text_.push(id);
  if (wanted_->log_probs) {
    const auto log_prob = [&](int32_t one) { return all_.log_prob(logits_[static_cast<size_t>(one)], 1); };
    TokenLogprob token{std::string(tokenizer_.bytes(id, true)), log_prob(id)};
    for (const int32_t other : likeliest_)
      token.top_logprobs.emplace_back(tokenizer_.bytes(other, true), log_prob(other));
    log_probs_json_ += (log_probs_json_.empty() ? "" : ",") + json_of(token);
  }
  const std::string so_far = waiting_ + std::string(text_.pending_text());
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

CompletionDelta GrowingCompletion::take() { return {0, settled(false), std::exchange(log_probs_json_, {}), {}}; }

CompletionDelta GrowingCompletion::finish() {
  if (!stopped_) waiting_ += text_.finish();
  return {0, settled(true), std::exchange(log_probs_json_, {}), {}};
}

ActiveRequest::ActiveRequest(const CompletionRequest& call, const std::string& id, std::shared_ptr<Response> back)
    : model(call.model),
      stream(call.stream),
      usage_in_stream(call.usage_in_stream),
      response(std::move(back)),
      format(id, std::time(nullptr), call.model, call.log_probs),
      completions(static_cast<size_t>(call.n)) {}

void ActiveRequest::open() const {
  for (size_t i = 0; i < completions.size() && stream; ++i) response->event(format.opening(i));
}

void ActiveRequest::add(size_t completion, CompletionDelta more) {
  more.index = completion;
  if (stream) {
    if (!more.text.empty() || !more.log_probs.empty() || !more.finish_reason.empty())
      response->event(format.chunk(more));
    return;
  }
  CompletionDelta& all = completions[completion];
  all.index = completion;
  all.text += more.text;
  all.log_probs += (all.log_probs.empty() || more.log_probs.empty() ? "" : ",") + more.log_probs;
  all.finish_reason = more.finish_reason;
}

void ActiveRequest::close() const {
  if (!stream) return response->send(200, format.whole(completions, usage));
  if (usage_in_stream) response->event(format.usage(usage));
  response->event("[DONE]");
  response->end();
}

void ActiveRequest::fail(const HttpError& refusal) const {
  if (!stream) return refuse(*response, refusal);
  response->event(refusal.body());
  response->end();
}

void refuse(Response& response, const HttpError& refusal) {
  response.send(refusal.status, refusal.body(), refusal.status == 503 ? std::optional(1) : std::nullopt);
}

}  // namespace compeer::serve
