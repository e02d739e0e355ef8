// Requests in flight to an endpoint: concurrency, retries, pacing, budget.
#include "openai/traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "openai/wire.h"

namespace compeer::openai {

namespace {

bool is_success(const HttpResult& ended) { return ended.error.empty() && ended.status >= 200 && ended.status < 300; }

// True for statuses worth a retry: the endpoint is busy, restarting or failing.
bool passes(int64_t status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

}  // namespace

std::string EndpointStats::summary(const Endpoint& endpoint) const {
  std::string text = fmt::format("{} requests, {} tries", requests, tries);
  const char* before = " (";
  for (const auto& [fault, times] : faults) {
    text += fmt::format("{}{}: {}", before, fault, times);
    before = ", ";
  }
  if (!faults.empty()) text += ")";
  text += fmt::format(", {} failed; {} tokens asked, {} answered", failed, prompt_tokens, completion_tokens);
  if (without_usage > 0) text += fmt::format(" (unknown for {} answers)", without_usage);
  const double cost = endpoint.cost(prompt_tokens, completion_tokens);
  if (endpoint.price_in > 0 || endpoint.price_out > 0) text += fmt::format("; cost {:.4f}", cost);
  return text;
}

Traffic::Traffic(const Endpoint& endpoint, Host& host) : endpoint_(endpoint), host_(host), posts_(endpoint.post) {}

void Traffic::answer(ChatRequests& requests) {
  requests_ = &requests;
  posts_.drop();  // left by a call that was cancelled
  open_.clear();
  waiting_.clear();
  while (!host_.cancelled() && take_requests()) {
    start_due();
    stop_if_spent();
    auto all = posts_.wait(until_next());
    std::stable_partition(all.begin(), all.end(), is_success);  // answers are stored before an error ends the run
    for (const auto& ended : all) handle(ended);
  }
}

// Takes as many requests as could start now. Returns false if none is open and no more will come.
bool Traffic::take_requests() {
  const auto now = Clock::now();
  const auto due = std::count_if(waiting_.begin(), waiting_.end(), [&](const auto& one) { return one.first <= now; });
  const auto busy = posts_.active() + static_cast<size_t>(due);
  if (busy >= endpoint_.concurrent) return true;
  for (auto& [number, request] : requests_->take(endpoint_.concurrent - busy)) {
    ++stats_.requests;
    open_.emplace(number, OpenRequest{std::move(request)});
    waiting_.emplace(now, number);
  }
  return !open_.empty();
}

// Starts the requests that are due, as far as concurrency, pacing and budget allow.
void Traffic::start_due() {
  while (posts_.active() < endpoint_.concurrent && !waiting_.empty() && !budget_spent()) {
    const auto now = Clock::now();
    const auto [due, number] = *waiting_.begin();
    if (due > now || stats_.next > now) return;
    waiting_.erase(waiting_.begin());
    posts_.start(number, body_of(endpoint_.form, open_.at(number).request));
    ++stats_.tries;
    if (endpoint_.min_interval > Milliseconds(0)) stats_.next = now + endpoint_.min_interval;
  }
}

bool Traffic::budget_spent() const {
  const auto tokens = stats_.prompt_tokens + stats_.completion_tokens;
  const auto cost = endpoint_.cost(stats_.prompt_tokens, stats_.completion_tokens);
  return (endpoint_.budget > 0 && cost >= endpoint_.budget) ||
         (endpoint_.budget_tokens > 0 && tokens >= endpoint_.budget_tokens);
}

// Waits for requests in flight first, because their answers are paid for.
void Traffic::stop_if_spent() const {
  if (!budget_spent() || posts_.active() > 0) return;
  throw Error(endpoint_.address.url,
              fmt::format("its budget is spent: {}; {} requests unanswered", stats_.summary(endpoint_), open_.size()),
              "resume the run, with a larger budget if needed: stored answers are reused", Exit::spent);
}

// Returns how long to wait for an answer. Short, so that cancellation and new requests are noticed soon.
Milliseconds Traffic::until_next() const {
  if (posts_.active() >= endpoint_.concurrent) return Milliseconds(100);
  constexpr Milliseconds longest(10);  // new requests may arrive meanwhile
  if (waiting_.empty() || budget_spent()) return longest;
  const auto next = std::max(waiting_.begin()->first, stats_.next);
  const auto left = std::chrono::ceil<Milliseconds>(next - Clock::now());
  return std::clamp(left, Milliseconds(0), longest);
}

void Traffic::handle(const HttpResult& ended) {
  if (ended.too_large) {
    return fail(ended.id, fmt::format("the answer is larger than {} bytes", endpoint_.post.largest));
  }
  if (ended.is_permanent) {
    throw Error(endpoint_.address.url, ended.error, "to trust your own certificate, set 'authorities' to its file",
                Exit::plugin);
  }
  if (!ended.error.empty()) return retry(ended, "no whole answer", ended.error);
  if (is_success(ended)) return handle_answer(ended);
  const auto fault = fmt::format("HTTP {}", ended.status);
  const auto error = error_of(ended.body);
  const auto cause = endpoint_.clean(fault + ": " + error.message);
  if (const auto remedy = endpoint_.remedy(ended.status, error); !remedy.empty())
    throw Error(endpoint_.address.url, cause, remedy, Exit::plugin);
  if (passes(ended.status)) return retry(ended, fault, cause);
  stats_.failed_in_a_row = 0;
  fail(ended.id, cause);
}

void Traffic::handle_answer(const HttpResult& ended) {
  const auto& request = open_.at(ended.id).request;
  auto received = read(ended.body, request.want_log_probs ? request.choices : std::vector<std::string>());
  if (received.error == without_log_probs && !stats_.has_log_probs) {
    throw Error(endpoint_.address.url, "returns no log-probabilities",
                "set score_by = \"answer\", or use an endpoint that supports 'logprobs' and 'top_logprobs'",
                Exit::plugin);
  }
  if (!received.error.empty()) return retry(ended, "broken answer", "invalid answer: " + received.error);
  stats_.has_log_probs = stats_.has_log_probs || request.want_log_probs;
  const auto& served = received.reply.served;
  if (stats_.served.size() < 10 && stats_.served.insert(served).second && !served.empty() &&
      served != endpoint_.form.model)
    host_.log(endpoint_.clean("'" + endpoint_.form.model + "' answers as '" + served.substr(0, 80) + "'"));
  stats_.failed_in_a_row = 0;
  stats_.prompt_tokens += received.reply.prompt_tokens;
  stats_.completion_tokens += received.reply.completion_tokens;
  if (endpoint_.tokens_per_minute > 0) delay_by_tokens(received.reply.prompt_tokens + received.reply.completion_tokens);
  received.reply.cost = endpoint_.cost(received.reply.prompt_tokens, received.reply.completion_tokens);
  if (!received.usage) ++stats_.without_usage;
  if (!received.reply.failure.empty()) ++stats_.failed;
  deliver(ended.id, std::move(received.reply));
}

// Token counts are known only afterwards, so an answer with many tokens delays the next request.
void Traffic::delay_by_tokens(int64_t tokens) {
  const double minutes = static_cast<double>(tokens) / endpoint_.tokens_per_minute;
  stats_.next = std::max(stats_.next, Clock::now()) + Milliseconds(static_cast<int64_t>(minutes * 60'000));
}

// Schedules a retry, or fails the request if there have been too many.
void Traffic::retry(const HttpResult& ended, const std::string& fault, const std::string& cause) {
  ++stats_.faults[fault];
  const auto failures = ++open_.at(ended.id).failures;
  if (failures > endpoint_.patience.retries) {
    const auto why = fmt::format("{} ({} tries)", cause, failures);
    ++stats_.failed_in_a_row;
    fail(ended.id, why);
    if (endpoint_.give_up == 0 || stats_.failed_in_a_row < endpoint_.give_up) return;
    throw Error(
        endpoint_.address.url,
        endpoint_.clean(fmt::format("{} consecutive requests failed, the last: {}", stats_.failed_in_a_row, why)),
        endpoint_.advice(ended) +
            ", then resume: stored answers are reused; 'give_up' sets how many consecutive failures end a run",
        Exit::plugin);
  }
  const double random = host_.random(static_cast<uint32_t>(ended.id), static_cast<uint32_t>(failures));
  const auto wait = endpoint_.patience.wait(failures, ended.retry_after, random);
  waiting_.emplace(Clock::now() + wait, ended.id);
  // A Retry-After delays all requests, not only this one.
  if (ended.retry_after) {
    stats_.next = std::max(stats_.next, Clock::now() + std::min(*ended.retry_after, endpoint_.patience.longest));
  }
}

void Traffic::fail(size_t number, const std::string& why) {
  ++stats_.failed;
  ChatReply reply;
  reply.failure = why;
  deliver(number, std::move(reply));
}

void Traffic::deliver(size_t number, ChatReply reply) {
  reply.text = endpoint_.clean(std::move(reply.text));
  reply.failure = endpoint_.clean(std::move(reply.failure));
  reply.served = endpoint_.clean(std::move(reply.served));
  open_.erase(number);
  requests_->reply(number, std::move(reply));
}

}  // namespace compeer::openai
