// The cases of plugins that receive texts: rewards, reweighting, similarity, chat models. plugin/calls.h checks the
// names, shapes and ranges of their results.
#include <limits>

#include "compeer/testing.h"
#include "conformance/worker/cases.h"
#include "plugin/chat_queue.h"

namespace compeer::conformance {

namespace {

Case<Reward> score_case(const std::string& input, const Example& example, const std::vector<std::string>& texts) {
  return {input, "score", [example, given = completions(texts)](plugin::Plugin<Reward>& reward) {
            const auto names = plugin::columns(reward);
            const auto score = [&] { return plugin::score(reward, {example, given}, names); };
            return bytes(names) + bytes(untouched(score, example));
          }};
}

// An example with an empty prompt, no answer and no labels: a reward that needs them may throw, but must not return
// NaN.
std::string score_without_words(plugin::Plugin<Reward>& reward) {
  Example example;
  example.id = "silent";
  example.history = {{"user", ""}};
  example.record = nlohmann::json::object();
  const auto given = completions(ordinary_texts());
  try {
    return bytes(plugin::score(reward, {example, given}, plugin::columns(reward)));
  } catch (const plugin::NotFinite&) {
    throw;
  } catch (const Error&) {
    return "refused";
  }
}

std::string depends_on_others(Reward& reward, const Example& example) {
  const auto& texts = ordinary_texts();
  const auto first = completions({texts.begin(), texts.end() - 1}), second = completions({texts.back()});
  return reward_problem(reward, {{example, first}, {example, second}});
}

using Reweighter = plugin::Plugin<Reweighting>;

Case<Reweighting> reweight_case(const std::string& input, const Example& example, const std::vector<std::string>& texts,
                                const std::vector<double>& rewards) {
  return {input, "reweight", [example, given = completions(texts), rewards](Reweighter& reweighting) {
            const auto names = plugin::factors(reweighting);
            const auto reweight = [&] { return plugin::reweight(reweighting, {example, given}, rewards, names); };
            return bytes(names) + bytes(untouched(reweight, example, rewards));
          }};
}

// Rewards that no run has: an exception is allowed, and the result is not checked.
Case<Reweighting> survival_case(const std::string& input, const Example& example, const std::vector<double>& rewards) {
  return {input, "reweight", [example, given = completions(ordinary_texts()), rewards](Reweighter& reweighting) {
            try {
              reweighting.call("reweight", [&](Reweighting& r) { r.reweight({example, given}, rewards); });
            } catch (const Error&) {
            }
            return std::string();
          }};
}

Case<Similarity> compare_case(const std::string& input, const std::vector<std::string>& a,
                              const std::vector<std::string>& b) {
  return {input, "compare", [a, b](plugin::Plugin<Similarity>& similarity) {
            return bytes(untouched([&] { return plugin::compare(similarity, a, b); }, a, b));
          }};
}

Case<ChatModel> answer_case(const std::string& input, const std::vector<std::string>& texts) {
  std::vector<ChatRequest> requests;
  for (const auto& text : texts) {
    auto& request = requests.emplace_back();
    request.turns = {{"system", "Answer briefly."}, {"user", text}};
    request.max_tokens = 16;
  }
  return {input, "answer", [requests](plugin::Plugin<ChatModel>& chat) {
            plugin::ChatQueue(chat, nullptr).answer(requests, [](size_t, const ChatReply&) {});
            return std::string();
          }};
}

}  // namespace

Cases<Reward> cases_for(const Subject<Reward>& subject) {
  const Example& example = subject.request.examples.front();
  Cases<Reward> all;
  for (const SampleTexts& one : all_texts())
    all.cases.push_back(score_case(one.name_for("completions"), example, one.texts));
  all.cases.push_back(score_case("a single completion", example, {ordinary_texts().front()}));
  for (size_t i = 1; i < subject.request.examples.size(); ++i) {
    auto texts = ordinary_texts();
    texts.push_back(subject.request.examples[i].answer);
    all.cases.push_back(score_case("example " + subject.request.examples[i].id, subject.request.examples[i], texts));
  }
  all.cases.push_back({"an example without text", "score", score_without_words});
  all.rules = {{"a group gets the same scores alone and with others", "score",
                [example](Reward& reward) { return depends_on_others(reward, example); }}};
  return all;
}

Cases<Reweighting> cases_for(const Subject<Reweighting>& subject) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const Example& example = subject.request.examples.front();
  Cases<Reweighting> all;
  for (const SampleTexts& one : all_texts())
    all.cases.push_back(reweight_case(one.name_for("completions"), example, one.texts, {1, -0.5, 0.25, 2}));
  const std::vector<std::string> equal(4, "the same");
  all.cases.push_back(reweight_case("a single completion", example, {equal.front()}, {1}));
  all.cases.push_back(reweight_case("equal completions", example, equal, {1, 2, 3, 4}));
  all.cases.push_back(reweight_case("equal rewards", example, ordinary_texts(), {1, 1, 1, 1}));
  all.cases.push_back(reweight_case("rewards of zero", example, ordinary_texts(), {0, -0.0, 0, 0}));
  all.cases.push_back(reweight_case("rewards of a million", example, ordinary_texts(), {1e6, -1e6, 1e6, 1e6}));
  all.cases.push_back(survival_case("rewards of NaN", example, {1, nan, 1, 1}));
  all.cases.push_back(survival_case("infinite rewards", example, {infinity, -infinity, 1, 1}));
  return all;
}

Cases<Similarity> cases_for(const Subject<Similarity>&) {
  Cases<Similarity> all;
  for (const SampleTexts& one : all_texts())
    all.cases.push_back(compare_case(one.name_for("texts"), one.texts, ordinary_texts()));
  all.cases.push_back(compare_case("a list without texts", {}, ordinary_texts()));
  all.cases.push_back(compare_case("no texts at all", {}, {}));
  all.rules = {{"cosines are symmetric, 1 of a text with itself, 0 with the empty text", "compare",
                [](Similarity& similarity) { return similarity_problem(similarity, ordinary_texts()); }}};
  return all;
}

Cases<ChatModel> cases_for(const Subject<ChatModel>&) {
  Cases<ChatModel> all;
  all.cases = {answer_case("ordinary questions", ordinary_texts())};
  for (size_t i = 1; i < all_texts().size(); ++i)
    all.cases.push_back(answer_case(all_texts()[i].name_for("questions"), {all_texts()[i].texts.front()}));
  all.cases.push_back(answer_case("no questions", {}));
  all.cases.push_back({"its settings", "cache_key", [](plugin::Plugin<ChatModel>& chat) {
                         return chat.call("cache_key", [](ChatModel& c) { return c.cache_key(); });
                       }});
  all.rules = {
      {"it has a name", "model", [](ChatModel& c) { return c.model().empty() ? "model() returned nothing" : ""; }}};
  all.varies = "a chat model may answer differently each time, and each answer may cost money";
  return all;
}

}  // namespace compeer::conformance
