#include "base/disk.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"

namespace compeer {
namespace {

TEST(RemedyOfWrite, SpeaksOfSpaceOnlyWhereSpaceIsShort) {
  EXPECT_EQ(remedy_of_write(ENOSPC), "make room on its disk; the same command then goes on");
  EXPECT_EQ(remedy_of_write(EDQUOT), "your quota on its disk is used up: make room; the same command then goes on");
  for (const int other : {EIO, ESTALE, EROFS, EACCES, EPERM, EFBIG, EMFILE}) {
    EXPECT_NE(remedy_of_write(other), "");
    EXPECT_EQ(remedy_of_write(other).find("room"), std::string::npos);
  }
  EXPECT_EQ(remedy_of_write(EINTR), "");
  EXPECT_EQ(remedy_of_write(0), "");
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
    EXPECT_STREQ(
        error.what(),
        "TMPDIR: no file can be made in /proc/nothing: No such file or directory\n  help: set TMPDIR to a folder "
        "that can be written: temporary files go there, those of mpirun too");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace compeer
