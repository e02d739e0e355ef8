// A small Qwen2.5-VL model against transformers: tests/golden/vl.
#include "tools/verify/vl.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "places.h"

namespace compeer::verify {
namespace {

TEST(VerifyVl, AgreesWithTransformersOnAllThatTheFilesHold) {
  ::setenv("COMPEER_PLUGIN_PATH", COMPEER_BINARY_DIR "/plugins", 1);
  const auto checks = verify_vl(std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/vl", {});
  EXPECT_GE(checks.size(), 100u);
  for (const Check& one : checks)
    EXPECT_TRUE(one.passed) << one.name << ": " << one.error << " > " << one.tolerance << " " << one.note;
}

}  // namespace
}  // namespace compeer::verify
