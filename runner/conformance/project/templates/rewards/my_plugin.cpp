// my_plugin: half a point for every question mark, at most `most`. Throw anything to refuse settings or a completion.
#include <compeer/plugin.h>
#include <compeer/reward.h>

#include <algorithm>

class MyPlugin : public compeer::Reward {
 public:
  explicit MyPlugin(const compeer::Settings& settings) : most_(settings.number("most")) {}
  compeer::Scores score(const compeer::Group& group) override {
    compeer::Scores scores;
    for (const auto& completion : group.completions) {
      const double questions = std::ranges::count(completion.text, '?');
      scores.add({{"reward", std::min(0.5 * questions, most_)}, {"questions", questions}});
    }
    return scores;
  }

 private:
  double most_;
};

COMPEER_PLUGIN(Reward, rewards, my_plugin, MyPlugin, R"json(
  "version": "1.0.0", "summary": "Rewards questions.",
  "columns": ["reward", "questions"],
  "parameters": {"most": {"type": "number", "default": 1.0, "min": 0, "help": "maximum reward"}})json")
