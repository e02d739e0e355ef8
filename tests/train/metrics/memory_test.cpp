#include "train/metrics/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "places.h"
#include "train/metrics/placement.h"

namespace compeer::train {
namespace {

TEST(GradientsOf, CountsUnfinishedNodesOfTheTree) {
  EXPECT_EQ(gradients_of(1, false), 1);
  EXPECT_EQ(gradients_of(2, false), 2);
  EXPECT_EQ(gradients_of(4, false), 3);  // (0 1), 2 and 3
  EXPECT_EQ(gradients_of(7, false), 3);  // (0 1 2 3), (4 5) and 6
  EXPECT_EQ(gradients_of(8, false), 4);
  EXPECT_EQ(gradients_of(1, true), 1);
  EXPECT_EQ(gradients_of(2, true), 1);  // leaf 1 is added to leaf 0 as it arrives
  EXPECT_EQ(gradients_of(4, true), 2);  // (0 1) and 2
  EXPECT_EQ(gradients_of(8, true), 3);
  EXPECT_EQ(gradients_of(0, true), 1);  // a rank without leaves still gets the sum
}

TEST(PositionsOf, CountsWholePagesOfWhatIsInFlight) {
  rollout::Sampling sampling;
  sampling.max_new_tokens = 24;
  sampling.concurrent = 64;
  EXPECT_EQ(kv_tokens(4, 20, 4, sampling), 4 * 32 + 16 * 32);
  sampling.concurrent = 8;  // two groups are decoded while the prompt of a third is processed
  EXPECT_EQ(kv_tokens(4, 20, 4, sampling), 3 * 32 + 8 * 32);
}

TEST(EstimateMemory, AddsUpWhatIsWrittenOutByHand) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.kv_heads = 2, shape.head_dim = 64, shape.vocabulary = 1024;
  const int64_t parameters = 16 << 20;  // 64 MiB
  const auto sizes = estimate_memory(shape, {parameters, false}, {3, 1024, 2048}, false, false, 200);
  EXPECT_EQ(sizes.now, 200);
  EXPECT_EQ(sizes.repacked, 0);  // never allocated together with the gradients, which are larger
  EXPECT_EQ(sizes.gradients, 3 * 64);
  EXPECT_EQ(sizes.activations, 256 + 4);  // 1024 tokens x 8 layers x 16 rows x 512 x 4 bytes; 1024 x 1024 logits
  EXPECT_EQ(sizes.pages, 16);             // 2048 positions x 8 layers x 2 heads x 64 x 2 x 4 bytes
  EXPECT_EQ(sizes.rest, 24);
  EXPECT_EQ(sizes.added(), 192 + 260 + 16 + 24);

  const auto kept = estimate_memory(shape, {parameters, false}, {3, 1024, 2048, true}, false, false, 200);
  EXPECT_EQ(kept.repacked, 64);
  EXPECT_EQ(kept.gradients, 4 * 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, true}, {3, 1024, 2048}, false, false, 200).repacked, 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, false}, {3, 511, 2048}, false, false, 200).repacked, 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, false}, {0, 0, 2048}, false, false, 200).repacked, 64);
}

TEST(EstimateMemory, KnowsWhatSavesSome) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 200000, shape.bfloat16_weights = true;
  const auto sizes = estimate_memory(shape, {16 << 20, true}, {1, 1024, 0}, true, true, 200);
  EXPECT_EQ(sizes.repacked, 32);           // bfloat16
  EXPECT_EQ(sizes.activations, 32 + 256);  // recomputed; at most 256 MiB of logit tiles
  EXPECT_EQ(sizes.rest, 24 + 0.5 * (32 + 288));
}

// 1024 tokens in 8 layers. MemoryOfADevice.IsAddedUpByHand explains the memory of an adapted layer in libtorch.
TEST(EstimateMemory, KnowsThatLibtorchKeepsMoreAndRearrangesNothing) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 1024, shape.feed_forward = 1024, shape.exact = false;
  shape.compute = at::kBFloat16;  // saves no memory on a CPU
  const auto sizes = estimate_memory(shape, {16 << 20, true}, {1, 1024, 0}, false, false, 200);
  EXPECT_EQ(sizes.repacked, 0);
  // Bytes: 8 x width, 6 factors, 12 and 4 x the wide row; for the adapter 6 factors and a wide row.
  EXPECT_EQ(sizes.activations, 1024 * 8 * (32 * 512 + 16 * 1024 + 24 * 512 + 4 * 1024) / 1048576.0 + 3 * 4);
}

TEST(HostsHave, MemoryForAllRanksOnThem) {
  const uint64_t gib = uint64_t{1} << 30;
  const Placement two{"a", {{}, 0, 8 * gib, 4 * gib}}, one{"b", {{}, 0, 8 * gib, 2 * gib}};
  EXPECT_TRUE(hosts_have({two, two, one}, 2048));
  EXPECT_FALSE(hosts_have({two, two, one}, 2049));
  EXPECT_FALSE(hosts_have({two, two, two}, 2048));
  ::setenv("COMPEER_JOBS", "2", 1);
  EXPECT_TRUE(hosts_have({two, two, one}, 1024));
  EXPECT_FALSE(hosts_have({two, two, one}, 1025));
  ::unsetenv("COMPEER_JOBS");
}

TEST(MemoryText, NamesWhatIsCounted) {
  EXPECT_EQ(memory_text({12000, 0.5, 1.6, 260, 0, 24}),
            "memory of a rank, estimated: 12.0 GiB = 11.7 GiB in use + repacked weights 0.5 MiB + gradients 1.6 MiB + "
            "activations 260 MiB + KV cache 0.0 MiB + buffers and fragmentation 24 MiB");
}

TEST(EstimateMemory, OfWhatIsOnlyReadIsLittle) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 1024;
  const auto sizes = estimate_memory(shape, {16 << 20, false}, {}, false, false, 200);
  EXPECT_EQ(sizes.gradients + sizes.activations + sizes.pages, 0);
}

struct Size {
  const char* name;
  int64_t parameters, adapter;  // number of weights of the model, and of a LoRA adapter of rank 16 on all projections
  ModelShape shape;
};

ModelShape shape(int64_t layers, int64_t hidden, int64_t kv_heads, int64_t head_dim, int64_t vocabulary, int64_t wide) {
  ModelShape one;
  one.layers = layers, one.hidden = hidden, one.kv_heads = kv_heads, one.head_dim = head_dim;
  one.vocabulary = vocabulary, one.feed_forward = wide, one.compute = at::kBFloat16;
  return one;
}

const std::vector<Size> known_sizes{{"0.5B", 494'032'768, 8'798'208, shape(24, 896, 2, 64, 151936, 4864)},
                                    {"1.5B", 1'543'714'304, 18'464'768, shape(28, 1536, 2, 128, 151936, 8960)},
                                    {"3B", 3'085'938'688, 29'933'568, shape(36, 2048, 2, 128, 151936, 11008)},
                                    {"7B", 7'615'616'512, 40'370'176, shape(28, 3584, 4, 128, 152064, 18944)}};

// Groups of a prompt of 1,024 tokens and 8 completions of 1,024 tokens, 64 completions decoded at once.
const PeakMemory load{1, 9 * 1024, 64 * 1024 + 8 * 1024};

TEST(MemoryOfADevice, IsWhatTheGuideSays) {
  const auto guide = read_file(COMPEER_SOURCE_DIR "/docs/gpu.md");
  for (const Size& size : known_sizes) {
    const double weights = device_weights(size.shape, size.parameters) / 1024;
    const auto all = [&](const TrainedWeights& learner, bool recomputed) {
      const double own = learner.adapter ? 4.0 * static_cast<double>(learner.weights) / (1 << 30) : 0;
      return weights + own + device_memory(size.shape, learner, load, recomputed).added() / 1024;
    };
    const TrainedWeights whole{size.parameters, false}, adapter{size.adapter, true};
    const auto row = fmt::format("| {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |", size.name, weights,
                                 all(whole, false), all(whole, true), all(adapter, false), all(adapter, true));
    EXPECT_NE(guide.find(row), std::string::npos) << row;
  }
}

// Worked out by hand: 2 layers of width 8 and 32, in bfloat16, 10 tokens.
TEST(MemoryOfADevice, IsAddedUpByHand) {
  const auto small = shape(2, 8, 1, 4, 100, 32);
  const auto mib = 1024.0 * 1024;
  const auto whole = device_memory(small, {5000, false}, {1, 10, 64}, false);
  EXPECT_DOUBLE_EQ(device_weights(small, 5000) * mib, 2 * 5000);
  EXPECT_DOUBLE_EQ(whole.gradients * mib, 4 * 5000);
  // Per token and layer: 8 bytes of x twice, six rounded factors, three wide rows and a rounded one.
  EXPECT_DOUBLE_EQ(whole.activations * mib, 10 * 2 * (8 * 8 + 6 * 2 * 8 + 12 * 32 + 2 * 32));
  EXPECT_DOUBLE_EQ((whole.logits - 512) * mib, 4 * 100 * 8);
  EXPECT_DOUBLE_EQ(whole.pages * mib, 2 * 2 * 64 * 2 * 4);
  const auto adapted = device_memory(small, {300, true}, {1, 10, 64}, true);
  EXPECT_DOUBLE_EQ(adapted.gradients * mib, 4 * 300);
  EXPECT_DOUBLE_EQ(adapted.logits, 512);
  EXPECT_LT(adapted.activations, whole.activations);
}

TEST(MemoryOfADevice, IsRefusedWithARemedyIfItIsTooLittle) {
  DeviceMemory sizes;
  sizes.gradients = 28 * 1024, sizes.activations = 10 * 1024, sizes.logits = 2048, sizes.pages = 512;
  EXPECT_NO_THROW(check_device_memory(sizes, 41 * 1024));
  try {
    check_device_memory(sizes, 30 * 1024);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::spec);
    EXPECT_EQ(std::string(error.what()),
              "model.device: has 30.0 GiB of memory free, but the run needs 40.5 GiB more: gradients 28.0 GiB, "
              "activations 10.0 GiB, logits 2.0 GiB, KV cache 0.5 GiB\n"
              "  help: set model.recompute_above = 0 or model.compute = \"bfloat16\", train an adapter "
              "(model.adapter), or lower the tokens per group or sampling.concurrent");
  }
}

using Lines = std::vector<std::string>;

Placement placement(const std::string& host, const std::string& cores, double quota = 0) {
  return {host, {core_list(cores), quota, 0, 0, ""}};
}

Lines text(const std::vector<Placement>& placements, int64_t threads) {
  return placements_text(placements, threads, "float32 by avx2");
}

TEST(SeatsText, OfOneRankIsShort) {
  EXPECT_EQ(text({placement("n07", "0-7")}, 1),
            (Lines{"1 rank on 1 host, 1 thread; device: CPU, float32 by avx2", "  n07: rank 0 on cores 0-7"}));
}

TEST(SeatsText, NamesRanksThatShareCoresTogether) {
  EXPECT_EQ(
      text({placement("n07", "0-7"), placement("n07", "0-7"), placement("n08", "0-3"), placement("n08", "4-7")}, 2),
      (Lines{"4 ranks on 2 hosts, 2 threads each; device: CPU, float32 by avx2", "  n07: ranks 0-1 on cores 0-7",
             "  n08: rank 2 on cores 0-3, rank 3 on cores 4-7"}));
}

TEST(SeatsText, NamesDevicesAndCountsThem) {
  auto first = placement("n07", "0-7"), second = placement("n07", "0-7");
  first.device = second.device = "NVIDIA H100 80GB HBM3 (79.2 GiB)";
  EXPECT_EQ(text({first}, 2)[0],
            "1 rank on 1 host, 2 threads; device: NVIDIA H100 80GB HBM3 (79.2 GiB), float32 by avx2");
  EXPECT_EQ(text({first, second}, 2)[0],
            "2 ranks on 1 host, 2 threads each; device: 2 x NVIDIA H100 80GB HBM3 (79.2 GiB), float32 by avx2");
}

TEST(Devices, AreNotShared) {
  auto first = placement("n07", "0-7"), second = placement("n08", "0-7"), third = placement("n08", "0-7");
  first.device = second.device = third.device = "a GPU";
  first.bus = second.bus = "0000:01:00.0", third.bus = "0000:02:00.0";
  EXPECT_NO_THROW(check_own_devices({first, second, third}));
  third.bus = second.bus;
  try {
    check_own_devices({first, second, third});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "ranks 1 and 2 on n08: share one device, a GPU\n  help: start as many ranks on a host as "
                 "it has devices (sbatch --gres=gpu:N --ntasks-per-node=N)");
  }
}

// Ranks bound to one core each, which is mpirun's default.
TEST(SeatsText, RemarksOnARankThatIsBoundTooTightly) {
  EXPECT_EQ(text({placement("n07", "0"), placement("n07", "1")}, 4)[2],
            "note: rank 0 has 4 threads for 1 core: start it with mpirun --bind-to none, or srun --cpus-per-task=4");
  EXPECT_EQ(text({placement("n07", "0"), placement("n07", "1")}, 4).size(), 3u);
}

TEST(SeatsText, RemarksOnAHostWithMoreWorkThanCores) {
  EXPECT_EQ(text({placement("n07", "0-3"), placement("n07", "0-3")}, 3).back(),
            "note: n07 runs 6 threads on 4 cores; one thread per core is faster");
}

TEST(SeatsText, CountsWhatAControlGroupLeaves) {
  EXPECT_EQ(text({placement("n07", "0-63", 1.5)}, 2).back(),
            "note: rank 0 has 2 threads for 1.5 cores: start it with mpirun --bind-to none, or srun "
            "--cpus-per-task=2");
}

TEST(SeatsText, KeepsQuietAboutWhatItDoesNotKnow) {
  EXPECT_EQ(text({placement("n07", "")}, 2),
            (Lines{"1 rank on 1 host, 2 threads; device: CPU, float32 by avx2", "  n07: rank 0"}));
}

TEST(SeatsText, IsShortForManyHosts) {
  std::vector<Placement> placements;
  for (int host = 0; host < 100; ++host) placements.push_back(placement("n" + std::to_string(host), "0"));
  const auto lines = text(placements, 2);
  EXPECT_EQ(lines.size(), 1 + 16 + 1 + 4u);
  EXPECT_EQ(lines[17], "  and 84 more");
}

}  // namespace
}  // namespace compeer::train
