#include "train/metrics/placement.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::train {
namespace {

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

// As mpirun binds by default.
TEST(SeatsText, RemarksOnARankThatIsBoundTooTightly) {
  EXPECT_EQ(text({placement("n07", "0"), placement("n07", "1")}, 4)[2],
            "note: rank 0 has 4 threads for 1 core: start it with mpirun --bind-to none, or srun --cpus-per-task=4");
  EXPECT_EQ(text({placement("n07", "0"), placement("n07", "1")}, 4).size(), 3u);
}

TEST(SeatsText, RemarksOnAHostWithMoreWorkThanCores) {
  EXPECT_EQ(text({placement("n07", "0-3"), placement("n07", "0-3")}, 3).back(),
            "note: n07 has 6 threads at work on 4 cores; as many as cores are faster");
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
