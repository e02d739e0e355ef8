#include "record/strict_json.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace compeer::record {
namespace {

TEST(StrictJson, IsReadFromPlainFilesOfModestSize) {
  const TemporaryFolder folder;
  const auto told = [&](const char* name) { return complaint([&] { read_strict_json(folder / name); }); };
  write_file(folder / "config.json", R"({"a": [1]})");
  EXPECT_EQ(read_strict_json(folder / "config.json"), nlohmann::json({{"a", {1}}}));
  std::filesystem::resize_file(folder / "config.json", uint64_t{1} << 40);  // a hole: it takes no room
  EXPECT_EQ(told("config.json"), "config.json: is larger than 67108864 bytes");
  ASSERT_EQ(::mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(told("pipe.json"), "pipe.json: is a pipe or a device, not a file");
}

}  // namespace
}  // namespace compeer::record
