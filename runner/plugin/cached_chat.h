#pragma once
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "plugin/answer_store.h"
#include "plugin/chat_queue.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::plugin {

/// The Chat that other plugins get for a chat plugin: a cache in front of it. Calls are guarded and checked. Equal
/// requests are sent once, and only if no answer is stored and no other thread or process is sending the same. Without
/// a store, or if the plugin's answers are instant (ChatModel::is_instant), only equal requests of one call are merged.
/// Thread-safe if the plugin is asynchronous (ChatModel::is_async).
class CachedChat : public Chat {
 public:
  CachedChat(Plugin<ChatModel> plugin, const Settings& settings, const Services& services);

  /// Stores each answer before `arrived` is called with it. Failures are not stored; the first three different reasons
  /// are logged under the chat plugin's name. Throws Error (exit 85) if the run is stopped before all requests are
  /// answered.
  void answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) override;
  std::string model() const override { return model_; }
  bool is_async() const override { return is_async_; }
  void unreadable(const ChatRequest& request, const std::string& answer, bool again) override;

 private:
  // Equal requests of one call; the first is sent for all.
  struct DistinctRequest {
    AnswerKey key;
    std::vector<size_t> places;  // indices of the requests in the call
  };
  // In the functions below, `requests` and `arrived` are the arguments of `answer`.

  // Groups equal requests.
  std::vector<DistinctRequest> different(const std::vector<ChatRequest>& requests);
  // Delivers stored answers. Returns the requests that have none.
  std::vector<DistinctRequest> unknown(std::vector<DistinctRequest> questions, const std::vector<ChatRequest>& requests,
                                       const OnReply& arrived);
  // Sends those of the requests `open` that no other thread or process is sending, and leaves the others in `open`.
  void ask_unclaimed(std::vector<DistinctRequest>& open, const std::vector<ChatRequest>& requests,
                     const OnReply& arrived);
  // Sleeps before the store is searched again. Throws Error (exit code 85) if the run is to stop.
  void wait() const;
  // Calls Services::before_asking.
  void announce(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests);
  // Sends requests to the plugin, and stores and delivers the replies.
  void ask(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests,
           const OnReply& arrived);
  // Counts and stores a reply, and returns it as stored.
  ChatReply kept(const AnswerKey& key, const ChatRequest& request, ChatReply reply);
  // Logs a failure, unless it or three others were logged before.
  void tell(const std::string& failure);
  // Returns `answerer_`.
  const std::string& answerer();
  // Returns the store to use; null: answers are not stored.
  AnswerStore* store() const;

  Plugin<ChatModel> plugin_;
  const nlohmann::json settings_;
  const Services& services_;
  const std::string model_;           // ChatModel::model
  const bool is_instant_, is_async_;  // as in ChatModel
  ChatQueue queue_;
  std::mutex mutex_;            // guards the members below and calls of Services::on_reply
  std::set<std::string> told_;  // failures already logged
  std::string answerer_;        // the answering model, as part of keys; empty until first used
};

}  // namespace compeer::plugin
