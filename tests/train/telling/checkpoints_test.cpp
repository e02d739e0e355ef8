#include "train/telling/checkpoints.h"

#include <gtest/gtest.h>

#include "../../record/temporary_folder.h"
#include "base/files.h"
#include "record/checkpoint.h"

namespace compeer::train {
namespace {

// The names in a manifest are whatever the folder's owner wrote, and log.txt is read on terminals.
TEST(FindStart, NamesDamageWithoutControlCharacters) {
  const record::TemporaryFolder run;
  record::CheckpointWriter(run.path(), 7).commit({{"step", 7}});
  record::CheckpointWriter(run.path(), 8).commit({{"step", 8}});
  const auto file = run / "checkpoints/step-000008/manifest.json";
  auto manifest = nlohmann::json::parse(read_file(file));
  manifest["files"]["\x1b[2Jgone"] = {{"size", 0}, {"sha256", ""}};
  write_file(file, manifest.dump());
  comm::World world;
  testing::internal::CaptureStderr();
  EXPECT_EQ(find_start(world, run.path(), true).step, 7u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "compeer: warning: checkpoints/step-000008: \\x1b[2Jgone is missing\n");
}

}  // namespace
}  // namespace compeer::train
