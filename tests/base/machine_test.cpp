#include "base/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/pages.h"
#include "base/signals.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t gib = uint64_t{1} << 30;

// Simulates another machine by the files of /proc and /sys that describe a process's resources.
class OtherMachine : public testing::Test {
 protected:
  OtherMachine() : root_(fs::path(testing::TempDir()) / ("machine-" + std::to_string(::getpid()))) {
    file("proc/self/status", "Name:\tworker\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\nVmHWM:\t  1234 kB\n");
    file("proc/meminfo", "MemTotal:       67108864 kB\nMemFree:         1048576 kB\nMemAvailable:   33554432 kB\n");
  }
  ~OtherMachine() override { fs::remove_all(root_); }

  void file(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  Machine seen() const { return this_machine(root_); }

  fs::path root_;
};

TEST_F(OtherMachine, WithoutControlGroupsIsAllThereIs) {
  const auto machine = seen();
  EXPECT_EQ(machine.cores, (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(machine.memory, 64 * gib);
  EXPECT_EQ(machine.free, 32 * gib);
  EXPECT_EQ(machine.quota, 0);
  EXPECT_EQ(machine.limited_by, "");
}

// As Slurm creates them: the limit of the job applies if that of the step is larger.
TEST_F(OtherMachine, IsLimitedByTheTightestOfItsGroupsInVersion2) {
  file("proc/self/cgroup", "0::/system.slice/job_17/step_0\n");
  const fs::path job = "sys/fs/cgroup/system.slice/job_17";
  file("sys/fs/cgroup/system.slice/memory.max", "max\n");
  file(job / "memory.max", "8589934592\n");
  file(job / "memory.current", "2147483648\n");
  file(job / "memory.stat", "anon 1073741824\ninactive_file 1073741824\n");
  file(job / "cpu.max", "400000 100000\n");
  file(job / "step_0/memory.max", "max\n");
  file(job / "step_0/memory.current", "1\n");
  file(job / "step_0/cpu.max", "max 100000\n");
  const auto machine = seen();
  EXPECT_EQ(machine.memory, 8 * gib);
  EXPECT_EQ(machine.free, 7 * gib);  // 8 - (2 in use - 1 of page cache)
  EXPECT_EQ(machine.quota, 4);
  EXPECT_EQ(machine.limited_by, (root_ / job).string());
}

TEST_F(OtherMachine, IsLimitedByTheGroupOfTheRightControllerInVersion1) {
  file("proc/self/cgroup", "9:name=systemd:/x\n5:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n0::/\n");
  file("sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", "4294967296\n");
  file("sys/fs/cgroup/memory/docker/ab/memory.usage_in_bytes", "1073741824\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  file("sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_quota_us", "150000\n");
  file("sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_period_us", "100000\n");
  file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  const auto machine = seen();
  EXPECT_EQ(machine.memory, 4 * gib);
  EXPECT_EQ(machine.free, 3 * gib);
  EXPECT_EQ(machine.quota, 1.5);
}

// In a container /proc/self/cgroup may name a group of the host, which is not visible; the cgroup mount is the
// container's own.
TEST_F(OtherMachine, LooksAtTheGroupsItCanSee) {
  file("proc/self/cgroup", "4:memory:/docker/ab\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(seen().memory, gib);
}

TEST_F(OtherMachine, ThatSaysNothingHasNothing) {
  fs::remove_all(root_);
  const auto machine = seen();
  EXPECT_TRUE(machine.cores.empty());
  EXPECT_EQ(machine.memory, 0u);
}

TEST_F(OtherMachine, MayHaveDamagedFiles) {
  file("proc/self/cgroup", "nonsense\n::\n0::\n");
  file("sys/fs/cgroup/memory.max", "lots\n");
  file("sys/fs/cgroup/cpu.max", "0 0\n");
  EXPECT_EQ(seen().memory, 64 * gib);
  EXPECT_EQ(seen().quota, 0);
}

TEST(ThisMachine, HasCoresAndMemory) {
  const auto machine = this_machine();
  EXPECT_GE(machine.cores.size(), 1u);
  EXPECT_GT(machine.memory, 1u << 26);
  EXPECT_LE(machine.free, machine.memory);
}

TEST(CoreList, IsReadAndWritten) {
  EXPECT_EQ(core_list("0"), std::vector<int>{0});
  EXPECT_EQ(core_list("2-4,7\n"), (std::vector<int>{2, 3, 4, 7}));
  for (const char* bad : {"", "x", "3-1", "-2", "1-999999999", "1,,2"}) EXPECT_TRUE(core_list(bad).empty()) << bad;
  EXPECT_EQ(core_text({2, 3, 4, 7}), "2-4,7");
  EXPECT_EQ(core_text({}), "");
}

// Clears ranges that begin and end within huge pages, and ranges smaller than one: the bytes outside keep their values.
TEST(Zeros, AreZerosAgainWhereTheyWereCleared) {
  constexpr size_t item_count = 6 * huge_page, first_index = 1001, end_mark = item_count - 3003;
  const Zeros<std::byte> zeros(item_count);
  const auto all = zeros.all();
  EXPECT_EQ(std::ranges::count(all, std::byte{0}), item_count);
  for (const bool kept : {false, true}) {
    pages_kept = kept;
    for (const size_t end : {end_mark, first_index + 5000}) {
      std::ranges::fill(all, std::byte{1});
      clear(all.subspan(first_index, end - first_index));
      EXPECT_EQ(std::ranges::count(all, std::byte{0}), end - first_index);
      EXPECT_EQ(std::ranges::count(all.first(first_index), std::byte{1}), first_index);
      EXPECT_EQ(std::ranges::count(all.subspan(end), std::byte{1}), item_count - end);
    }
  }
  pages_kept = false;
}

TEST(Forget, LosesNothingThatIsKept) {
  const Zeros<std::byte> zeros(4 * huge_page);
  std::ranges::fill(zeros.all(), std::byte{1});
  pages_kept = true;
  EXPECT_TRUE(release_pages(zeros.all().data(), zeros.all().size()).empty());
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{1}), 4 * huge_page);
  pages_kept = false;
  EXPECT_EQ(release_pages(zeros.all().data(), zeros.all().size()).size(), 4 * huge_page);
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{0}), 4 * huge_page);
}

TEST(Zeros, OfNothingAreEmpty) {
  const Zeros<float> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.all().empty());
}

constexpr int64_t ms = 1'000'000;

TEST(StopRequests, CountSignalsThatComeWithinASecondOnce) {
  StopRequests requests;
  EXPECT_EQ(requests.count(), 0);
  EXPECT_EQ(requests.add(0), 1);
  EXPECT_EQ(requests.add(2 * ms), 1);
  EXPECT_EQ(requests.add(999 * ms), 1);
  EXPECT_EQ(requests.add(1000 * ms), 2);
  EXPECT_EQ(requests.add(1500 * ms), 2);
  EXPECT_EQ(requests.add(5000 * ms), 3);
  requests.reset();
  EXPECT_EQ(requests.add(5001 * ms), 1);
}

}  // namespace
}  // namespace compeer
