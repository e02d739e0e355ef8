#include "comm/world.h"

#define LARGEST_MESSAGE 1000
#include "ranks.h"

namespace compeer::comm {
namespace {

// Error text that a collective call throws on this rank; "" if it throws nothing.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const RankError& e) {
    return e.what();
  }
  return "";
}

std::string rank_name(int rank) { return "rank " + std::to_string(rank) + " (host " + world().host() + ")"; }

std::string pattern(size_t length, int salt) {
  std::string text(length, '\0');
  for (size_t i = 0; i < length; ++i) text[i] = static_cast<char>(i * 31 + i / 256 + salt);
  return text;
}

TEST(World, BroadcastsBytesOfAnySize) {
  for (const size_t length : {0, 1, 999, 1000, 1001, 100003}) {
    std::string bytes = world().rank() == 0 ? pattern(length, 7) : "something else";
    world().broadcast(bytes);
    EXPECT_EQ(bytes, pattern(length, 7)) << length;
  }
}

TEST(World, GathersInRankOrderOnRankZero) {
  const auto size_of = [](int rank) { return static_cast<size_t>(rank == 1 ? 0 : 2500 * (rank + 1)); };
  const auto all = world().gather(pattern(size_of(world().rank()), world().rank()));
  if (world().rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  EXPECT_EQ(all.size(), static_cast<size_t>(world().size()));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], pattern(size_of(i), i)) << i;
}

TEST(World, AnyIsTrueEverywhereIfTrueAnywhere) {
  EXPECT_FALSE(world().any(false));
  EXPECT_TRUE(world().any(true));
  EXPECT_TRUE(world().any(world().rank() == world().size() - 1));
}

TEST(World, SendsFromRankToRank) {
  std::string bytes(3456, ' ');
  const auto sent = pattern(bytes.size(), 3);
  if (world().rank() == 1) world().send(std::as_bytes(std::span(sent)), 0);
  if (world().rank() == 0 && world().size() > 1) {
    world().receive(std::as_writable_bytes(std::span(bytes)), 1);
    EXPECT_EQ(bytes, sent);
  }
}

TEST(World, AgreementIsSilent) {
  EXPECT_EQ(error_of([] { world().agree("spec", "abc"); }), "");
}

TEST(World, NamesTheRanksThatDiffer) {
  const int last = world().size() - 1;
  const std::string text = error_of([&] { world().agree("spec", world().rank() == last ? "abd" : "abc"); });
  if (last == 0) {
    EXPECT_EQ(text, "");
    return;
  }
  EXPECT_EQ(text, rank_name(last) + ": the spec differs between ranks: " + rank_name(0) + " has abc, " +
                      rank_name(last) + " has abd\n  help: every rank needs the same files, program and plugins");
}

TEST(Together, ReturnsWhatEachRankMade) {
  EXPECT_EQ(world().run_on_all_ranks("count", [] { return 10 + world().rank(); }), 10 + world().rank());
  bool done = false;
  world().run_on_all_ranks("work", [&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(Together, ThrowsTheErrorOfOneRankOnAll) {
  const int last = world().size() - 1;
  const auto work = [&] {
    if (world().rank() == last) throw Error("data/x.jsonl:3", "no 'text'", "add one", Exit::data);
  };
  try {
    world().run_on_all_ranks("load", work);
    ADD_FAILURE() << "nothing thrown";
  } catch (const RankError& e) {
    const std::string head = last == 0 ? "" : rank_name(last) + ", phase 'load': ";
    EXPECT_EQ(e.what(), head + "data/x.jsonl:3: no 'text'\n  help: add one");
    EXPECT_EQ(e.exit(), Exit::data);
    EXPECT_EQ(e.fault().rank, last);
    EXPECT_EQ(e.fault().where, "data/x.jsonl:3");
    EXPECT_EQ(e.fault().phase, "load");
  }
}

TEST(Together, ThrowsTheErrorOfTheLowestRankThatFails) {
  const int lowest = world().size() / 2;
  const std::string text = error_of([&] {
    world().run_on_all_ranks("load", [&] {
      if (world().rank() >= lowest) throw Error("", "I am " + std::to_string(world().rank()));
    });
  });
  EXPECT_NE(text.find("I am " + std::to_string(lowest)), std::string::npos) << text;
}

TEST(Together, NamesTheInnermostPhaseAndItsPlugin) {
  try {
    world().run_on_all_ranks("score", [&] {
      if (world().rank() != 0) return;
      const Phase inner("score group", "rewards/length 1.0.0");
      throw std::runtime_error("negative length");
    });
    ADD_FAILURE() << "nothing thrown";
  } catch (const RankError& e) {
    EXPECT_EQ(e.fault().phase, "score group");
    EXPECT_EQ(e.fault().plugin, "rewards/length 1.0.0");
    EXPECT_EQ(e.exit(), Exit::plugin);
    const std::string head = world().size() == 1 ? "phase 'score group'"
                                                 : rank_name(0) + ", phase 'score group', plugin rewards/length 1.0.0";
    EXPECT_EQ(e.what(), head + ": negative length");
  }
}

TEST(World, RanksInDifferentCallsFailTogether) {
  const int last = world().size() - 1;
  const std::string text = error_of([&] {
    const Phase phase("update");
    if (world().rank() == last) {
      world().barrier(final_barrier);
    } else {
      world().any(false);
    }
  });
  if (last == 0) return;
  EXPECT_EQ(text,
            rank_name(last) + ", phase 'update': has left its task while " + rank_name(0) +
                " is at 'any'\n  help: a rank has caught an error of its own, returned early or taken another branch");
  EXPECT_TRUE(world().any(world().rank() == 0));  // the world can still be used
}

TEST(World, KnowsThatAllRanksAreOnOneHost) { EXPECT_TRUE(world().one_host()); }

TEST(World, SeesItsNeighbours) {
  {
    const Phase phase("rank " + std::to_string(world().rank()), "rewards/length 1.0.0");
    world().barrier();
    const auto neighbours = world().neighbours();
    EXPECT_EQ(neighbours.size(), static_cast<size_t>(world().size() - 1));
    for (const auto& other : neighbours) {
      EXPECT_EQ(other.activity.phase, "rank " + std::to_string(other.rank));
      EXPECT_EQ(other.activity.plugin, "rewards/length 1.0.0");
      EXPECT_NE(other.state, 'X');
    }
    world().barrier();
  }
  EXPECT_EQ(world().waiting_in(), "");
}

}  // namespace
}  // namespace compeer::comm
