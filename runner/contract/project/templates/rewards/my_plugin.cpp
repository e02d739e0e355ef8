// my_plugin: half a point for every question mark, at most `most`.
#include <ATen/ops/zeros.h>
#include <compeer/plugin.h>
#include <compeer/reward.h>

#include <algorithm>

namespace {

class MyPlugin : public compeer::Reward {
 public:
  // Every key of the descriptor below is there, in its type and range. Throw anything to refuse: the message reaches
  // the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host&) : most_(settings.number("most")) {}

  // A column each. The first is the reward, the others are logged beside it.
  std::vector<std::string> parts() const override { return {"reward", "questions"}; }

  at::Tensor score(const compeer::Group& group) override {
    at::Tensor scores = at::zeros({static_cast<int64_t>(group.completions.size()), 2}, at::kFloat);
    float* row = scores.mutable_data_ptr<float>();
    for (const auto& completion : group.completions) {
      const auto questions = static_cast<double>(std::count(completion.text.begin(), completion.text.end(), '?'));
      *row++ = static_cast<float>(std::min(0.5 * questions, most_));
      *row++ = static_cast<float>(questions);
    }
    return scores;
  }

 private:
  double most_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Likes questions.",
  "parameters": {
    "most": {"type": "number", "default": 1.0, "min": 0, "help": "the largest reward"}
  })json")
