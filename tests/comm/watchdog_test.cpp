#include "comm/watchdog.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "ranks.h"

namespace compeer::comm {
namespace {

// A second thread looks at all the watchdog looks at, as fast as it can, while ranks work and meet. What it must not
// see is a text that is none of those written, or a mixture longer than they are; ThreadSanitizer says whether it may
// look.
TEST(Watchdog, MayLookAtAnyTime) {
  Watchdog watchdog(world(), 600, [](const Fault& fault) { ADD_FAILURE() << fault.what; });
  std::atomic<bool> done = false;
  std::atomic<int> looks = 0;
  std::thread reader([&] {
    do {
      EXPECT_LE(main_activity().phase.size(), std::string("generate").size());
      EXPECT_LE(world().waiting_in().size(), 63u);
      EXPECT_EQ(static_cast<int>(world().neighbours().size()), world().size() - 1);
      ++looks;
    } while (!done);
  });
  bool more = true;
  for (int i = 0; more; ++i) {
    const Phase phase(i % 2 ? "score" : "generate", "rewards/length 1.0.0");
    mark_progress();
    more = world().any(i < 500 || looks < 2);  // ranks leave together
  }
  done = true;
  reader.join();
  EXPECT_GE(looks, 2);
}

}  // namespace
}  // namespace compeer::comm
