// What is asked of a reward: names of its parts, and for every completion that a model may come up with a finite number
// for each part (the door sees to both), the same ones whenever it is asked; and that what it is given stays as it was.
#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"

namespace compeer::contract {

namespace {

Case<Reward> scores(const std::string& input, const Example& example, const std::vector<std::string>& texts) {
  return {input, "score", [example, given = completions(texts)](plugin::Plugin<Reward>& reward) {
            const auto names = plugin::parts(reward);
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
    plugin::score(reward, {example, given}, plugin::parts(reward));
  } catch (const plugin::NotFinite& error) {
    return error.problem();
  } catch (const Error&) {
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
  kit.rules = {{"an example without a word gets numbers or is refused", "score", no_number}};
  return kit;
}

}  // namespace compeer::contract
