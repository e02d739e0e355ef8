#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/tokenizer.h"
#include "plugin/answer_store.h"
#include "plugin/library.h"

namespace compeer::plugin {

/// The first three different texts of many. May be used by several threads.
class Examples {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < 3 && std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  /// Returns the examples and starts over.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// What was asked of chat models by one rank since it started.
struct ChatCounts {
  std::atomic<int64_t> asked = 0;   ///< requests that a plugin has replied to, failures included
  std::atomic<int64_t> known = 0;   ///< requests answered by the store, or by the same request in one call
  std::atomic<int64_t> failed = 0;  ///< of those asked: no answer after all retries
  std::atomic<int64_t> prompt_tokens = 0, completion_tokens = 0;  ///< of those asked, as far as known
  std::atomic<int64_t> malformed = 0;                             ///< requests without any answer that could be read
  std::atomic<int64_t> again = 0;  ///< answers that could not be read, whose requests were repeated
  std::atomic<double> cost = 0;    ///< of those asked, in the currency of `price_in`
  Examples unreadable;             ///< of `malformed`: "'I would keep it'", "an empty answer"
  Examples failures;               ///< of `failed`: the reasons
};

/// Made before a chat model is asked. `unknown`: different requests that are not in the store. `tokens`: an estimate of
/// those in their prompts.
struct Announcement {
  std::string model;
  size_t requests, unknown;
  int64_t tokens;
};

/// What all plugins of a rank share. Must outlive them.
struct Services {
  uint64_t seed = 0;                                                        ///< the run's
  std::function<void(const std::string& plugin, const std::string&)> log;   ///< "rewards/length", the line
  std::function<bool()> cancelled;                                          ///< true once the run is to stop
  std::function<Chosen(const std::string& kind, const std::string&)> find;  ///< a plugin that another asks for
  /// Host::embed, where there is a policy.
  std::function<std::vector<std::vector<float>>(const std::vector<std::string>&)> embed = nullptr;
  std::function<LanguageModel&(const std::string& directory)> language_model = nullptr;  ///< Host::language model
  std::string compute = "float32";           ///< what the models compute in that plugins open: model.compute
  std::string device = "cpu";                ///< and where
  const TextTokenizer* tokenizer = nullptr;  ///< of the policy, where there is one
  AnswerStore* answers = nullptr;            ///< what chat models answered; absent: nothing is stored
  ChatCounts* chat_counts = nullptr;
  std::function<void(const Announcement&)> before_asking = nullptr;  ///< of requests whose answers are not stored
  std::function<void(const std::string& model, const ChatReply&)> paid = nullptr;  ///< of each reply that is not free
};

/// A plugin's settings where no spec has filled them in: what `given` leaves out has its default.
Settings whole_settings(const Chosen& chosen, const nlohmann::json& given);

/// The host of one plugin within a run.
class RunHost : public Host {
 public:
  RunHost(const Chosen& plugin, const Services& services);
  ~RunHost() override;

  void log(const std::string& message) override;
  double random(uint32_t a, uint32_t b, uint32_t c) override;
  /// Opened when first asked for, guarded and checked like any plugin. Settings that are absent have their defaults.
  Similarity& similarity(const Settings& choice) override;
  Chat& chat(const Settings& choice) override;
  LanguageModel& language_model(const std::string& directory) override;
  std::vector<std::vector<float>> embed(const std::vector<std::string>& texts) override;
  std::string folder() const override;
  bool cancelled() const override;
  const TextTokenizer& tokenizer() const override;

 private:
  RunHost(const Chosen& plugin, const Services& services, std::vector<std::string> askers);
  template <class T, class Checked, class Known>
  auto& opened(std::map<std::string, std::unique_ptr<Known>>& known, const Settings& choice);

  std::string title_;   // "rewards/length"
  std::string folder_;  // of its library
  uint32_t stream_;     // keeps the random numbers of plugins apart: from kind and name alone
  const Services& services_;
  std::vector<std::string> askers_;  // plugins being opened on behalf of each other, to see a circle
  std::map<std::string, std::unique_ptr<Similarity>> similarities_;  // by their settings
  std::map<std::string, std::unique_ptr<Chat>> chats_;
};

}  // namespace compeer::plugin
