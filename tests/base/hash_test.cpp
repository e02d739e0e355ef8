#include "base/hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"

namespace compeer {
namespace {

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
                 "/proc/self/mem: can't be read: Input/output error\n  help: the disk or file server failed "
                 "(dmesg says more); the run can go on once it works");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
}

}  // namespace
}  // namespace compeer
