// Rewards as they are.
#include "compeer/plugin.h"
#include "compeer/reweighting.h"

namespace {

using namespace compeer;

class None : public Reweighting {
 public:
  void reweight(const Group& group, std::span<const double> rewards, Scores& reweighted) override {
    for (size_t i = 0; i < rewards.size(); ++i) reweighted.add(group.completions[i], {{"reward", rewards[i]}});
  }
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, none, None, R"json(
  "version": "1.0.0",
  "summary": "Leaves rewards as they are.",
  "parameters": {})json")
