#include "record/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "base/files.h"
#include "record/mapped_file.h"
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

// Expected bytes from the format's definition: the larger element type comes first, although its name sorts last.
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

TEST(Safetensors, WritesTensorsInPieces) {
  const TemporaryFolder folder;
  const std::vector<float> f = {1, 2, 3, 4};
  const auto made = [&](std::vector<size_t> pieces) {
    return TensorInPieces{"t", "F32", {2, 2}, [&f, pieces](const auto& write) {
                            auto rest = bytes_of(f);
                            for (const size_t n : pieces) {
                              write(rest.first(n));
                              rest = rest.subspan(n);
                            }
                          }};
  };
  write_sharded(folder.path(), {{"t", "F32", {2, 2}, bytes_of(f)}}, 100);
  const auto whole = read_file(folder / "model.safetensors");
  write_sharded_in_pieces(folder.path(), {made({3, 0, 13})}, 100);
  EXPECT_EQ(read_file(folder / "model.safetensors"), whole);
  std::filesystem::remove(folder / "model.safetensors");
  EXPECT_EQ(complaint([&] {
              write_sharded_in_pieces(folder.path(), {made({3, 4})}, 100);
            }),
            "model.safetensors: tensor 't' has 7 bytes, its shape and type need 16");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
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
            "long: has a header of 18446744073709551615 bytes, more than the limit of 100000000");
  std::ofstream(folder_ / "cut", std::ios::binary) << std::string("\x09\0\0\0\0\0\0\0{}", 10);
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "cut"); }), "cut: ends within its header: it has 2 bytes of 9");
  EXPECT_EQ(refusal(" {}", ""), "w.safetensors: has a header that doesn't begin with '{'");
  EXPECT_EQ(refusal("", ""), "w.safetensors: has a header that doesn't begin with '{'");
  EXPECT_TRUE(refusal("{\"a\":", "").starts_with("w.safetensors: is not valid JSON: parse error at line 1, column 6"));
  EXPECT_TRUE(refusal("{}{}", "").starts_with("w.safetensors: is not valid JSON: parse error"));
  EXPECT_EQ(refusal(std::string("{}\0{}", 5), ""), "w.safetensors: is not valid JSON: it contains a zero byte");
  EXPECT_EQ(refusal("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", ""),
            "w.safetensors: nests more than 64 levels");
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "absent"); }),
            "absent: can't be read: No such file or directory");
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_.path()); }).substr(22), " can't be read: Is a directory");
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "empty"); }), "empty: is too short to be a safetensors file");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);  // without a writer: opening must not block
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "pipe"); }), "pipe: can't be read: Invalid argument");
}

TEST_F(BrokenSafetensors, ALongHeaderIsRefusedBeforeItIsRead) {
  const std::string length("\x01\xe1\xf5\x05\0\0\0\0", 8);  // 100,000,001
  std::ofstream(folder_ / "long", std::ios::binary) << length << "{}";
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "long"); }),
            "long: has a header of 100000001 bytes, more than the limit of 100000000");
}

TEST_F(BrokenSafetensors, DeepNestingIsRefusedHoweverDeep) {
  const size_t depth = 5'000'000;  // would overflow the stack of a recursive parser
  EXPECT_EQ(refusal("{\"a\":" + std::string(depth, '['), ""), "w.safetensors: nests more than 64 levels");
}

// Fifty thousand tensors: the time to read them must be linear in their number.
TEST_F(BrokenSafetensors, ManyTensorsAreReadAndTheOddOneIsFound) {
  std::string header = "{";
  const int count = 50'000;
  for (int i = 0; i < count; ++i) {
    const auto at = std::to_string(i), next = std::to_string(i + 1);
    header +=
        (i > 0 ? ",\"t" : "\"t") + at + R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + at + "," + next + "]}";
  }
  write_raw(folder_ / "many", header + "}", std::string(count, 'x'));
  EXPECT_EQ(Safetensors::open(folder_ / "many").names().size(), 50'000u);
  EXPECT_EQ(refusal(header + ",\"t49999\":{}}", std::string(count, 'x')), "w.safetensors: has the key 't49999' twice");
}

TEST_F(BrokenSafetensors, NamesAreUnicodeAndShownOnOneLine) {
  EXPECT_EQ(refusal("{\"t\xff\":{}}", ""), "w.safetensors: is not UTF-8");
  EXPECT_EQ(refusal(R"({"a\n\u001b[2J":[]})", ""),
            "w.safetensors: tensor 'a??[2J': should have exactly dtype, shape and data_offsets");
  EXPECT_EQ(
      refusal("{\"" + std::string(5000, 'n') + "\":[]}", ""),
      "w.safetensors: tensor '" + std::string(200, 'n') + "...': should have exactly dtype, shape and data_offsets");
}

TEST_F(BrokenSafetensors, EveryCutIsRefused) {
  const std::string header = R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  write_raw(folder_ / "whole", header, "12345678");
  const auto whole = read_file(folder_ / "whole");
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "whole"); }), "nothing");
  for (size_t size = 0; size < whole.size(); ++size) {
    write_file(folder_ / "cut", whole.substr(0, size));
    EXPECT_NE(complaint([&] { Safetensors::open(folder_ / "cut"); }), "nothing") << size;
  }
  write_file(folder_ / "cut", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(complaint([&] { Safetensors::open(folder_ / "cut"); }),
            "cut: tensor 't' is at bytes 0 to 8, but the file has 7");
}

// Other programs write such files, and they are valid; callers must check the alignment themselves.
TEST_F(BrokenSafetensors, MisalignedTensorsAreNotBroken) {
  write_raw(
      folder_ / "odd",
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
      std::string("x\0\0\x80\x3f", 5));
  const auto file = Safetensors::open(folder_ / "odd");
  float value;
  std::memcpy(&value, file.tensor("b").bytes.data(), 4);
  EXPECT_EQ(value, 1.0f);
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
            "w.safetensors: tensor 't': dtype is not a string");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't': shape is not a list of sizes");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1.0]}})", "x"),
            "w.safetensors: tensor 't': data_offsets must be two positions");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U9","shape":[1],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't' has the unknown type 'U9'");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,1]}})", "x"),
            "w.safetensors: tensor 't': a size is too large");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551616]}})", "x"),
            "w.safetensors: tensor 't': data_offsets must be two positions");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":1}})", ""), "w.safetensors: __metadata__ 'a' is not a string");
  EXPECT_EQ(refusal(R"({"__metadata__":"a"})", ""), "w.safetensors: __metadata__ is not an object");
}

TEST_F(BrokenSafetensors, PlacesOutsideOverlappingOrWithHolesAreRefused) {
  auto one = [](int begin, int end, int size) {
    return R"({"dtype":"U8","shape":[)" + std::to_string(size) + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(end) + "]}";
  };
  EXPECT_EQ(refusal("{\"t\":" + one(0, 4, 4) + "}", "abc"),
            "w.safetensors: tensor 't' is at bytes 0 to 4, but the file has 3");
  EXPECT_EQ(refusal("{\"t\":" + one(3, 1, 4) + "}", "abc"),
            "w.safetensors: tensor 't' is at bytes 3 to 1, but the file has 3");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 3, 4) + "}", "abc"),
            "w.safetensors: tensor 't' has 3 bytes, its shape and type need 4");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 2, 2) + ",\"u\":" + one(1, 3, 2) + "}", "abc"),
            "w.safetensors: tensor 'u' overlaps another");
  EXPECT_EQ(refusal("{\"t\":" + one(0, 1, 1) + ",\"u\":" + one(2, 3, 1) + "}", "abc"),
            "w.safetensors: unused bytes precede tensor 'u'");
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
            "1.safetensors: has no tensor 'b', which the index lists");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"../1.safetensors"}})"),
            "model.safetensors.index.json: tensor 'a' must name a file in this folder");
  for (const char* path : {"", ".", "..", "/etc/passwd", "sub/1.safetensors", "1.safetensors\\u0000"}) {
    EXPECT_EQ(refusal(std::string(R"({"weight_map":{"a":")") + path + R"("}})"),
              "model.safetensors.index.json: tensor 'a' must name a file in this folder")
        << path;
  }
  EXPECT_EQ(refusal(R"({"weight_map":{"a":1}})"),
            "model.safetensors.index.json: tensor 'a' must name a file in this folder");
  write_safetensors(folder / "4.safetensors", {{"b", "F32", {1}, bytes_of(one)}, {"a", "F32", {1}, bytes_of(one)}});
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"1.safetensors","b":"4.safetensors"}})"),
            "4.safetensors: tensor 'a' is also in another file");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"1.safetensors","a":"2.safetensors"}})"),
            "model.safetensors.index.json: has the key 'a' twice");
  EXPECT_EQ(refusal("[]"), "model.safetensors.index.json: is not a JSON object");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"3.safetensors"}})"),
            "3.safetensors: can't be read: No such file or directory");
  EXPECT_EQ(refusal(R"({})"), "model.safetensors.index.json: has no object 'weight_map'");
}

TEST(Safetensors, WhatIsWrittenIntoACopyOnWriteMappingStaysOutOfTheFile) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  write_safetensors(folder / "w", {{"t", "F32", {1}, bytes_of(one)}});
  const auto weights = Safetensors::open(folder / "w", Access::copy_on_write);
  const float two = 2;
  std::memcpy(const_cast<std::byte*>(weights.tensor("t").bytes.data()), &two, 4);
  weights.release();  // keeps pages that were written to
  EXPECT_EQ(std::memcmp(weights.tensor("t").bytes.data(), &two, 4), 0);
  EXPECT_EQ(std::memcmp(Safetensors::open(folder / "w").tensor("t").bytes.data(), one.data(), 4), 0);
}

TEST(Safetensors, BytesThatWereReleasedAreReadAgain) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  write_safetensors(folder / "w", {{"t", "F32", {1}, bytes_of(one)}});
  const auto weights = Safetensors::open(folder / "w");
  weights.release();
  EXPECT_EQ(std::memcmp(weights.tensor("t").bytes.data(), one.data(), 4), 0);
}

TEST(ShardedSafetensors, AreCutWhereTheLimitSays) {
  const TemporaryFolder folder;
  const std::vector<float> two = {1, 2}, three = {3, 4, 5};
  const std::vector<TensorView> tensors{
      {"c", "F32", {2}, bytes_of(two)}, {"a", "F32", {3}, bytes_of(three)}, {"b", "F32", {2}, bytes_of(two)}};
  write_sharded(folder.path(), tensors, 28);
  EXPECT_TRUE(std::filesystem::exists(folder / "model.safetensors"));
  write_sharded(folder.path(), tensors, 20);  // 8 + 12, then 8
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors"));
  EXPECT_EQ(read_file(folder / "model.safetensors.index.json"), R"({
  "metadata": {
    "total_size": 28
  },
  "weight_map": {
    "a": "model-00001-of-00002.safetensors",
    "b": "model-00002-of-00002.safetensors",
    "c": "model-00001-of-00002.safetensors"
  }
}
)");
  const auto weights = Safetensors::open_sharded(folder.path());
  EXPECT_EQ(weights.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(std::memcmp(weights.tensor("a").bytes.data(), three.data(), 12), 0);
  EXPECT_EQ(weights.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  write_sharded(folder.path(), tensors, 4);  // a tensor larger than the limit gets its own shard
  EXPECT_TRUE(std::filesystem::exists(folder / "model-00003-of-00003.safetensors"));
  write_sharded(folder.path(), tensors, 1000);
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors.index.json"));
}

TEST(Safetensors, NameAFileThatCantBeRemoved) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "model.safetensors.index.json/full");
  EXPECT_EQ(complaint([&] { write_sharded(folder.path(), {}, 1000); }),
            "model.safetensors.index.json: can't be removed: Directory not empty");
}

TEST(FindMappedFault, TellsAFailedReadFromAFileThatBecameShorter) {
  const TemporaryFolder folder;
  write_file(folder / "a", "bytes");
  const void* address = nullptr;
  const auto found = [&] {
    const auto fault = find_mapped_fault(address);
    return fmt::format("{}|{}|{}", fault.file, fault.what, static_cast<int>(fault.exit));
  };
  {
    const MappedFile file(folder / "a");
    address = file.bytes().data() + 3;
    EXPECT_EQ(found(), (folder / "a").string() + "|can't be read: Input/output error|1");
    std::filesystem::resize_file(folder / "a", 3);
    EXPECT_EQ(found(), (folder / "a").string() + "|was truncated while in use|4");
    EXPECT_EQ(find_mapped_fault(&folder).file, nullptr);
  }
}

}  // namespace compeer::record
