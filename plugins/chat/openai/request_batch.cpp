#include "openai/request_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace compeer::openai {

namespace {

bool is_success(const Ended& ended) { return ended.broken.empty() && ended.status >= 200 && ended.status < 300; }

// Worth another try: the endpoint is busy, restarting or in trouble.
bool passes(int64_t status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

// Would be the same for every request: not allowed in, or not there. A redirect would take the key elsewhere.
bool concerns_all(int64_t status) {
  return status == 401 || status == 403 || status == 404 || (status >= 300 && status < 400);
}

}  // namespace

std::string Account::summary(const Endpoint& endpoint) const {
  std::string text = fmt::format("{} requests, {} tries", requests, tries);
  const char* before = " (";
  for (const auto& [fault, times] : faults) {
    text += fmt::format("{}{}: {}", before, fault, times);
    before = ", ";
  }
  if (!faults.empty()) text += ")";
  text += fmt::format(", {} failed; {} tokens asked, {} answered", failed, prompt_tokens, completion_tokens);
  if (unknown > 0) text += fmt::format(" (not known of {} answers)", unknown);
  const double cost = endpoint.cost(prompt_tokens, completion_tokens);
  if (endpoint.price_in > 0 || endpoint.price_out > 0) text += fmt::format("; cost {:.4f}", cost);
  return text;
}

RequestBatch::RequestBatch(const Endpoint& endpoint, Account& account, Host& host, const std::vector<ChatRequest>& requests,
               const Chat::Arrived& arrived)
    : endpoint_(endpoint),
      account_(account),
      host_(host),
      requests_(requests),
      arrived_(arrived),
      posts_(endpoint.post),
      failures_(requests.size()),
      first_(static_cast<uint32_t>(account.requests)) {
  for (size_t i = 0; i < requests.size(); ++i) waiting_.emplace(Clock::time_point(), i);
  account_.requests += static_cast<int64_t>(requests.size());
}

void RequestBatch::run() {
  while (!waiting_.empty() || posts_.active() > 0) {
    if (host_.cancelled()) return;
    start_due();
    auto all = posts_.wait(until_next());
    std::stable_partition(all.begin(), all.end(), is_success);  // kept before another one ends the run
    for (const auto& ended : all) take(ended);
  }
}

void RequestBatch::start_due() {
  while (posts_.active() < endpoint_.concurrent && !waiting_.empty()) {
    const auto now = Clock::now();
    const auto [due, request] = *waiting_.begin();
    if (due > now || account_.next > now) return;
    waiting_.erase(waiting_.begin());
    posts_.start(request, body_of(endpoint_.form, requests_[request]));
    ++account_.tries;
    if (endpoint_.apart > Milliseconds(0)) account_.next = now + endpoint_.apart;
  }
}

// Short enough to see soon that the run is to stop.
Milliseconds RequestBatch::until_next() const {
  constexpr Milliseconds longest(100);
  if (waiting_.empty() || posts_.active() >= endpoint_.concurrent) return longest;
  const auto next = std::max(waiting_.begin()->first, account_.next);
  const auto left = std::chrono::ceil<Milliseconds>(next - Clock::now());
  return std::clamp(left, Milliseconds(0), longest);
}

void RequestBatch::take(const Ended& ended) {
  if (ended.too_large) {
    return fail(ended.id, fmt::format("its answer is larger than {} bytes", endpoint_.post.largest));
  }
  if (ended.hopeless) {
    throw Error(endpoint_.address.url, ended.broken,
                "a certificate of your own is trusted if the setting 'authorities' names its file", Exit::plugin);
  }
  if (!ended.broken.empty()) return again(ended, "no whole answer", ended.broken);
  if (is_success(ended)) return take_answer(ended);
  const auto fault = fmt::format("HTTP {}", ended.status);
  const auto cause = endpoint_.clean(fault + ": " + error_of(ended.body));
  if (concerns_all(ended.status)) {
    throw Error(endpoint_.address.url, cause, endpoint_.remedy(ended.status), Exit::plugin);
  }
  if (passes(ended.status)) return again(ended, fault, cause);
  account_.failed_in_a_row = 0;
  fail(ended.id, cause);
}

void RequestBatch::take_answer(const Ended& ended) {
  auto received = read(ended.body);
  if (!received.broken.empty()) return again(ended, "broken answer", "its answer is broken: " + received.broken);
  account_.failed_in_a_row = 0;
  account_.prompt_tokens += received.reply.prompt_tokens;
  account_.completion_tokens += received.reply.completion_tokens;
  received.reply.cost = endpoint_.cost(received.reply.prompt_tokens, received.reply.completion_tokens);
  if (!received.usage) ++account_.unknown;
  if (!received.reply.failure.empty()) ++account_.failed;
  deliver(ended.id, std::move(received.reply));
}

void RequestBatch::again(const Ended& ended, const std::string& fault, const std::string& cause) {
  ++account_.faults[fault];
  const auto failures = ++failures_[ended.id];
  if (failures > endpoint_.patience.retries) {
    const auto why = fmt::format("{} ({} tries)", cause, failures);
    ++account_.failed_in_a_row;
    fail(ended.id, why);
    if (endpoint_.give_up == 0 || account_.failed_in_a_row < endpoint_.give_up) return;
    throw Error(
        endpoint_.address.url,
        endpoint_.clean(fmt::format("{} requests in a row got no answer, the last: {}", account_.failed_in_a_row, why)),
        "is the endpoint up? Answers so far are remembered; 'give_up' says how many in a row are too many",
        Exit::plugin);
  }
  const double random = host_.random(first_ + static_cast<uint32_t>(ended.id), static_cast<uint32_t>(failures));
  const auto wait = endpoint_.patience.wait(failures, ended.retry_after, random);
  waiting_.emplace(Clock::now() + wait, ended.id);
  // Who is told to wait is told for all its requests.
  if (ended.retry_after) {
    account_.next = std::max(account_.next, Clock::now() + std::min(*ended.retry_after, endpoint_.patience.longest));
  }
}

void RequestBatch::fail(size_t request, const std::string& why) {
  ++account_.failed;
  ChatReply reply;
  reply.failure = why;
  deliver(request, std::move(reply));
}

void RequestBatch::deliver(size_t request, ChatReply reply) {
  reply.text = endpoint_.clean(std::move(reply.text));
  reply.failure = endpoint_.clean(std::move(reply.failure));
  reply.served = endpoint_.clean(std::move(reply.served));
  arrived_(request, std::move(reply));
}

}  // namespace compeer::openai
