// OpenAI's Python client (package openai) against `compeer serve`.
#include <cstdlib>

#include "serving.h"

namespace compeer::serve {
namespace {

TEST_F(Serving, UnderstandsOpenAisClient) {
  const char* chosen = std::getenv("COMPEER_TEST_PYTHON");
  const std::string python = chosen ? chosen : "python3";
  if (std::system((python + " -c 'import openai' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << python << " has no package openai (COMPEER_TEST_PYTHON names another)";
  start("--name speaker", "COMPEER_SERVE_TOKEN=a-token");
  const auto command = python + " " COMPEER_SOURCE_DIR "/tests/serve/openai_client.py " + address + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(stop(), "exit 0");
}

}  // namespace
}  // namespace compeer::serve
