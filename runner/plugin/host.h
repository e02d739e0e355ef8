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

/// Collects the first three different texts of many, as examples. Thread-safe.
class DistinctExamples {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < 3 && std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  /// Returns the collected texts and starts over.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// Statistics of one rank's requests to chat models since it started.
struct ChatCounts {
  std::atomic<int64_t> asked = 0;   ///< requests that a plugin has replied to, including failures
  std::atomic<int64_t> known = 0;   ///< requests answered from the store, or by an equal request of the same call
  std::atomic<int64_t> failed = 0;  ///< requests that still had no answer after all retries; part of `asked`
  std::atomic<int64_t> prompt_tokens = 0, completion_tokens = 0;  ///< tokens of `asked`, as far as known
  std::atomic<int64_t> malformed = 0;                             ///< requests without any parsable answer
  std::atomic<int64_t> retried = 0;                               ///< unparsable answers whose requests were repeated
  std::atomic<double> cost = 0;                                   ///< price of `asked`, in the currency of `price_in`
  DistinctExamples unreadable;  ///< examples of `malformed`: "'I would keep it'", "an empty answer"
  DistinctExamples failures;    ///< reasons of `failed`
};

/// A call of a chat model that is about to send requests; passed to Services::before_asking.
struct Announcement {
  std::string model;         ///< name of the chat model
  size_t requests, unknown;  ///< number of requests of the call, and of distinct ones without a stored answer
  int64_t tokens;            ///< estimated number of tokens in the prompts of `unknown`
};

/// Services shared by all plugins of a rank. Must outlive them.
struct Services {
  uint64_t seed = 0;  ///< seed of the run
  /// Called with "rewards/length" and the line.
  std::function<void(const std::string& plugin, const std::string&)> log;
  std::function<bool()> cancelled;  ///< true once the run is to stop
  /// Locates the plugin, given its kind and name, that another plugin asks for.
  std::function<PluginFile(const std::string& kind, const std::string&)> find;
  /// Implements Host::embed; null if there is no policy.
  std::function<std::vector<std::vector<float>>(const std::vector<std::string>&)> embed = nullptr;
  /// Implements Host::language_model.
  std::function<LanguageModel&(const std::string& directory)> language_model = nullptr;
  std::string compute = "float32";           ///< number format of the models that plugins open (model.compute)
  std::string device = "cpu";                ///< device of the models that plugins open
  const TextTokenizer* tokenizer = nullptr;  ///< the policy's tokenizer; null if there is no policy
  AnswerStore* answers = nullptr;            ///< answers of chat models; null: they are not stored
  ChatCounts* chat_counts = nullptr;
  /// Called before requests that are not in the store are sent.
  std::function<void(const Announcement&)> before_asking = nullptr;
  /// Called for each reply of a chat model whose answers are stored, failures included; null: not called.
  std::function<void(const std::string& model, const ChatReply&)> on_reply = nullptr;
};

/// Returns the complete settings of a plugin: `given`, and defaults for all other parameters. Throws Error (exit 5) if
/// a required one is missing.
Settings whole_settings(const PluginFile& chosen, const nlohmann::json& given);

/// The host of one plugin within a run. Keeps a reference to `services`.
class RunHost : public Host {
 public:
  RunHost(const PluginFile& plugin, const Services& services);
  ~RunHost() override;

  void log(const std::string& message) override;
  double random(uint32_t a, uint32_t b, uint32_t c) override;
  /// Opens the plugin at the first call. Its calls are guarded and its results checked. Missing settings get their
  /// defaults.
  Similarity& similarity(const Settings& choice) override;
  Chat& chat(const Settings& choice) override;
  LanguageModel& language_model(const std::string& directory) override;
  std::vector<std::vector<float>> embed(const std::vector<std::string>& texts) override;
  std::string folder() const override;
  bool cancelled() const override;
  const TextTokenizer& tokenizer() const override;

 private:
  // The host of a plugin that another plugin opened. `askers`: see `askers_`.
  RunHost(const PluginFile& plugin, const Services& services, std::vector<std::string> askers);
  // Returns the object for the plugin of type T that `choice` names; opens it, as a Checked, if `known` has none.
  template <class T, class Checked, class Known>
  auto& opened(std::map<std::string, std::unique_ptr<Known>>& known, const Settings& choice);

  std::string title_;   // "rewards/length"
  std::string folder_;  // folder of the library
  uint32_t stream_;     // random number stream of this plugin, derived from kind and name
  const Services& services_;
  std::vector<std::string> askers_;  // plugins being opened on behalf of each other, to detect cycles
  std::map<std::string, std::unique_ptr<Similarity>> similarities_;  // keyed by settings
  std::map<std::string, std::unique_ptr<Chat>> chats_;
};

}  // namespace compeer::plugin
