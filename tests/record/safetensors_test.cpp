#include "record/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "base/files.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

void write_raw(const std::filesystem::path& file, const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> 8 * i);
  std::ofstream(file, std::ios::binary) << length << header << data;
}

class BrokenSafetensors : public testing::Test {
 protected:
  std::string refusal(const std::string& header, const std::string& data) {
    write_raw(folder_ / "w.safetensors", header, data);
    return complaint([&] { Safetensors::open(folder_ / "w.safetensors"); });
  }
  TemporaryFolder folder_;
};

}  // namespace

TEST(Safetensors, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::vector<float> f = {1.5f, -2, 3, 4, 5, 6};
  const std::vector<int64_t> i = {7};
  const std::vector<uint8_t> none;
  write_safetensors(
      folder / "w.safetensors",
      {{"f", "F32", {2, 3}, bytes_of(f)}, {"i", "I64", {}, bytes_of(i)}, {"none", "BF16", {0, 4}, bytes_of(none)}},
      {{"format", "pt"}});
  const auto weights = Safetensors::open(folder / "w.safetensors");
  EXPECT_EQ(weights.names(), (std::vector<std::string>{"f", "i", "none"}));
  EXPECT_EQ(weights.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(weights.tensor("f").dtype, "F32");
  EXPECT_EQ(weights.tensor("f").shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(weights.tensor("f").bytes.data(), f.data(), 24), 0);
  EXPECT_TRUE(weights.tensor("i").shape.empty());
  EXPECT_EQ(weights.tensor("none").bytes.size(), 0u);
}

// By the format's definition, byte by byte: the larger element first although its name comes later.
TEST(Safetensors, WritesTheSameBytesWhateverTheOrder) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> small = {9};
  const std::vector<float> large = {1};
  const TensorView a{"a", "U8", {1}, bytes_of(small)}, b{"b", "F32", {1}, bytes_of(large)};
  write_safetensors(folder / "1", {a, b});
  write_safetensors(folder / "2", {b, a});
  std::string header =
      R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}})";
  header.resize(112, ' ');
  EXPECT_EQ(read_file(folder / "1"),
            std::string("\x70\0\0\0\0\0\0\0", 8) + header + std::string("\0\0\x80\x3f\x09", 5));
  EXPECT_EQ(read_file(folder / "2"), read_file(folder / "1"));
}

TEST(Safetensors, RefusesToWriteATensorOfAnotherSize) {
  const TemporaryFolder folder;
  const std::vector<float> two = {1, 2};
  EXPECT_EQ(complaint([&] {
              write_safetensors(folder / "w", {{"t", "F32", {3}, bytes_of(two)}});
            }),
            "w: tensor 't' has 8 bytes, its shape and type need 12");
  EXPECT_EQ(complaint([&] {
              write_safetensors(folder / "w", {{"t", "F31", {2}, bytes_of(two)}});
            }),
            "w: tensor 't' has the unknown type 'F31'");
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

TEST(Safetensors, UnknownNameSuggestsTheNearest) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  write_safetensors(folder / "w", {{"model.norm.weight", "F32", {1}, bytes_of(one)}});
  const auto weights = Safetensors::open(folder / "w");
  EXPECT_TRUE(weights.has("model.norm.weight"));
  try {
    weights.tensor("model.norm.wieght");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has no tensor 'model.norm.wieght'");
    EXPECT_EQ(error.help(), "did you mean 'model.norm.weight'?");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST_F(BrokenSafetensors, HeaderIsRefused) {
  std::ofstream(folder_ / "short") << "abc";
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "short"); }), "short: is too short to be a safetensors file");
  std::ofstream(folder_ / "long", std::ios::binary) << std::string(8, '\xff') << "{}";
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "long"); }),
            "long: has a header of 18446744073709551615 bytes, more than 100000000 are never read");
  std::ofstream(folder_ / "cut", std::ios::binary) << std::string("\x09\0\0\0\0\0\0\0{}", 10);
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "cut"); }), "cut: ends within its header: 2 bytes of 9");
  EXPECT_EQ(refusal(" {}", ""), "w.safetensors: has a header that doesn't begin with '{'");
  EXPECT_EQ(refusal("", ""), "w.safetensors: has a header that doesn't begin with '{'");
  EXPECT_TRUE(refusal("{\"a\":", "").starts_with("w.safetensors: is not valid JSON: parse error at line 1, column 6"));
  EXPECT_TRUE(refusal("{}{}", "").starts_with("w.safetensors: is not valid JSON: parse error"));
  EXPECT_EQ(refusal("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", ""),
            "w.safetensors: has JSON nested too deep");
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "absent"); }),
            "absent: can't be read: No such file or directory");
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_.path()); }).substr(22), " can't be read: Is a directory");
}

TEST_F(BrokenSafetensors, KeysGivenTwiceAreRefused) {
  EXPECT_EQ(
      refusal(
          R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
          "x"),
      "w.safetensors: has the key 't' twice");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: has the key 'shape' twice");
}

TEST_F(BrokenSafetensors, EntriesOfAnotherShapeAreRefused) {
  EXPECT_EQ(refusal(R"({"t":[]})", ""), "w.safetensors: tensor 't': should have exactly dtype, shape and data_offsets");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[1]}})", "x"),
            "w.safetensors: tensor 't': should have exactly dtype, shape and data_offsets");
  EXPECT_EQ(refusal(R"({"t":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't': dtype is no text");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't': shape is no list of sizes");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1.0]}})", "x"),
            "w.safetensors: tensor 't': data_offsets are no two positions");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U9","shape":[1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't' has the unknown type 'U9'");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":1}})", ""), "w.safetensors: __metadata__ 'a' is no text");
}

TEST_F(BrokenSafetensors, PlacesOutsideOverlappingOrWithHolesAreRefused) {
  auto one = [](int begin, int end, int size) {
    return R"({"dtype":"U8","shape":[)" + std::to_string(size) + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(end) + "]}";
  };
  EXPECT_EQ(refusal("{\"t\":" + one(0, 4, 4) + "}", "abc"), "w.safetensors: tensor 't' lies at bytes 0 to 4 of 3");
  EXPECT_EQ(refusal("{\"t\":" + one(3, 1, 4) + "}", "abc"), "w.safetensors: tensor 't' lies at bytes 3 to 1 of 3");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 3, 4) + "}", "abc"),
            "w.safetensors: tensor 't' has 3 bytes, its shape and type need 4");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 2, 2) + ",\"u\":" + one(1, 3, 2) + "}", "abc"),
            "w.safetensors: tensor 'u' overlaps another");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 1, 1) + ",\"u\":" + one(2, 3, 1) + "}", "abc"),
            "w.safetensors: unused bytes stand before tensor 'u'");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 2, 2) + "}", "abc"), "w.safetensors: 1 bytes follow the last tensor");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", ""),
            "w.safetensors: tensor 't' is too large");
}

TEST(Safetensors, ReadsTheShardsOfAnIndex) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1}, two = {2};
  write_safetensors(folder / "model-1.safetensors", {{"a", "F32", {1}, bytes_of(one)}});
  write_safetensors(folder / "model-2.safetensors", {{"b", "F32", {1}, bytes_of(two)}});
  write_file(folder / "model.safetensors.index.json",
             R"({"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");
  const auto weights = Safetensors::open_sharded(folder.path());
  EXPECT_EQ(weights.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(std::memcmp(weights.tensor("b").bytes.data(), two.data(), 4), 0);
}

TEST(Safetensors, RefusesAnIndexThatDoesNotMatchItsShards) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  auto refusal = [&](const std::string& index) {
    write_file(folder / "model.safetensors.index.json", index);
    return complaint([&] { Safetensors::open_sharded(folder.path()); });
  };
  EXPECT_TRUE(complaint([&] {
                Safetensors::open_sharded(folder.path());
              }).ends_with("has neither model.safetensors nor model.safetensors.index.json"));
  write_safetensors(folder / "1.safetensors", {{"a", "F32", {1}, bytes_of(one)}});
  write_safetensors(folder / "2.safetensors", {{"a", "F32", {1}, bytes_of(one)}});
  EXPECT_EQ(refusal(R"({"weight_map":{"b":"1.safetensors"}})"),
            "1.safetensors: lacks tensor 'b', which the index promises");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"../1.safetensors"}})"),
            "model.safetensors.index.json: tensor 'a' should name a file of this folder");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"3.safetensors"}})"),
            "3.safetensors: can't be read: No such file or directory");
  EXPECT_EQ(refusal(R"({})"), "model.safetensors.index.json: has no table 'weight_map'");
}

}  // namespace compeer::record
