#pragma once
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "plugin/answer_store.h"
#include "plugin/chat_line.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::plugin {

/// The Chat that other plugins get for a chat plugin. Calls are guarded and checked. Equal requests are sent once, and
/// only if no answer is stored and no other thread or process is sending the same. Without a store, or if the plugin's
/// answers are `free`, only equal requests of one call are merged. Thread-safe if the plugin `waits`.
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
  // Equal requests of one call (`places` are their indices); the first is sent.
  struct DistinctRequest {
    AnswerKey key;
    std::vector<size_t> places;
  };
  std::vector<DistinctRequest> different(const std::vector<ChatRequest>& requests);
  std::vector<DistinctRequest> unknown(std::vector<DistinctRequest> questions, const std::vector<ChatRequest>& requests,
                                       const OnReply& arrived);
  void ask_unclaimed(std::vector<DistinctRequest>& open, const std::vector<ChatRequest>& requests,
                     const OnReply& arrived);
  void wait() const;
  void announce(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests);
  void ask(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests,
           const OnReply& arrived);
  ChatReply kept(const AnswerKey& key, const ChatRequest& request, ChatReply reply);
  void tell(const std::string& failure);
  const std::string& answerer();
  AnswerStore* store() const;

  Plugin<ChatModel> plugin_;
  const nlohmann::json settings_;
  const Services& services_;
  const std::string model_;
  const bool is_instant_, is_async_;
  ChatQueue line_;
  std::mutex mutex_;            // guards the members below and calls of `services.paid`
  std::set<std::string> told_;  // failures already logged
  std::string answerer_;        // the answering model, as part of keys; empty until first used
};

}  // namespace compeer::plugin
