// A reward plugin whose library crashes while it is loaded.
#include <csignal>

#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

[[maybe_unused]] const int loaded = ::raise(SIGSEGV);

class Static : public Reward {
 public:
  Scores score(const Group&) override { return {}; }
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, static_crash, Static, R"json(
  "version": "1.0.0", "summary": "Is never loaded.", "parameters": {})json")
