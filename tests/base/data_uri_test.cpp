#include "base/data_uri.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace compeer {
namespace {

std::filesystem::path file(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// RFC 4648 by hand: 89 50 4e | 47 0d 0a | 1a 0a 66
TEST(DataUri, IsThePicturesBytesInBase64) {
  EXPECT_EQ(data_uri(file("uri.png", "\x89PNG\r\n\x1a\nf")), "data:image/png;base64,iVBORw0KGgpm");
  EXPECT_EQ(data_uri(file("uri.jpg", "\xff\xd8\xff\xe0")), "data:image/jpeg;base64,/9j/4A==");
}

TEST(DataUri, RefusesWhatIsNoPicture) {
  try {
    data_uri(file("uri.txt", "GIF89a"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("uri.txt: is no picture"), std::string::npos) << error.what();
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer
