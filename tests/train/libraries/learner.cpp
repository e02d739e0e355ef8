// A reward that counts the completions of all steps, and gives what it has counted so far.
#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

class Learner : public Reward {
 public:
  explicit Learner(const Settings& settings) : stubborn_(settings.flag("stubborn")) {}

  void score(std::span<const Group> groups, Scores& scores) override {
    for (const Group& group : groups) {
      scores.note(group, group.completions.size());
      for (const Completion& one : group.completions) scores.add(one, {{"reward", static_cast<double>(seen_)}});
    }
    if (stubborn_) seen_ += groups.size();  // what only this rank knows
  }

  nlohmann::json state() const override { return seen_; }
  void restore(const nlohmann::json& state) override { seen_ = state.get<size_t>(); }
  void learn(const std::vector<nlohmann::json>& notes) override {
    for (const auto& note : notes) seen_ += note.is_null() ? 0 : note.get<size_t>();
  }

 private:
  bool stubborn_;
  size_t seen_ = 0;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, learner, Learner, R"json(
  "version": "1.0.0",
  "summary": "Counts completions.",
  "parameters": {"stubborn": {"type": "boolean", "default": false}})json")
