#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "compeer/chat.h"
#include "plugin/open.h"

namespace compeer::plugin {

/// The request queue of a chat plugin (an adapter of a chat model, such as one behind an HTTP endpoint). If the plugin
/// is asynchronous (ChatModel::is_async), requests of several threads share the queue, and the plugin is called on a
/// thread of the queue while there are any. Otherwise the plugin is called on the calling thread, by one thread at a
/// time.
///
/// Checks that the plugin answers every request it takes, once, on the thread that took it. Otherwise the callers get
/// an Error (exit code 5: violation by a plugin) that names the plugin, or one with exit code 85 (stopped by a signal)
/// if the run was cancelled meanwhile.
class ChatQueue {
 public:
  /// `cancelled`: returns true once the run is to stop; may be null. Keeps a reference to `plugin`.
  ChatQueue(Plugin<ChatModel>& plugin, std::function<bool()> cancelled);
  ~ChatQueue();
  ChatQueue(const ChatQueue&) = delete;
  ChatQueue& operator=(const ChatQueue&) = delete;

  /// Returns when all requests are answered. Calls `arrived` for each reply when it comes, on the thread that runs the
  /// plugin. If `arrived` throws, this function throws the same, and the remaining requests are abandoned.
  void answer(const std::vector<ChatRequest>& requests, const Chat::OnReply& arrived);

 private:
  // A blocked call of `answer`.
  struct PendingCall {
    const std::vector<ChatRequest>& requests;
    const Chat::OnReply& arrived;
    size_t since;                                        // value of `moment_` when the call began
    size_t open;                                         // number of requests without a reply
    std::exception_ptr failure = nullptr;                // set if no more replies will come
    bool waits() const { return open > 0 && !failure; }  // true if the call must stay blocked
  };
  // One request of such a call.
  struct PendingRequest {
    PendingCall* asker;  // null: the call has returned, and the reply is dropped
    size_t request;      // index in its `requests`
  };
  class QueueView;  // the ChatRequests that the plugin gets

  // Calls the plugin until no request is open: on the queue's own thread, or on this one, with `lock` released.
  void go_in(std::unique_lock<std::mutex>& lock);
  void call_while_requests_are_open();
  // Calls the plugin once. Sets the failure of callers whose requests it left unanswered.
  void call();
  // Returns the error for these callers: the run was stopped, or the plugin did not take or answer a request.
  std::exception_ptr why_unanswered() const;
  void forget(const PendingCall& asker);  // drops the requests of `asker` that are not answered
  bool has_open_requests() const;         // true if a call must stay blocked
  bool stopped() const { return cancelled_ && cancelled_(); }

  Plugin<ChatModel>& plugin_;
  const std::function<bool()> cancelled_;
  const bool on_own_thread_;  // the plugin is asynchronous
  std::mutex mutex_;          // guards the members below
  std::condition_variable changed_;
  std::vector<PendingCall*> pending_calls_;
  std::deque<PendingRequest> waiting_;      // requests that the plugin has not taken, oldest first
  std::map<size_t, PendingRequest> taken_;  // requests that it has taken and not answered, by number
  size_t numbers_ = 0;                      // number of requests taken so far
  // Counts calls of the plugin and of its `take`: identifies when the plugin last looked at the queue.
  size_t moment_ = 0;
  bool inside_ = false;  // a thread is calling the plugin
  std::thread thread_;   // the queue's own thread, if it was needed
};

}  // namespace compeer::plugin
