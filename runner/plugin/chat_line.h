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

/// The line of requests before a chat plugin. Of a plugin that `waits`, those of several threads stand in it, and the
/// plugin is called on a thread of the line's own for as long as anybody asks. Any other plugin is called by whoever
/// asks, one at a time.
///
/// The plugin is held to its contract: every request that it takes is answered, once, by the thread that took it. Else
/// whoever asked gets an Error (exit 5) that names it; and one with exit 85 if the run was `cancelled` meanwhile.
class ChatLine {
 public:
  ChatLine(Plugin<ChatModel>& plugin, std::function<bool()> cancelled);
  ~ChatLine();
  ChatLine(const ChatLine&) = delete;
  ChatLine& operator=(const ChatLine&) = delete;

  /// Comes back when all requests are answered. `arrived` is told of each reply as it comes, by the thread that is in
  /// the plugin; what it throws is thrown here, and the plugin is told of no other of these requests.
  void answer(const std::vector<ChatRequest>& requests, const Chat::Arrived& arrived);

 private:
  // Somebody who asks.
  struct Asker {
    const std::vector<ChatRequest>& requests;
    const Chat::Arrived& arrived;
    size_t since;                          // moment_ when it came
    size_t open;                           // requests without a reply
    std::exception_ptr failure = nullptr;  // why there will be no more
    bool waits() const { return open > 0 && !failure; }
  };
  // One request of an asker.
  struct Place {
    Asker* asker;
    size_t request;
  };
  class Desk;

  void go_in(std::unique_lock<std::mutex>& lock);
  void call_while_anybody_waits();
  void call();
  std::exception_ptr why_unanswered() const;
  void forget(const Asker& asker);  // what is still open of it
  bool anybody_waits() const;
  bool stopped() const { return cancelled_ && cancelled_(); }

  Plugin<ChatModel>& plugin_;
  const std::function<bool()> cancelled_;
  const bool on_own_thread_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::vector<Asker*> askers_;
  std::deque<Place> waiting_;
  std::map<size_t, Place> taken_;
  size_t numbers_ = 0;  // of requests that were taken, ever
  size_t moment_ = 0;   // counts calls of the plugin, and its own of `take`: when it last saw the line
  bool inside_ = false;
  std::thread thread_;
};

}  // namespace compeer::plugin
