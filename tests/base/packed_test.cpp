#include "base/text.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace compeer {
namespace {

using namespace std::string_literals;

TEST(Packed, GivesBackTextsOfAnyBytesAndSizes) {
  const std::vector<std::string> texts{"",
                                       "a\0b"s,
                                       "\xff\xfe",
                                       std::string(127, 'x'),
                                       std::string(128, 'y'),
                                       std::string(16383, 'z'),
                                       std::string(16384, '\x80'),
                                       std::string(3000000, '\xff'),
                                       ""};
  std::string bytes;
  for (const auto& text : texts) put_packed(text, bytes);
  std::string_view rest = bytes;
  for (const auto& text : texts) EXPECT_EQ(take_packed(rest), text);
  EXPECT_TRUE(rest.empty());
}

TEST(Packed, PutsAByteBeforeAShortTextAndTwoBeforeALongerOne) {
  std::string bytes;
  put_packed("ab", bytes);
  EXPECT_EQ(bytes,
            "\x02"
            "ab");
  bytes.clear();
  put_packed(std::string(300, 'x'), bytes);  // 300 = 2 * 128 + 44
  EXPECT_EQ(bytes.substr(0, 3), "\xac\x02x");
}

TEST(Packed, RefusesWhatIsCutShortAnywhere) {
  std::string bytes;
  put_packed(std::string(300, 'x'), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest(bytes.data(), size);
    EXPECT_THROW(take_packed(rest), std::runtime_error) << size;
  }
}

TEST(Packed, RefusesASizeThatNoTextHas) {
  const std::string bytes = std::string(20, '\xff') + "text";
  std::string_view rest = bytes;
  EXPECT_THROW(take_packed(rest), std::runtime_error);
}

}  // namespace
}  // namespace compeer
