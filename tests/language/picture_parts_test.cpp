// Which files messages show.
#include "language/pictures.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::language {
namespace {

using nlohmann::json;

json message(const json& part) {
  return json::array({{{"role", "user"}, {"content", json::array({part, {{"type", "text"}, {"text", "Look."}}})}}});
}

std::string complaint(const json& part) {
  try {
    picture_parts(message(part), {}, "line 3");
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "line 3");
    EXPECT_EQ(error.exit(), Exit::data);
    return error.problem();
  }
  return "nothing";
}

TEST(PictureParts, StandInTheOrderOfTheMessages) {
  json messages = message({{"type", "image"}, {"image", "a.png"}});
  messages.push_back({{"role", "assistant"}, {"content", "A cat."}});
  messages.push_back(message({{"type", "image"}, {"url", "file:///tmp/b.jpg"}})[0]);
  const auto parts = picture_parts(messages, {}, "x");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].frames, (std::vector<std::filesystem::path>{"a.png"}));
  EXPECT_EQ(parts[1].frames, (std::vector<std::filesystem::path>{"/tmp/b.jpg"}));
}

TEST(PictureParts, VideosAreTheirFrames) {
  const auto parts =
      picture_parts(message({{"type", "video"}, {"video", {"1.png", "2.png", "3.png"}}, {"fps", 4}}), {}, "x");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].frames.size(), 3u);
  EXPECT_EQ(parts[0].seconds, 0.5);  // two frames to a place
  EXPECT_EQ(picture_parts(message({{"type", "video"}, {"video", "1.png"}}), {}, "x")[0].seconds, 1.0);
}

TEST(PictureParts, WhatIsNoFileIsNamed) {
  EXPECT_EQ(complaint({{"type", "image"}}), "a part of type image names no file");
  EXPECT_EQ(complaint({{"type", "image"}, {"image", 7}}), "a picture is named by 7");
  EXPECT_EQ(complaint({{"type", "image"}, {"url", "https://example.org/a.png"}}),
            "'https://example.org/a.png' is no file");
  EXPECT_EQ(complaint({{"type", "image"}, {"image", {"1.png", "2.png"}}}), "a part of type image names a list");
  EXPECT_EQ(complaint({{"type", "video"}, {"video", json::array()}}), "a video has no frames");
  EXPECT_EQ(complaint({{"type", "video"}, {"video", {"1.png"}}, {"fps", 0}}), "fps is 0");
}

TEST(PictureList, NamesFilesAndVideos) {
  const auto list = picture_list(json::array({"a.png", json::array({"1.png", "2.png"})}), "x");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].frames.size(), 2u);
  EXPECT_FALSE(list[0].seconds);
  EXPECT_EQ(list[1].seconds, 1.0);
  EXPECT_THROW(picture_list("a.png", "x"), Error);
}

}  // namespace
}  // namespace compeer::language
