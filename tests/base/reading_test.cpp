#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "base/disk.h"
#include "base/hash.h"

namespace compeer {
namespace {

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::string(error.what()) + "|" + std::to_string(static_cast<int>(error.exit()));
  }
  return "nothing";
}

// Further files of this process can't be opened while an object of this class lives.
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
  EXPECT_EQ(read_error("x", EMFILE).help(), "too many files are open: see `ulimit -n`");
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
  const auto expected = "a: can't be read: Too many open files\n  help: too many files are open: see `ulimit -n`|1";
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

}  // namespace
}  // namespace compeer
