#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "plugin/chat_memory.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::plugin {

/// A chat model as the plugin that asks it gets it: behind guard and door, asked only for what memory does not hold,
/// and for equal requests once. Without a memory only the last is true.
class RememberedChat : public Chat {
 public:
  RememberedChat(Plugin<Chat> plugin, const Settings& settings, const Services& services);

  /// An answer is kept before `arrived` is told of it; a failure is not kept, but the first few reasons, each once, are
  /// logged in the plugin's name, for whoever asked tells them nobody. Throws Error (exit 85) if the run was
  /// stopped before all answers were there.
  void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) override;
  std::string model() const override;

 private:
  // Equal requests, of which the first is asked.
  struct Question {
    std::string key;
    std::vector<size_t> places;
  };
  std::vector<Question> unknown(const std::vector<ChatRequest>& requests, const Arrived& arrived);
  void ask(const std::vector<Question>& questions, const std::vector<ChatRequest>& requests, const Arrived& arrived);
  void take(const Question& question, ChatReply reply, const Arrived& arrived);
  void tell(const std::string& failure);
  const std::string& answerer();

  mutable Plugin<Chat> plugin_;
  nlohmann::json settings_;
  const Services& services_;
  std::set<std::string> told_;  // failures that were logged
  std::string answerer_;        // who answers, for keys; empty until it is asked for
};

}  // namespace compeer::plugin
