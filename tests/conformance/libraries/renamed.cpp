// A reward plugin whose descriptor has another name than its file.
#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

class Plane : public Reward {
 public:
  Scores score(const Group&) override { return {}; }
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, plane, Plane, R"json(
  "version": "1.0.0", "summary": "Plane.", "parameters": {})json")
