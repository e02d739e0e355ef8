#pragma once
#include <memory>
#include <string>
#include <vector>

#include "built.h"
#include "compeer/chat.h"
#include "server.h"

namespace compeer {

/// Calls a chat plugin as any plugin does: through its host.
class Asker {
 public:
  Asker() {
    services.log = [this](const std::string& plugin, const std::string& line) { log += plugin + ": " + line + "\n"; };
    services.chat_counts = &counts;
    open();
  }

  /// Replaces the host. This closes the open chat plugins, which then log their statistics.
  void open() {
    host.reset();
    host =
        std::make_unique<plugin::RunHost>(plugin::PluginFile{"rewards", "asker", "/x/rewards/asker.so", ""}, services);
  }

  /// Opens a chat plugin.
  Chat& chat(const nlohmann::json& settings) { return host->chat(Settings(settings)); }

  /// Returns the replies, by request. The test fails if a reply comes twice or not at all.
  std::vector<ChatReply> ask(const nlohmann::json& settings, const std::vector<ChatRequest>& requests) {
    std::vector<ChatReply> replies(requests.size());
    std::vector<int> times(requests.size());
    chat(settings).answer(requests, [&](size_t i, ChatReply reply) {
      replies.at(i) = std::move(reply);
      ++times[i];
    });
    EXPECT_EQ(times, std::vector<int>(requests.size(), 1));
    return replies;
  }
  ChatReply ask(const nlohmann::json& settings, const std::string& text) { return ask(settings, questions({text}))[0]; }

  /// Returns a request for each text; or for "question 0", "question 1", ...
  static std::vector<ChatRequest> questions(const std::vector<std::string>& texts) {
    std::vector<ChatRequest> all;
    for (const auto& text : texts) all.push_back({.turns = {{"user", text}}});
    return all;
  }
  static std::vector<ChatRequest> questions(size_t count) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) texts.push_back("question " + std::to_string(i));
    return questions(texts);
  }

  /// Settings of `openai` with delays of a millisecond instead of a second.
  static nlohmann::json openai(const server::Server& server, const nlohmann::json& more = {}) {
    nlohmann::json settings{{"plugin", "openai"},   {"url", server.url()},     {"name", "tiny"},
                            {"backoff", 0.001},     {"timeout", 20},           {"retries", 3},
                            {"backoff_max", 0.004}, {"key_env", "NO_KEY_HERE"}};
    if (more.is_object()) settings.update(more);
    return settings;
  }

  /// Returns the first line that `openai` logs.
  static std::string opening(const server::Server& server) {
    return "chat/openai: tiny: sends requests to " + server.url() + " without a key: $NO_KEY_HERE is not set\n";
  }

  std::string log;            // messages of the plugins: "chat/openai: ..."
  plugin::ChatCounts counts;  // requests and tokens of all chat models
  plugin::Services services = built::services();
  std::unique_ptr<plugin::RunHost> host;
};

/// Returns the Error that `f` throws; the test fails if there is none.
inline Error error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("", "");
}

}  // namespace compeer
