// A reward that counts the completions of all steps, and returns the count so far.
#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

class Learner : public Reward {
 public:
  explicit Learner(const Settings& settings) : stubborn_(settings.flag("stubborn")) {}

  Scores score(const Group& group) override {
    Scores scores;
    scores.note = group.completions.size();
    scores["reward"].assign(group.completions.size(), static_cast<double>(seen_));
    if (stubborn_) ++seen_;  // state that differs between ranks
    return scores;
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
