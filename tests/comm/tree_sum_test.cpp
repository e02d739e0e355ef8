#include "comm/tree_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/random.h"
#include "comm/world.h"
#include "ranks.h"

namespace compeer::comm {
namespace {

// Returns values of either sign over 60 powers of two, so that any other order of additions changes the bits.
float wild(int64_t leaf, int64_t i) {
  const auto bits = random_bits(1, Stream::world, leaf, i);
  return std::ldexp(1.0f + bits[0] / 4294967296.0f, static_cast<int>(bits[1] % 60) - 30) * (bits[2] % 2 ? 1 : -1);
}

// Resident memory of this process.
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096 / 1e6;
}

std::vector<float> leaf_values(int64_t leaf, int64_t length) {
  std::vector<float> values(length);
  for (int64_t i = 0; i < length; ++i) values[i] = wild(leaf, i);
  return values;
}

// The definition: a node is its left half plus its right half.
std::vector<float> node(int64_t level, int64_t index, int64_t leaves, int64_t length) {
  if (level == 0) return leaf_values(index, length);
  auto sum = node(level - 1, 2 * index, leaves, length);
  if ((2 * index + 1) << (level - 1) >= leaves) return sum;
  const auto right = node(level - 1, 2 * index + 1, leaves, length);
  for (int64_t i = 0; i < length; ++i) sum[i] += right[i];
  return sum;
}

std::vector<float> expected(int64_t leaves, int64_t length) {
  int64_t level = 0;
  while (int64_t{1} << level < leaves) ++level;
  return node(level, 0, leaves, length);
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void add_mine(TreeSum& sum, int64_t length) {
  for (int64_t leaf = sum.mine().first; leaf < sum.mine().first + sum.mine().count; ++leaf) {
    sum.add(leaf, leaf_values(leaf, length));
  }
}

TEST(ElementRange, IsContiguousEvenAndComplete) {
  for (int size = 1; size <= 9; ++size) {
    for (int64_t leaves = 0; leaves <= 33; ++leaves) {
      int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const ElementRange mine = leaves_of_rank(leaves, size, rank);
        ASSERT_EQ(mine.first, next);
        ASSERT_TRUE(mine.count == leaves / size || mine.count == leaves / size + 1);
        for (int64_t leaf = next; leaf < next + mine.count; ++leaf) ASSERT_EQ(owner(leaves, size, leaf), rank);
        next += mine.count;
      }
      ASSERT_EQ(next, leaves);
    }
  }
}

TEST(TreeSum, FollowsTheDefinitionBitForBitOnAnyNumberOfRanks) {
  constexpr int64_t length = 17;
  for (int64_t leaves = 1; leaves <= 33; ++leaves) {
    TreeSum sum(world(), leaves, length);
    for (int again = 0; again < 2; ++again) {
      add_mine(sum, length);
      EXPECT_TRUE(same_bits(sum.finish(), expected(leaves, length))) << leaves << " leaves, sum " << again;
    }
  }
}

// Enough elements for each rank to have a slice.
TEST(TreeSum, FollowsTheDefinitionInEverySlice) {
  constexpr int64_t length = 5000;
  for (const int64_t leaves : {1, 2, 3, 5, 7, 8, 13}) {
    TreeSum sum(world(), leaves, length);
    add_mine(sum, length);
    EXPECT_TRUE(same_bits(sum.finish(), expected(leaves, length))) << leaves << " leaves";
  }
}

TEST(TreeSum, WildValuesTellOrdersApart) {
  auto chain = leaf_values(0, 64);
  for (int64_t leaf = 1; leaf < 8; ++leaf) {
    const auto next = leaf_values(leaf, 64);
    for (int64_t i = 0; i < 64; ++i) chain[i] += next[i];
  }
  EXPECT_FALSE(same_bits(chain, expected(8, 64)));
}

// Vectors large enough that their memory is returned to the system between sums. Rank r fills its one leaf with r + 1.
TEST(TreeSum, IsTheSameInMemoryThatWasForgotten) {
  constexpr int64_t block_length = int64_t{1} << 24;
  const int64_t ranks = world().size();
  TreeSum sum(world(), ranks, block_length);
  for (int turn = 0; turn < 2; ++turn) {
    std::ranges::fill(sum.next_leaf_buffer(), static_cast<float>(sum.mine().first + 1));
    sum.add(sum.mine().first, sum.next_leaf_buffer());
    const auto all = sum.finish();
    EXPECT_EQ(std::ranges::count(all, static_cast<float>(ranks * (ranks + 1) / 2)), block_length);
    sum.forget_vectors();
    EXPECT_EQ(all[block_length / 2], 0) << "the system has it";
  }
}

TEST(TreeSum, AddsVectorsLongerThanOnePiece) {
  constexpr int64_t length = (1 << 18) + 5;
  TreeSum sum(world(), 5, length);
  add_mine(sum, length);
  EXPECT_TRUE(same_bits(sum.finish(), expected(5, length)));
}

TEST(TreeSum, CanGiveEveryRankItsSlice) {
  constexpr int64_t length = 5000;
  const auto whole = expected(5, length);
  TreeSum sum(world(), 5, length, nullptr, {.slice = true});
  for (int again = 0; again < 2; ++again) {
    add_mine(sum, length);
    const ElementRange own = slice(length, slice_block, world().size(), world().rank());
    EXPECT_TRUE(same_bits(sum.finish(), std::span(whole).subspan(own.first, own.count)));
  }
}

// Fills the next leaf piece by piece, as a backward pass does. All pieces but one are marked as ready, out of order.
void fill_backwards(TreeSum& sum, int64_t leaf, int64_t length) {
  const auto values = leaf_values(leaf, length);
  const auto room = sum.next_leaf_buffer();
  const std::vector<int64_t> cuts{0, 1, 700, 1024, 1500, length / 3, length / 2 + 77, length - 1030, length};
  for (size_t i = cuts.size() - 1; i > 0; --i) {
    const size_t stretch = (i * 5) % (cuts.size() - 1);  // a permutation of the pieces
    const ElementRange elements{cuts[stretch], cuts[stretch + 1] - cuts[stretch]};
    std::ranges::copy(part(std::span(values), elements), part(room, elements).begin());
    if (stretch != 4) sum.mark_final(elements);
  }
  sum.add(leaf, room);
}

TEST(TreeSum, OfElementsThatSetOutEarlyHasTheSameBits) {
  constexpr int64_t length = 70000;
  for (const int64_t leaves : {1, 2, 3, 5, 6, 7, 8, 13}) {
    for (const bool sliced : {false, true}) {
      TreeSum sum(world(), leaves, length, nullptr, {.slice = sliced, .early = true});
      for (int again = 0; again < 3; ++again) {
        for (int64_t leaf = sum.mine().first; leaf < sum.mine().first + sum.mine().count; ++leaf) {
          again == 1 ? sum.add(leaf, leaf_values(leaf, length)) : fill_backwards(sum, leaf, length);
        }
        const auto whole = expected(leaves, length);
        const ElementRange own = slice(length, slice_block, world().size(), world().rank());
        EXPECT_TRUE(same_bits(sum.finish(), sliced ? part(std::span(whole), own) : std::span(whole)))
            << leaves << " leaves, sum " << again;
      }
    }
  }
}

TEST(TreeSum, OfElementsThatAreReadyBitByBitHasTheSameBits) {
  constexpr int64_t length = 70000;
  for (const int64_t leaves : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
    TreeSum sum(world(), leaves, length);
    for (int again = 0; again < 2; ++again) {
      for (int64_t leaf = sum.mine().first; leaf < sum.mine().first + sum.mine().count; ++leaf)
        fill_backwards(sum, leaf, length);
      EXPECT_TRUE(same_bits(sum.finish(), expected(leaves, length))) << leaves << " leaves, sum " << again;
    }
  }
}

// The elements of a right half are sent as soon as they are added, so of four leaves at most two vectors are in memory,
// not three.
TEST(TreeSum, HoldsOneVectorLessWhereElementsAreReadyBitByBit) {
  constexpr int64_t block_length = int64_t{1} << 24, part_length = block_length / 8;  // 64 MiB and 8 MiB
  TreeSum sum(world(), 4 * world().size(), block_length);
  double most = 0, before = resident_megabytes();
  for (int64_t leaf = sum.mine().first; leaf < sum.mine().first + 4; ++leaf) {
    const auto room = sum.next_leaf_buffer();
    for (int64_t at = 0; at < block_length; at += part_length) {
      std::ranges::fill(part(room, {at, part_length}), 1.0f);
      sum.mark_final({at, part_length});
      most = std::max(most, resident_megabytes() - before);
    }
    sum.add(leaf, room);
  }
  EXPECT_EQ(std::ranges::count(sum.finish(), static_cast<float>(4 * world().size())), block_length);
  EXPECT_GT(most, 2 * 64 - 8);
  EXPECT_LT(most, 2 * 64 + 32);
}

// Two sums at once: the second one is finished while messages of the first are in flight.
TEST(TreeSum, EarlyElementsAndOtherSumsDoNotMeet) {
  const int64_t length = (3 << 18) + 5, leaves = world().size() + 1;
  TreeSum early(world(), leaves, length, nullptr, {.early = true}), other(world(), leaves, 9);
  const ElementRange mine = early.mine();
  for (int64_t leaf = mine.first; leaf < mine.first + mine.count; ++leaf) fill_backwards(early, leaf, length);
  add_mine(other, 9);
  EXPECT_TRUE(same_bits(other.finish(), expected(leaves, 9)));
  EXPECT_TRUE(same_bits(early.finish(), expected(leaves, length)));
}

// The last rank throws in its last leaf, after all ranks have sent parts of theirs.
TEST(TreeSum, AFailureInTheLastLeafIsEveryRanksAndSumsStillWork) {
  constexpr int64_t length = 3 << 18;
  const int last = world().size() - 1;
  {
    TreeSum sum(world(), world().size(), length, nullptr, {.early = true});
    EXPECT_THROW(world().run_on_all_ranks("train",
                                          [&] {
                                            sum.mark_final({length / 2, length / 2});
                                            if (world().rank() == last) throw std::runtime_error("no gradient");
                                            sum.add(world().rank(), sum.next_leaf_buffer());
                                          }),
                 RankError);
  }
  TreeSum sum(world(), 5, length, nullptr, {.early = true});
  add_mine(sum, length);
  EXPECT_TRUE(same_bits(sum.finish(), expected(5, length)));
}

TEST(TreeSum, RefusesElementsThatWereReadyBefore) {
  TreeSum sum(world(), world().size(), 10, nullptr, {.early = true});
  sum.next_leaf_buffer();
  sum.mark_final({2, 5});
  EXPECT_THROW(sum.mark_final({0, 9}), std::logic_error);
}

TEST(Slice, IsWholeBlocksEvenlyShared) {
  EXPECT_EQ(slice(1000, 64, 2, 0).count, 512);
  EXPECT_EQ(slice(1000, 64, 2, 1).first, 512);
  EXPECT_EQ(slice(1000, 64, 2, 1).count, 488);
  EXPECT_EQ(slice(10, 64, 3, 2).first, 10);
  EXPECT_EQ(slice(10, 64, 3, 2).count, 0);
}

TEST(InTurn, EveryRankGoesOnFromTheOneBefore) {
  const double digits = in_turn(world(), 0.0, [](double before) { return 10 * before + world().rank() + 1; });
  EXPECT_EQ(digits, std::vector<double>({1, 12, 123, 1234})[static_cast<size_t>(world().size()) - 1]);
}

TEST(TreeSum, OfNothingIsZero) {
  TreeSum64 sum(world(), 0, 3);
  const auto zeros = sum.finish();
  EXPECT_EQ(std::vector<double>(zeros.begin(), zeros.end()), std::vector<double>(3));
}

TEST(TreeSum, RefusesLeavesOutOfOrderOnAllRanks) {
  TreeSum64 sum(world(), 2 * world().size(), 1);
  const double one = 1;
  EXPECT_THROW(sum.add(sum.mine().first + 1, std::span(&one, 1)), std::logic_error);
  EXPECT_THROW(sum.finish(), RankError);
}

}  // namespace
}  // namespace compeer::comm
