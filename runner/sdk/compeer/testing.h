#pragma once
/// For unit tests of plugins: the library that was built, opened without a run around it.
///
///   compeer::TestHost host;
///   const auto reward = compeer::open_library<compeer::Reward>("length.so", {{"target", 400}}, host);
///   EXPECT_EQ(compeer::scores_of(*reward, {"a", "bcd"}).at("length"), (std::vector<double>{1, 3}));
#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/reward.h"
#include "compeer/settings.h"

namespace compeer {

/// A host of a test's own. Random numbers are a function of their arguments, as in a run; what is logged is kept.
class TestHost : public Host {
 public:
  std::vector<std::string> logged;
  bool stopped = false;                ///< what cancelled() says
  Similarity* similarities = nullptr;  ///< what plugins among the settings are, if a test needs any
  Chat* chats = nullptr;
  LanguageModel* language_models = nullptr;
  const TextTokenizer* tokenizers = nullptr;

  void log(const std::string& message) override { logged.push_back(message); }
  double random(uint32_t a, uint32_t b, uint32_t c) override {
    uint64_t bits = 0;
    for (const uint32_t number : {a, b, c}) bits = mixed(bits + number);
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
  Similarity& similarity(const Settings&) override { return given(similarities, "similarity plugin"); }
  Chat& chat(const Settings&) override { return given(chats, "chat plugin"); }
  LanguageModel& language_model(const std::string&) override { return given(language_models, "language_model"); }
  std::vector<std::vector<float>> embed(const std::vector<std::string>&) override {
    throw std::logic_error("a TestHost has no policy");
  }
  std::string folder() const override { return "."; }
  bool cancelled() const override { return stopped; }
  const TextTokenizer& tokenizer() const override { return given(tokenizers, "tokenizer"); }

 private:
  template <class T>
  static T& given(T* other, const char* what) {
    if (!other) throw std::logic_error(std::string("this TestHost was given no ") + what);
    return *other;
  }
  // splitmix64
  static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

/// Makes a plugin out of its library with these settings, which must be all of them: nothing is read from the
/// descriptor
/// (`compeer plugins check` does that). The library is never closed.
template <class Kind>
std::unique_ptr<Kind> open_library(const std::string& file, nlohmann::json settings, Host& host) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(::dlerror());
  void** const alias = static_cast<void**>(::dlsym(library, "compeer_make"));
  if (!alias) throw std::runtime_error(file + " exports no factory: its source ends with COMPEER_PLUGIN");
  using Factory = std::unique_ptr<Kind> (*)(const Settings&, Host&);
  return reinterpret_cast<Factory>(*alias)(Settings(std::move(settings)), host);
}

/// The scores of a group with these completions, unchecked.
inline Scores scores_of(Reward& reward, const std::vector<std::string>& texts, const Example& example = {}) {
  std::vector<Completion> completions;
  for (const auto& text : texts) completions.push_back({text, 0, true});
  const std::vector<Group> groups{{example, completions}};
  return reward.score_all(groups).at(0);
}

/// What a chat model replies, in the order of the requests; one that it has not answered has an empty reply.
inline std::vector<ChatReply> replies_of(ChatModel& chat, const std::vector<ChatRequest>& requests) {
  struct Line : ChatRequests {
    explicit Line(const std::vector<ChatRequest>& all) : all(all), replies(all.size()) {}
    std::vector<Numbered> take(size_t most) override {
      std::vector<Numbered> some;
      for (; some.size() < most && next < all.size(); ++next) some.push_back({next, all[next]});
      return some;
    }
    void reply(size_t number, ChatReply reply) override { replies.at(number) = std::move(reply); }
    const std::vector<ChatRequest>& all;
    std::vector<ChatReply> replies;
    size_t next = 0;
  } line(requests);
  chat.answer(line);
  return line.replies;
}

}  // namespace compeer
