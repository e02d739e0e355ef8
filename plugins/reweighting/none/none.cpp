// Leaves rewards unchanged.
#include "compeer/plugin.h"
#include "compeer/reweighting.h"

namespace {

using namespace compeer;

class None : public Reweighting {
 public:
  Scores reweight(const Group&, std::span<const double> rewards) override {
    Scores unchanged;
    unchanged["reward"].assign(rewards.begin(), rewards.end());
    return unchanged;
  }
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, none, None, R"json(
  "version": "1.0.0",
  "summary": "Leaves rewards unchanged.",
  "parameters": {})json")
