// Implements the request queue of a chat plugin and checks that the plugin keeps its contract.
#include "plugin/chat_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"

namespace compeer::plugin {

// The queue as the plugin sees it: it takes requests and returns replies here.
class ChatQueue::QueueView : public ChatRequests {
 public:
  explicit QueueView(ChatQueue& line) : line_(line) {}

  std::vector<Numbered> take(size_t most) override {
    std::unique_lock lock(line_.mutex_);
    // Polls for a stop, because nothing signals it.
    while (line_.waiting_.empty() && line_.taken_.empty() && line_.has_open_requests() && !line_.stopped())
      line_.changed_.wait_for(lock, std::chrono::milliseconds(50));
    ++line_.moment_;
    end_if_nobody_waits();
    std::vector<Numbered> some;
    while (some.size() < most && !line_.waiting_.empty() && !line_.stopped()) {
      const PendingRequest place = line_.waiting_.front();
      line_.waiting_.pop_front();
      some.push_back({line_.numbers_, place.asker->requests[place.request]});
      line_.taken_.emplace(line_.numbers_++, place);
    }
    return some;
  }

  void reply(size_t number, ChatReply reply) override {
    if (std::this_thread::get_id() != thread_) {
      elsewhere = true;  // an exception on that thread would end the process
      return;
    }
    std::unique_lock lock(line_.mutex_);
    const auto found = line_.taken_.find(number);
    if (found == line_.taken_.end()) {
      refuse(line_.plugin_.identity(), "answer",
             "answered request " + std::to_string(number) +
                 (number < line_.numbers_ ? " twice" : ", which it has not taken"),
             "reply once to each request that was taken");
    }
    const PendingRequest place = found->second;
    line_.taken_.erase(found);
    if (!place.asker) return;  // the caller has returned
    PendingCall& asker = *place.asker;
    lock.unlock();
    std::exception_ptr failure;
    try {
      asker.arrived(place.request, std::move(reply));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --asker.open;
    if (failure) asker.failure = failure, line_.forget(asker);
    if (!asker.waits()) line_.changed_.notify_all();
    if (failure) end_if_nobody_waits();
  }

  std::atomic<bool> elsewhere = false;

 private:
  // Throws if all callers have failed, because the remaining replies are no longer needed.
  void end_if_nobody_waits() const {
    if (!line_.taken_.empty() && !line_.has_open_requests())
      throw std::runtime_error("no request is waiting for an answer");
  }

  ChatQueue& line_;
  const std::thread::id thread_ = std::this_thread::get_id();
};

ChatQueue::ChatQueue(Plugin<ChatModel>& plugin, std::function<bool()> cancelled)
    : plugin_(plugin),
      cancelled_(std::move(cancelled)),
      on_own_thread_(plugin.call("is_async", [](const ChatModel& chat) { return chat.is_async(); })) {}

ChatQueue::~ChatQueue() {
  if (thread_.joinable()) thread_.join();
}

void ChatQueue::answer(const std::vector<ChatRequest>& requests, const Chat::OnReply& arrived) {
  std::unique_lock lock(mutex_);
  PendingCall asker{requests, arrived, moment_, requests.size()};
  pending_calls_.push_back(&asker);
  for (size_t i = 0; i < requests.size(); ++i) waiting_.push_back({&asker, i});
  changed_.notify_all();
  try {
    if (!std::exchange(inside_, true)) go_in(lock);
  } catch (...) {  // the thread could not be started
    inside_ = false;
    asker.failure = std::current_exception();
  }
  changed_.wait(lock, [&] { return !asker.waits(); });
  forget(asker);
  std::erase(pending_calls_, &asker);
  if (asker.failure) std::rethrow_exception(asker.failure);
}

// Called with `inside_` just set. A thread of an earlier call, if any, has finished or is about to.
void ChatQueue::go_in(std::unique_lock<std::mutex>& lock) {
  if (on_own_thread_) {
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this] { call_while_requests_are_open(); });
    return;
  }
  lock.unlock();
  call_while_requests_are_open();
  lock.lock();
}

bool ChatQueue::has_open_requests() const {
  return std::any_of(pending_calls_.begin(), pending_calls_.end(),
                     [](const PendingCall* asker) { return asker->waits(); });
}

void ChatQueue::forget(const PendingCall& asker) {
  std::erase_if(waiting_, [&](const PendingRequest& place) { return place.asker == &asker; });
  for (auto& [number, place] : taken_) {
    if (place.asker == &asker) place.asker = nullptr;
  }
}

void ChatQueue::call_while_requests_are_open() {
  std::unique_lock lock(mutex_);
  while (has_open_requests()) {
    lock.unlock();
    call();
    lock.lock();
  }
  inside_ = false;
}

// Calls the plugin once. After it returns, callers with open requests fail, unless they came after its last `take`.
void ChatQueue::call() {
  {
    const std::lock_guard lock(mutex_);
    ++moment_;
  }
  QueueView desk(*this);
  std::exception_ptr failure;
  try {
    plugin_.call("answer", [&](ChatModel& chat) { chat.answer(desk); });
    if (desk.elsewhere)
      refuse(plugin_.identity(), "answer", "replied on another thread", "reply on the thread that took the request");
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  for (PendingCall* asker : pending_calls_) {
    if (!asker->waits() || asker->since == moment_) continue;
    asker->failure = failure ? failure : why_unanswered();
    forget(*asker);
  }
  taken_.clear();
  changed_.notify_all();
}

std::exception_ptr ChatQueue::why_unanswered() const {
  const auto title = plugin_.identity().title();
  if (stopped()) {
    return std::make_exception_ptr(Error(title, "interrupted before all requests were answered",
                                         "resume the run; stored answers are reused", Exit::preempted));
  }
  if (taken_.empty()) {
    return std::make_exception_ptr(PluginError(plugin_.identity(), "answer",
                                               "returned before it had taken all requests",
                                               "call take() until it returns none: docs/plugins.md"));
  }
  return std::make_exception_ptr(PluginError(plugin_.identity(), "answer",
                                             "did not answer request " + std::to_string(taken_.begin()->first),
                                             "reply to every request; set 'failure' where there is no answer"));
}

}  // namespace compeer::plugin
