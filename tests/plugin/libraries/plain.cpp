// The smallest reward plugin. Built for another interface, host or libtorch version, with fast arithmetic, with a
// missing function, or changing the working directory when it is loaded. It has no user-defined constructor.
#include "compeer/plugin.h"
#include "compeer/reward.h"

#ifdef FAST
#include <xmmintrin.h>
#endif

#ifdef MOVING
#include <unistd.h>
#endif

#ifdef MISSING
void not_to_be_found_anywhere();
#endif

namespace {

using namespace compeer;

#ifdef FAST
// As -ffast-math does: on loading, denormal numbers are flushed to zero from now on.
[[gnu::constructor]] void flush_to_zero() { _mm_setcsr(_mm_getcsr() | 0x8040); }
#endif

#ifdef MOVING
[[gnu::constructor]] void move() { (void)!::chdir("/"); }
#endif

class Plain : public Reward {
 public:
  Scores score(const Group& group) override {
#ifdef MISSING
    not_to_be_found_anywhere();
#endif
    Scores scores;
    scores["reward"].assign(group.completions.size(), 0.1);
    return scores;
  }
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, plain, Plain, R"json(
  "version": "1.0.0", "summary": "Plain.", "parameters": {})json")
