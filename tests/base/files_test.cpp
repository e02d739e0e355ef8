#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "compeer-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A file that can't be read is a mistake in data, one that can't be written is none.
  std::string problem_of(const auto& act, Exit exit = Exit::data) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), exit);
      return error.what();
    }
    return "no error";
  }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  // Writing beyond `bytes` fails as on a full disk; returns the limit to go back to.
  static rlimit file_size_limit(rlim_t bytes) {
    rlimit before;
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
    return before;
  }

  fs::path folder_;
};

// Opening it would wait for somebody who writes.
TEST_F(Files, OfStrangersMayBeNoPipes) {
  ASSERT_EQ(::mkfifo((folder_ / "status.json").c_str(), 0600), 0);
  EXPECT_EQ(problem_of([&] { read_plain_file(folder_ / "status.json"); }),
            (folder_ / "status.json").string() + ": is a pipe or a device, not a file");
  write_file(folder_ / "plain", "bytes");
  EXPECT_EQ(read_plain_file(folder_ / "plain"), "bytes");
}

TEST_F(Files, ReadGivesBackEveryByteWritten) {
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7);  // longer than a block, with NUL and newlines
  write_file(folder_ / "a", bytes);
  EXPECT_EQ(read_file(folder_ / "a"), bytes);
  write_file(folder_ / "a", "");
  EXPECT_EQ(read_file(folder_ / "a"), "");
}

TEST_F(Files, WriteLeavesNothingElseBehind) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ReaderSeesOneWholeVersionOrTheOther) {
  const std::string old_text(100000, 'a'), new_text(200000, 'b');
  write_file(folder_ / "a", old_text);
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file(folder_ / "a", i % 2 ? old_text : new_text);
  });
  bool whole = true;
  for (int i = 0; i < 200; ++i) {
    const auto text = read_file(folder_ / "a");
    whole = whole && (text == old_text || text == new_text);
  }
  writer.join();
  EXPECT_TRUE(whole);
}

TEST_F(Files, KilledWriterLeavesOneWholeVersion) {
  const std::string old_text(1 << 20, 'a'), new_text(1 << 20, 'b');
  for (int round = 0; round < 10; ++round) {
    write_file(folder_ / "a", old_text);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) write_file(folder_ / "a", new_text);
    }
    // Killed at whatever point it is: before its first write, within one, or after many.
    for (int i = 0; i < round * 2000; ++i) (void)::getppid();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto text = read_file(folder_ / "a");
    EXPECT_TRUE(text == old_text || text == new_text);
  }
}

TEST_F(Files, WriteFollowsTheUsersMask) {
  const mode_t before = ::umask(027);
  write_file(folder_ / "a", "x");
  ::umask(before);
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms(0640));
}

TEST_F(Files, ErrorsNameTheFile) {
  EXPECT_EQ(problem_of([&] { read_file(folder_ / "none"); }),
            (folder_ / "none").string() + ": can't be read: No such file or directory");
  EXPECT_EQ(problem_of([&] { read_file(folder_); }), folder_.string() + ": is a folder, not a file");
  EXPECT_NE(
      problem_of([&] { write_file(folder_ / "no" / "a", "x"); }, Exit::failure).find((folder_ / "no" / "a").string()),
      std::string::npos);
}

// Nobody has mapped the first page of a process, so reading there fails as a bad disk does.
TEST_F(Files, AReadThatFailsOnItsWayIsNoEnd) {
  EXPECT_EQ(
      problem_of([] { read_file("/proc/self/mem"); }, Exit::failure),
      "/proc/self/mem: can't be read: Input/output error\n  help: the disk or file server failed (dmesg says more); "
      "the run can go on once it works");
}

TEST_F(Files, WritingOverAFolderFailsAndLeavesItThere) {
  fs::create_directory(folder_ / "a");
  EXPECT_NE(problem_of([&] { write_file(folder_ / "a", "x"); }, Exit::failure).find("can't be put in place"),
            std::string::npos);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, FailedWriteTakesItsUnfinishedFileAway) {
  const rlimit before = file_size_limit(1000);
  EXPECT_NE(
      problem_of([&] { write_file(folder_ / "a", std::string(2000, 'x')); }, Exit::failure).find("can't be written"),
      std::string::npos);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, ReadStopsAtItsLimit) {
  write_file(folder_ / "a", "12345");
  EXPECT_EQ(read_file(folder_ / "a", 5), "12345");
  EXPECT_EQ(problem_of([&] { read_file(folder_ / "a", 4); }), (folder_ / "a").string() + ": is larger than 4 bytes");
  EXPECT_NE(problem_of([&] { read_file("/dev/zero", 1000); }).find("is larger than 1000 bytes"), std::string::npos);
}

TEST_F(Files, ReadLooksAtTheSizeFirst) {
  write_file(folder_ / "a", "");
  fs::resize_file(folder_ / "a", uint64_t{1} << 40);  // nothing but a hole: it takes no room, but hours to read
  EXPECT_EQ(problem_of([&] { read_file(folder_ / "a", (uint64_t{1} << 40) - 1); }),
            (folder_ / "a").string() + ": is larger than 1099511627775 bytes");
}

TEST_F(Files, ReadsNoPipesWherePlainFilesAreMeant) {
  ASSERT_EQ(::mkfifo((folder_ / "a").c_str(), 0600), 0);
  EXPECT_EQ(problem_of([&] { read_plain_file(folder_ / "a"); }),
            (folder_ / "a").string() + ": is a pipe or a device, not a file");
}

TEST_F(Files, BareNameIsWrittenInTheCurrentFolder) {
  const auto before = fs::current_path();
  fs::current_path(folder_);
  write_file("bare", "x");
  fs::current_path(before);
  EXPECT_EQ(read_file(folder_ / "bare"), "x");
}

}  // namespace
}  // namespace compeer
