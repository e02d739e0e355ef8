#include "comm/watchdog.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "ranks.h"

namespace compeer::comm {
namespace {

// A second thread reads everything that the watchdog reads, as fast as it can, while the ranks communicate. It must
// never read a text longer than those written (a torn read); ThreadSanitizer detects the data races.
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
