#pragma once
/// For unit tests of plugins: opens the library that was built, without a run. The functions whose names end in
/// `_problem` check the rules of a kind, as `compeer plugins check` does; they return a description of the first
/// mistake, or "".
///
///   compeer::TestHost host;
///   const auto reward = compeer::open_library<compeer::Reward>("length.so", {{"target", 400}}, host);
///   EXPECT_EQ(compeer::scores_of(*reward, {"a", "bcd"}).at("length"), (std::vector<double>{1, 3}));
///   EXPECT_EQ(compeer::similarity_problem(*similarity, {"listen", "silent"}), "");
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/dataset.h"
#include "compeer/host.h"
#include "compeer/reward.h"
#include "compeer/settings.h"
#include "compeer/similarity.h"
#include "compeer/stage.h"

namespace compeer {

/// A host for tests. Random numbers are a function of their arguments, as in a run.
class TestHost : public Host {
 public:
  std::vector<std::string> logged;  ///< arguments of log()
  bool stopped = false;             ///< result of cancelled()
  // Results of similarity(), chat(), language_model() and tokenizer(), which throw std::logic_error if these are null.
  Similarity* similarities = nullptr;
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
  // Returns *other. Throws std::logic_error, which names `what`, if it is null.
  template <class T>
  static T& given(T* other, const char* what) {
    if (!other) throw std::logic_error(std::string("this TestHost was given no ") + what);
    return *other;
  }
  // Hash function for random(): splitmix64.
  static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

/// Opens a plugin's library and creates its object with these settings; `Kind` is the interface of its kind, such as
/// Reward. Defaults of the descriptor are not added, so `settings` must contain every setting. The library is never
/// closed. `host` must outlive the object.
template <class Kind>
std::unique_ptr<Kind> open_library(const std::string& file, nlohmann::json settings, Host& host) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(::dlerror());
  void** const alias = static_cast<void**>(::dlsym(library, "compeer_make"));
  if (!alias) throw std::runtime_error(file + " exports no factory: its source must end with COMPEER_PLUGIN");
  using Factory = std::unique_ptr<Kind> (*)(const Settings&, Host&);
  return reinterpret_cast<Factory>(*alias)(Settings(std::move(settings)), host);
}

/// Returns the scores of a group: completions with these texts, of the prompt `example`. The scores are not checked.
inline Scores scores_of(Reward& reward, const std::vector<std::string>& texts, const Example& example = {}) {
  std::vector<Completion> completions;
  for (const auto& text : texts) completions.push_back({text, 0, true});
  const std::vector<Group> groups{{example, completions}};
  return reward.score_all(groups).at(0);
}

/// Returns a chat model's replies, in the order of the requests. The reply to an unanswered request is empty.
inline std::vector<ChatReply> replies_of(ChatModel& chat, const std::vector<ChatRequest>& requests) {
  // The queue that the chat model gets: all requests, and the replies to them by index.
  struct Line : ChatRequests {
    explicit Line(const std::vector<ChatRequest>& given) : all(given), replies(given.size()) {}
    std::vector<Numbered> take(size_t most) override {
      std::vector<Numbered> some;
      for (; some.size() < most && next < all.size(); ++next) some.push_back({next, all[next]});
      return some;
    }
    void reply(size_t number, ChatReply reply) override { replies.at(number) = std::move(reply); }
    const std::vector<ChatRequest>& all;
    std::vector<ChatReply> replies;
    size_t next = 0;  // index of the next request to take
  } line(requests);
  chat.answer(line);
  return line.replies;
}

/// Checks that a group's scores are the same whether it is scored alone or with the others. Returns the first mistake,
/// or
/// "".
inline std::string reward_problem(Reward& reward, const std::vector<Group>& groups) {
  const auto equal = [](const Scores::Column& a, const Scores::Column& b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  };
  const auto together = reward.score_all(groups);
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto alone = reward.score_all(std::vector<Group>{groups[g]});
    for (const auto& [name, column] : alone.at(0).columns()) {
      if (!equal(column, together.at(g).at(name)))
        return "column '" + name + "' of group " + std::to_string(g) + " depends on the other groups";
    }
  }
  return "";
}

/// Checks that cosines are symmetric, 1 between a text and itself, and 0 between the empty text and any other. `texts`
/// must have content.
inline std::string similarity_problem(Similarity& similarity, std::vector<std::string> texts) {
  constexpr double rounding = 1e-6;
  const size_t empty = texts.size();
  texts.emplace_back();
  const auto cosines = similarity.compare(texts, texts);
  const auto wrong = [&](size_t i, size_t j, const std::string& right) {
    return "text " + std::to_string(i) + " with " + (j == empty ? "the empty text" : "text " + std::to_string(j)) +
           ": " + std::to_string(cosines[i][j]) + " instead of " + right;
  };
  for (size_t i = 0; i < empty; ++i) {
    if (std::abs(cosines.at(i).at(i) - 1) > rounding) return wrong(i, i, "1");
    if (cosines[i].at(empty) != 0) return wrong(i, empty, "0");
    for (size_t j = 0; j < i; ++j) {
      if (std::abs(cosines[i][j] - cosines[j][i]) > rounding) return wrong(i, j, std::to_string(cosines[j][i]));
    }
  }
  return "";
}

/// Checks that examples have unique ids, known roles and UTF-8 texts, and that a split that does not exist is empty.
/// Reads up to `max_examples` of each split, for at most two seconds.
inline std::string dataset_problem(Dataset& dataset, int64_t max_examples = 1000) {
  std::set<std::string> ids;
  const auto problem = [&](const Example& example) -> std::string {
    nlohmann::json texts = {example.id, example.answer, example.record};
    for (const Turn& turn : example.history) {
      if (turn.role != "system" && turn.role != "user" && turn.role != "assistant")
        return "has a turn with the role '" + turn.role + "'";
      texts.push_back(turn.text);
    }
    if (example.id.empty()) return "has no id";
    if (example.target_turns < 1)
      return "has learn = " + std::to_string(example.target_turns) + ", but must be at least 1";
    try {
      (void)texts.dump();
    } catch (const nlohmann::json::exception&) {
      return "contains text that is not UTF-8";
    }
    return ids.insert(example.id).second ? "" : "repeats the id of an earlier example: " + example.id;
  };
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (const char* split : {"train", "valid", "test"}) {
    const auto size = std::min(max_examples, dataset.size(split));
    for (int64_t i = 0; i < size && std::chrono::steady_clock::now() < limit; ++i) {
      const auto found = problem(dataset.get(split, i));
      if (!found.empty()) return std::string(split) + " " + std::to_string(i) + " " + found;
    }
  }
  const auto size = dataset.size("no such split");
  return size == 0 ? "" : "'no such split' has " + std::to_string(size) + " examples";
}

/// Checks that a record's outcome and the sums of counts are the same whether records are processed alone or together,
/// and that `findings` returns an object.
inline std::string stage_problem(Stage& stage, const std::vector<nlohmann::json>& records) {
  std::map<std::string, double> together, alone;
  const auto outcomes = stage.make(records);
  for (size_t i = 0; i < records.size(); ++i) {
    const auto one = stage.make({records[i]}).at(0);
    const Outcome& other = outcomes.at(i);
    if (one.records != other.records || one.dropped != other.dropped || one.unchanged != other.unchanged)
      return "record " + records[i].value("id", "") + " has a different outcome when it is processed alone";
    for (const auto& [name, count] : one.counts) alone[name] += count;
    for (const auto& [name, count] : other.counts) together[name] += count;
  }
  for (const auto& [name, count] : together) {
    if (std::abs(alone[name] - count) > 1e-6 * std::abs(count))
      return "'" + name + "' is " + std::to_string(count) + ", but " + std::to_string(alone[name]) +
             " when records are processed one at a time";
  }
  return stage.findings({}).is_object() ? "" : "findings() returned no object";
}

}  // namespace compeer
