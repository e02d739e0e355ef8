#include "record/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/files.h"
#include "record/crc32c.h"
#include "temporary_folder.h"

namespace compeer::record {

// RFC 3720, appendix B.4.
TEST(Crc32c, MatchesPublishedValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
}

// Expected: the first record of an event file with wall time 1, written by TensorBoard.
TEST(EventFile, FramesARecordWithMaskedChecksums) {
  const std::string message(
      "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"
      "brain.Event:2",
      24);
  const std::string record = framed_record(message);
  ASSERT_EQ(record.size(), 8 + 4 + 24 + 4u);
  EXPECT_EQ(record.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
  EXPECT_EQ(record.substr(12, 24), message);
  EXPECT_EQ(record.substr(36), "\x86\xbf\x57\x7a");
}

TEST(EventFile, HasAScalarForEachNumberAndNoneForNaN) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder / "run.h5", "{}", {"step", "a/b", "c"});
  writer.append(std::vector<double>{300, 0.5, std::numeric_limits<double>::quiet_NaN()});
  writer.finish("finished");
  const RunReader run(folder / "run.h5");
  const auto file = write_tensorboard(folder / "events", run);
  EXPECT_TRUE(file.filename().string().starts_with("events.out.tfevents."));
  const std::string bytes = read_file(file);
  // Wall time, step 300 = 0xac 0x02, a summary with one value: tag "a/b", simple_value 0.5.
  std::string event = std::string("\x09") + std::string(8, '\0') +
                      "\x10\xac\x02\x2a\x0c\x0a\x0a\x0a\x03"
                      "a/b"
                      "\x15" +
                      std::string("\0\0\0\x3f", 4);
  const double time = run.times()[0];
  std::memcpy(event.data() + 1, &time, 8);
  EXPECT_EQ(bytes.substr(40), framed_record(event));
}

}  // namespace compeer::record
