#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "base/disk.h"
#include "base/error.h"
#include "base/hash.h"

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

  // Returns the text of the Error. It must have exit code 4 (data) when reading fails and 1 (failure) when writing
  // fails.
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

  // Limits the size of files, so that writing beyond `bytes` fails as on a full disk. Returns the previous limit, to be
  // restored.
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

// Opening a pipe would block until another process writes to it.
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
    // Killed at varying points: before its first write, within a write, or after many.
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
  EXPECT_EQ(why_no_file(folder_), "is not a regular file");
  EXPECT_EQ(why_no_file(folder_ / "nowhere"), "does not exist");
  EXPECT_NE(
      problem_of([&] { write_file(folder_ / "no" / "a", "x"); }, Exit::failure).find((folder_ / "no" / "a").string()),
      std::string::npos);
}

// Reading /proc/self/mem fails with an I/O error, like a bad disk: address 0 is never mapped.
TEST_F(Files, AReadThatFailsOnItsWayIsNoEnd) {
  EXPECT_EQ(problem_of([] { read_file("/proc/self/mem"); }, Exit::failure),
            "/proc/self/mem: can't be read: Input/output error\n  help: the disk or file server failed (see dmesg); "
            "resume the run once it works");
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
  fs::resize_file(folder_ / "a", uint64_t{1} << 40);  // sparse: takes no space, but hours to read
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

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::string(error.what()) + "|" + std::to_string(static_cast<int>(error.exit()));
  }
  return "nothing";
}

// While an object of this class lives, this process can't open more files.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(ReadError, IsTheSystemsOrTheFiles) {
  for (const int error : {EIO, ESTALE, EMFILE, ENFILE, ENOMEM, ETIMEDOUT}) {
    EXPECT_EQ(read_error("x", error).exit(), Exit::failure) << error;
    EXPECT_EQ(read_error("x", error).problem(), std::string("can't be read: ") + std::strerror(error));
  }
  for (const int error : {ENOENT, ENOTDIR, EISDIR, EACCES}) {
    EXPECT_EQ(read_error("x", error).exit(), Exit::data) << error;
    EXPECT_EQ(read_error("x", error).help(), "");
  }
  EXPECT_EQ(read_error("x", EMFILE).help(), "too many files are open: raise the limit (ulimit -n)");
}

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define COMPEER_UBSAN
#endif
#endif

TEST(Reading, WithTooManyOpenFilesIsTheSystemsFailure) {
#ifdef COMPEER_UBSAN
  GTEST_SKIP() << "UBSan's check of virtual bases opens a pipe";
#endif
  const Scratch scratch;
  const auto file = scratch.folder() / "a";
  write_file(file, "bytes");
  const auto expected =
      "a: can't be read: Too many open files\n  help: too many files are open: raise the limit (ulimit -n)|1";
  const auto said = [&](const auto& read) {
    const NoMoreFiles none;
    return complaint([&] { read(file); });
  };
  for (const auto& text :
       {said([](const auto& path) { read_file(path); }), said([](const auto& path) { sha256_file(path); }),
        said([](const auto& path) { open_to_read(path); })})
    EXPECT_EQ(text, scratch.folder().string() + "/" + expected);
  EXPECT_EQ(said([](const auto& path) { entries_of(path.parent_path()); }).substr(scratch.folder().string().size()),
            std::string(expected).substr(1));
}

TEST(EntriesOf, AFolderThatIsNotThereAreNone) {
  const Scratch scratch;
  write_file(scratch.folder() / "a", "");
  EXPECT_EQ(entries_of(scratch.folder()).size(), 1u);
  EXPECT_TRUE(entries_of(scratch.folder() / "none").empty());
  EXPECT_TRUE(entries_of(scratch.folder() / "a").empty());
}

TEST(RemedyOfWrite, SpeaksOfSpaceOnlyWhereSpaceIsShort) {
  EXPECT_EQ(write_error_help(ENOSPC), "free disk space, then run the same command to continue");
  EXPECT_EQ(write_error_help(EDQUOT),
            "your disk quota is used up: free disk space, then run the same command to continue");
  for (const int other : {EIO, ESTALE, EROFS, EACCES, EPERM, EFBIG, EMFILE}) {
    EXPECT_NE(write_error_help(other), "");
    EXPECT_EQ(write_error_help(other).find("room"), std::string::npos);
  }
  EXPECT_EQ(write_error_help(EINTR), "");
  EXPECT_EQ(write_error_help(0), "");
}

TEST(CauseIn, FindsWhatTheSystemSaid) {
  EXPECT_EQ(cause_in("file write failed: time = 1, No space left on device, buf = 0x1"), ENOSPC);
  EXPECT_EQ(cause_in("Input/output error"), EIO);
  EXPECT_EQ(cause_in("bad object header version number"), 0);
}

TEST(TemporaryFolder, IsNewAndInTmpdirOrNamesIt) {
  const std::string before = ::getenv("TMPDIR") ? ::getenv("TMPDIR") : "";
  const auto folder = make_temporary_folder();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  ::setenv("TMPDIR", (folder / "new").c_str(), 1);
  EXPECT_EQ(make_temporary_folder().parent_path(), folder / "new");
  ::setenv("TMPDIR", "/proc/nothing", 1);
  try {
    make_temporary_folder();
    ADD_FAILURE() << "made a folder in /proc";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "TMPDIR: can't create a file in /proc/nothing: No such file or directory\n  help: set TMPDIR to a "
                 "writable folder for temporary files, including those of mpirun");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  std::filesystem::remove_all(folder);
}

// The examples of FIPS 180-2, appendix B, and the empty message.
TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, CountsBytesAfterANul) { EXPECT_NE(sha256(std::string("a\0b", 3)), sha256("a")); }

TEST(Sha256File, EqualsTheHashOfItsBytesOverBlockBoundaries) {
  const auto file = std::filesystem::temp_directory_path() / ("compeer-hash-" + std::to_string(::getpid()));
  for (const size_t size : {size_t{0}, size_t{1}, (size_t{1} << 20) - 1, size_t{1} << 20, (size_t{1} << 20) + 1}) {
    const std::string bytes(size, 'z');
    write_file(file, bytes);
    EXPECT_EQ(sha256_file(file), sha256(bytes)) << size;
  }
  std::filesystem::remove(file);
}

TEST(Sha256File, NamesAFileThatIsNotThere) {
  try {
    sha256_file("/nonexistent/weights");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/weights: can't be read: No such file or directory");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(Sha256File, OfAFileWhoseDiskFailsIsNoSum) {
  try {
    sha256_file("/proc/self/mem");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/proc/self/mem: can't be read: Input/output error\n  help: the disk or file server failed (see "
                 "dmesg); resume the run once it works");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
}

}  // namespace
}  // namespace compeer
