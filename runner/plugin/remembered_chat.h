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

/// A chat model as the plugin that asks it gets it: behind guard and door, asked only for what the store does not hold
/// and nobody else is asking, and for equal requests once. Without a store, and if its answers are free, only the last
/// is true. May be asked by several threads if the plugin waits.
class RememberedChat : public Chat {
 public:
  RememberedChat(Plugin<ChatModel> plugin, const Settings& settings, const Services& services);

  /// An answer is stored as it comes, before `arrived` is told of it; a failure is not stored, but the first
  /// few reasons, each once, are logged in the plugin's name, for whoever asked tells them nobody. Throws Error (exit
  /// 85) if the run was stopped before all answers were there.
  void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) override;
  std::string model() const override { return model_; }
  bool waits() const override { return waits_; }
  void unreadable(const ChatRequest& request, const std::string& answer, bool again) override;

 private:
  // Equal requests, of which the first is asked.
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
  std::mutex mutex_;            // of what follows, and of `services.paid`
  std::set<std::string> told_;  // failures that were logged
  std::string answerer_;        // who answers, for keys; empty until it is asked for
};

}  // namespace compeer::plugin
