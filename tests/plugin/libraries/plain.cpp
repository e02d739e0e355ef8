// The smallest reward, built as for another interface, another libtorch, fast arithmetic, or with a missing function.
#include "compeer/plugin.h"
#include "compeer/reward.h"

#ifdef FAST
#include <xmmintrin.h>
#endif

#ifdef MISSING
void not_to_be_found_anywhere();
#endif

namespace {

using namespace compeer;

#ifdef FAST
// What -ffast-math adds to a library: on loading, numbers below the normal ones are zero from now on.
[[gnu::constructor]] void flush_to_zero() { _mm_setcsr(_mm_getcsr() | 0x8040); }
#endif

class Plain : public Reward {
 public:
  Plain(const Settings&, Host&) {}
  std::vector<std::string> parts() const override { return {"plain"}; }
  at::Tensor score(const Group&) override {
#ifdef MISSING
    not_to_be_found_anywhere();
#endif
    return {};
  }
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, plain, Plain, R"json(
  "version": "1.0.0", "summary": "Plain.", "parameters": {})json")
