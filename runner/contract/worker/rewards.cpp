// What is asked of a reward: names of its parts, and for every completion that a model may come up with a finite number
// for each part (the door sees to both), the same ones whenever it is asked; and that what it is given stays as it was.
#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"

namespace compeer::contract {

namespace {

Case<Reward> scores(const std::string& input, const Example& example, const std::vector<std::string>& texts) {
  return {input, "score", [example, given = completions(texts)](plugin::Plugin<Reward>& reward) {
            const auto names = plugin::columns(reward);
            const auto score = [&] { return plugin::score(reward, {example, given}, names); };
            return bytes(names) + bytes(untouched(score, example, given));
          }};
}

// A question of pictures alone, without an answer or labels. What needs these may refuse it.
std::string no_number(plugin::Plugin<Reward>& reward) {
  Example example;
  example.id = "silent";
  example.history = {{"user", ""}};
  example.record = nlohmann::json::object();
  const auto given = completions(all_texts().front().texts);
  try {
    plugin::score(reward, {example, given}, plugin::columns(reward));
  } catch (const plugin::NotFinite& error) {
    return error.problem();
  } catch (const Error&) {
  }
  return "";
}

// A group of one text among those of all, and both of them alone.
std::string otherwise_beside_others(plugin::Plugin<Reward>& reward, const Example& example) {
  const auto& texts = all_texts().front().texts;
  const auto first = completions({texts.begin(), texts.end() - 1}), second = completions({texts.back()});
  const auto names = plugin::columns(reward);
  const std::vector<Group> groups{{example, first}, {example, second}};
  const auto alone = [&](const Group& group) { return bytes(plugin::score(reward, group, names)); };
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto before = alone(groups[g]);
    const auto together = plugin::score(reward, groups, names);
    if (together[g].failure) std::rethrow_exception(together[g].failure);
    const bool repeats = alone(groups[g]) == before;  // else it is told of as such
    if (repeats && bytes(together[g].scores) != before) return "what the other group says changes its scores";
  }
  return "";
}

}  // namespace

Kit<Reward> kit_for(const Subject<Reward>& subject) {
  Kit<Reward> kit;
  for (const SampleTexts& one : all_texts())
    kit.cases.push_back(scores(one.of("completions"), subject.examples.front(), one.texts));
  const auto& ordinary = all_texts().front().texts;
  kit.cases.push_back(scores("a single completion", subject.examples.front(), {ordinary.front()}));
  for (size_t i = 1; i < subject.examples.size(); ++i) {
    auto texts = ordinary;
    texts.push_back(subject.examples[i].answer);
    kit.cases.push_back(scores("example " + subject.examples[i].id, subject.examples[i], texts));
  }
  kit.rules = {
      {"an example without a word gets numbers or is refused", "score", no_number},
      {"a group gets the same alone and beside another", "score",
       [example = subject.examples.front()](auto& reward) { return otherwise_beside_others(reward, example); }}};
  return kit;
}

}  // namespace compeer::contract
