#include "serve/prefixes.h"

#include "small_engine.h"

namespace compeer::serve {
namespace {

using rollout::Engine;

class SharedPrefixes : public rollout::RolloutEngine {
 protected:
  static std::vector<int32_t> prompt(int32_t begin, int32_t count, std::vector<int32_t> end = {}) {
    std::vector<int32_t> all;
    for (int32_t i = 0; i < count; ++i) all.push_back((begin + i) % 90);
    all.insert(all.end(), end.begin(), end.end());
    return all;
  }

  // Processes a prompt and samples a completion, as a server does. Sets `begun` to the length of the reused prefix.
  rollout::Sample completed(Engine& engine, PrefixCache& prefixes, const std::vector<int32_t>& all,
                            int64_t* begun = nullptr) {
    auto* place = prefixes.acquire(all);
    EXPECT_NE(place, nullptr);
    if (begun) *begun = place->begun;
    rollout::Prompt rest{0, {all.begin() + place->begun, all.end()}};
    rest.context = &place->sequence;
    const auto sample = engine.generate({rest}, request_for(1, 1))[0][0];
    prefixes.release(place);
    return sample;
  }
};

TEST_F(SharedPrefixes, AreReadOnceAndChangeNoBit) {
  Engine engine(*policy);
  PrefixCache prefixes(engine, 1000);
  int64_t begun = -1;
  completed(engine, prefixes, prompt(0, 20, {1}), &begun);
  EXPECT_EQ(begun, 0);
  const auto second = completed(engine, prefixes, prompt(0, 20, {2, 3}), &begun);
  EXPECT_EQ(begun, 20);
  EXPECT_TRUE(same(second, run({{0, prompt(0, 20, {2, 3})}}, 1)[0][0]));
  // The last token is always processed again, because the next token is sampled from its output.
  const auto again = completed(engine, prefixes, prompt(0, 20, {2, 3}), &begun);
  EXPECT_EQ(begun, 21);
  EXPECT_TRUE(same(again, second));
}

TEST_F(SharedPrefixes, BelongToTheAdapterThatReadThem) {
  Engine engine(*policy);
  PrefixCache prefixes(engine, 1000);
  auto* first = prefixes.acquire(prompt(0, 40, {1}), 0);
  auto* second = prefixes.acquire(prompt(0, 40, {1}), 1);  // `acquire` does not wait
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->sequence.adapter(), 1);
  for (auto* place : {first, second}) {
    rollout::Prompt read{0, place->prompt};
    read.context = &place->sequence;
    engine.read({read});
    prefixes.release(place);
  }
  for (const int32_t adapter : {0, 1, 2}) {
    auto* again = prefixes.acquire(prompt(0, 40, {2}), adapter);
    EXPECT_EQ(again->begun, adapter < 2 ? 40 : 0);
    EXPECT_EQ(again->sequence.adapter(), adapter);
    prefixes.release(again);
  }
}

TEST_F(SharedPrefixes, AreAwaitedWhileTheyAreRead) {
  Engine engine(*policy);
  PrefixCache prefixes(engine, 1000);
  auto* first = prefixes.acquire(prompt(0, 40, {1}));
  EXPECT_EQ(prefixes.acquire(prompt(0, 40, {2})), nullptr);
  auto* other = prefixes.acquire(prompt(0, 31, {2}));  // a prefix of 31 tokens is too short to wait for
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->begun, 0);
  rollout::Prompt read{0, prompt(0, 40, {1})};
  read.context = &first->sequence;
  engine.read({read});
  auto* second = prefixes.acquire(prompt(0, 40, {2}));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->begun, 40);
}

TEST_F(SharedPrefixes, OfLongestAgoGoFirstAndNoneThatIsInUse) {
  Engine engine(*policy);
  PrefixCache prefixes(engine, 8);  // 8 pages of 16 positions
  int64_t begun = 0;
  auto* kept = prefixes.acquire(prompt(50, 30, {1}));
  for (int32_t i = 0; i < 5; ++i) completed(engine, prefixes, prompt(7 * i, 30, {1}));
  EXPECT_LE(engine.pages().in_use(), 8 + 4);
  completed(engine, prefixes, prompt(0, 30, {2}), &begun);
  EXPECT_EQ(begun, 0);
  completed(engine, prefixes, prompt(28, 30, {2}), &begun);
  EXPECT_EQ(begun, 30);
  EXPECT_EQ(kept->prompt, prompt(50, 30, {1}));
}

TEST_F(SharedPrefixes, AreNoMoreThanCanBeLookedThrough) {
  Engine engine(*policy);
  PrefixCache prefixes(engine, 1 << 20);
  int64_t begun = 0;
  for (int32_t i = 0; i < 1100; ++i) completed(engine, prefixes, {i % 90, i / 90, 1});
  completed(engine, prefixes, {0, 1, 1}, &begun);
  EXPECT_EQ(begun, 1);  // its own continuation was evicted; its prefix is still in use by later prompts
  completed(engine, prefixes, {1099 % 90, 1099 / 90, 1}, &begun);
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace compeer::serve
