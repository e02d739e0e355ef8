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
class RememberedChat : public Chat {
 public:
  RememberedChat(Plugin<ChatModel> plugin, const Settings& settings, const Services& services);

  /// Stores each answer before `arrived` is called with it. Failures are not stored; the first three different reasons
  /// are logged under the chat plugin's name. Throws Error (exit 85) if the run is stopped before all requests are
  /// answered.
  void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) override;
  std::string model() const override { return model_; }
  bool waits() const override { return waits_; }
  void unreadable(const ChatRequest& request, const std::string& answer, bool again) override;

 private:
  // Equal requests of one call (`places` are their indices); the first is sent.
  struct RememberedRequest {
    AnswerKey key;
    std::vector<size_t> places;
  };
  std::vector<RememberedRequest> different(const std::vector<ChatRequest>& requests);
  std::vector<RememberedRequest> unknown(std::vector<RememberedRequest> questions,
                                         const std::vector<ChatRequest>& requests, const Arrived& arrived);
  void ask_those_nobody_asks(std::vector<RememberedRequest>& open, const std::vector<ChatRequest>& requests,
                             const Arrived& arrived);
  void wait() const;
  void announce(const std::vector<RememberedRequest>& questions, const std::vector<ChatRequest>& requests);
  void ask(const std::vector<RememberedRequest>& questions, const std::vector<ChatRequest>& requests,
           const Arrived& arrived);
  ChatReply kept(const AnswerKey& key, const ChatRequest& request, ChatReply reply);
  void tell(const std::string& failure);
  const std::string& answerer();
  AnswerStore* store() const;

  Plugin<ChatModel> plugin_;
  const nlohmann::json settings_;
  const Services& services_;
  const std::string model_;
  const bool free_, waits_;
  ChatLine line_;
  std::mutex mutex_;            // guards the members below and calls of `services.paid`
  std::set<std::string> told_;  // failures already logged
  std::string answerer_;        // the answering model, as part of keys; empty until first used
};

}  // namespace compeer::plugin
