#include "gguf/gguf.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "../record/temporary_folder.h"
#include "base/files.h"
#include "gguf/quants.h"
#include "gguf/rope_factors.h"
#include "gguf_bytes.h"
#include "record/safetensors.h"

namespace compeer::gguf {
namespace {

using nlohmann::json;
using record::complaint;
using record::TemporaryFolder;

json golden(const char* part) { return json::parse(read_file(golden_gguf / "golden.json")).at(part); }

TEST(Gguf, ReadsMetadataOfAllTypes) {
  const auto file = GgufFile::open(golden_gguf / "quants.gguf");
  const json wanted = golden("quants");
  EXPECT_EQ(file.version(), wanted.at("version"));
  EXPECT_EQ(file.alignment(), wanted.at("alignment"));
  EXPECT_EQ(file.data_start(), wanted.at("data_start"));
  ASSERT_EQ(file.metadata().size(), wanted.at("metadata").size());
  for (const json& one : wanted.at("metadata")) {
    const auto& found = file.metadata().at(one.at("key"));
    EXPECT_TRUE(one.at("type").get<std::string>().starts_with(found.type)) << one;
    if (found.type == "float32") {
      EXPECT_FLOAT_EQ(found.value.get<float>(), one.at("value").get<float>()) << one;
    } else if (found.type == "float64") {
      EXPECT_NEAR(found.value.get<double>(), one.at("value").get<double>(), 1e-12) << one;
    } else {
      EXPECT_EQ(found.value, one.at("value")) << one;
    }
  }
}

TEST(Gguf, ReadsTheTableOfTensors) {
  const auto file = GgufFile::open(golden_gguf / "quants.gguf");
  const auto* start = file.find("t.f32.weight")->bytes.data();
  const json wanted = golden("quants").at("tensors");
  ASSERT_EQ(file.tensors().size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const GgufTensor& tensor = file.tensors()[i];
    EXPECT_EQ(tensor.name, wanted[i].at("name"));
    EXPECT_EQ(tensor.format->name, wanted[i].at("type"));
    EXPECT_EQ(json(tensor.shape), wanted[i].at("shape"));
    EXPECT_EQ(tensor.bytes.data() - start, wanted[i].at("offset"));
    EXPECT_EQ(tensor.bytes.size(), wanted[i].at("bytes"));
    EXPECT_EQ(json({tensor.format->elements, tensor.format->bytes}), wanted[i].at("block"));
  }
  EXPECT_EQ(file.find("t.f33.weight"), nullptr);
}

class BrokenGguf : public testing::Test {
 protected:
  std::string refusal(const std::string& bytes) {
    write_file(folder_ / "m.gguf", bytes);
    return complaint([&] { GgufFile::open(folder_ / "m.gguf"); });
  }
  std::string refusal(const GgufBytes& file) { return refusal(file.bytes()); }
  TemporaryFolder folder_;
};

TEST_F(BrokenGguf, BeginningIsRefused) {
  EXPECT_EQ(refusal(""), "m.gguf: is not a GGUF file: it doesn't begin with 'GGUF'");
  EXPECT_EQ(refusal("GGML...."), "m.gguf: is not a GGUF file: it doesn't begin with 'GGUF'");
  EXPECT_EQ(refusal("GGUF\1\0"),
            "m.gguf: ends within the version: 4 bytes are required from byte 4 on, but only 1 remain");
  GgufBytes other;
  other.version = 1;
  EXPECT_EQ(refusal(other), "m.gguf: is a GGUF file of version 1");
  other.version = 0x03000000;
  EXPECT_EQ(refusal(other), "m.gguf: is big-endian");
  other.version = 2;
  EXPECT_EQ(refusal(other), "nothing");
}

TEST_F(BrokenGguf, MetadataIsRefused) {
  EXPECT_EQ(refusal(GgufBytes().number("a", 1).number("a", 1)), "m.gguf: metadata 'a' occurs twice");
  EXPECT_EQ(refusal(GgufBytes().raw("a", 13, "")), "m.gguf: metadata 'a' is of the unknown type 13");
  EXPECT_EQ(refusal(GgufBytes().raw("a", 7, "\2")), "m.gguf: metadata 'a' is 2, neither true (1) nor false (0)");
  EXPECT_EQ(refusal(GgufBytes().text("a", "\xFF")), "m.gguf: metadata 'a' is not UTF-8 from its byte 0 on");
  EXPECT_EQ(refusal(GgufBytes().text("a\n", "\xFF")), "m.gguf: metadata 'a?' is not UTF-8 from its byte 0 on");
  EXPECT_EQ(
      refusal(GgufBytes().raw("a", 8, le<uint64_t>(UINT64_MAX))),
      "m.gguf: ends within metadata 'a': 18446744073709551615 bytes are required from byte 45 on, but only 19 remain");
  EXPECT_EQ(refusal(GgufBytes().raw("a", 9, le<uint32_t>(8) + le<uint64_t>(1ull << 61))),
            "m.gguf: metadata 'a' has 2305843009213693952 elements, but the file has room for at most 1");
  EXPECT_EQ(refusal(GgufBytes().raw("a", 9, le<uint32_t>(99) + le<uint64_t>(0))),
            "m.gguf: metadata 'a' is of the unknown type 99");
  std::string nested;
  for (int i = 0; i < 5; ++i) nested += le<uint32_t>(9) + le<uint64_t>(1);
  EXPECT_EQ(refusal(GgufBytes().raw("a", 9, nested + le<uint32_t>(0) + le<uint64_t>(0))),
            "m.gguf: metadata 'a' nests arrays more than 4 deep");
  GgufBytes many;
  many.keys = UINT64_MAX;
  EXPECT_TRUE(refusal(many).starts_with("m.gguf: ends within ")) << refusal(many);
}

TEST_F(BrokenGguf, TableOfTensorsIsRefused) {
  const auto one = [](const std::vector<uint64_t>& sizes, uint32_t format = 0, uint64_t offset = 0) {
    GgufBytes file;
    file.data.resize(64);
    return file.entry("t", sizes, format, offset);
  };
  EXPECT_EQ(refusal(one({16})), "nothing");
  EXPECT_EQ(refusal(one({17})), "m.gguf: tensor 't' has 68 bytes from byte 0 of the data on, which end at 64");
  EXPECT_EQ(refusal(one({1}, 0, 96)), "m.gguf: tensor 't' has 4 bytes from byte 96 of the data on, which end at 64");
  EXPECT_EQ(refusal(one({1}, 0, UINT64_MAX - 31)),
            "m.gguf: tensor 't' has 4 bytes from byte 18446744073709551584 of the data on, which end at 64");
  EXPECT_EQ(refusal(one({1}, 0, 8)), "m.gguf: tensor 't' begins at byte 8 of the data, which is not a multiple of 32");
  EXPECT_EQ(refusal(one({})), "m.gguf: tensor 't' has 0 dimensions");
  EXPECT_EQ(refusal(one({1, 1, 1, 1, 1})), "m.gguf: tensor 't' has 5 dimensions");
  EXPECT_EQ(refusal(one({1, 0})), "m.gguf: tensor 't' has the size 0");
  EXPECT_EQ(refusal(one({UINT64_MAX})), "m.gguf: tensor 't' has the size 18446744073709551615");
  EXPECT_EQ(refusal(one({1ull << 32, 1ull << 32})), "m.gguf: tensor 't' is too large");
  EXPECT_EQ(refusal(one({33}, 8)),
            "m.gguf: tensor 't' has rows of 33 elements, which is not a multiple of the block size 32 (Q8_0)");
  EXPECT_EQ(refusal(one({16}, 20)), "m.gguf: tensor 't' has the format IQ4_NL, which is not supported");
  EXPECT_EQ(refusal(one({16}, 12345)), "m.gguf: tensor 't' has the format 12345, which is not supported");
  EXPECT_EQ(refusal(one({1}).entry("t", {1}, 0, 32)), "m.gguf: two tensors are called 't'");
  EXPECT_EQ(refusal(one({9}).entry("u", {1}, 0, 32)), "m.gguf: tensors 't' and 'u' overlap");
  EXPECT_EQ(refusal(one({8}).entry("u", {1}, 0, 32)), "nothing");
}

TEST_F(BrokenGguf, AlignmentIsRefused) {
  EXPECT_EQ(refusal(GgufBytes().number("general.alignment", 64)), "nothing");
  EXPECT_EQ(refusal(GgufBytes().number("general.alignment", 0)), "m.gguf: metadata 'general.alignment' is 0");
  EXPECT_EQ(refusal(GgufBytes().number("general.alignment", 24)),
            "m.gguf: metadata 'general.alignment' is 24, which is not a power of two");
  EXPECT_EQ(refusal(GgufBytes().text("general.alignment", "x")), "m.gguf: metadata 'general.alignment' is \"x\"");
}

// A file truncated at any byte is refused, except in the padding; a file with any byte changed is read or refused.
TEST(Gguf, SurvivesFilesThatAreCutOffOrChanged) {
  const TemporaryFolder folder;
  struct Whole {
    const char* name;
    size_t needed;  // size without the padding at the end
  };
  for (const auto& [name, needed] : {Whole{"quants.gguf", 1536 + 5312 + 1260}, {"vocab_qwen2.gguf", 8330}}) {
    for (size_t size = 0; size < std::filesystem::file_size(golden_gguf / name); ++size) {
      record::MappedFile mapped(golden_gguf / name);
      const auto cut = mapped.bytes().first(size);
      try {
        GgufFile(std::move(mapped), cut, "cut");
        EXPECT_GE(size, needed) << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::data);
        EXPECT_LT(size, needed) << name;
      }
    }
  }
  std::mt19937 random(5);
  const auto whole = read_file(golden_gguf / "quants.gguf");
  size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    auto changed = whole;
    for (int k = 0; k < 3; ++k) changed[random() % 1536] = static_cast<char>(random());
    std::ofstream(folder / "changed.gguf", std::ios::binary) << changed;
    try {
      GgufFile::open(folder / "changed.gguf");
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(MetadataReader, SaysWhatIsWrong) {
  const Metadata metadata{{"n", {"int32", -3}},    {"u", {"uint64", UINT64_MAX}},
                          {"t", {"string", "x"}},  {"l", {"array", json::array({1})}},
                          {"f", {"float32", 0.0}}, {"block_count", {"uint32", 2}}};
  const std::string where = "m.gguf";
  const MetadataReader reader(metadata, where);
  EXPECT_EQ(reader.whole("block_count", 1, 9), 2);
  EXPECT_EQ(reader.whole("absent", 1, 9, 7), 7);
  EXPECT_EQ(reader.text("absent", "y"), "y");
  EXPECT_EQ(complaint([&] { reader.whole("n", 0, 9); }), "m.gguf: metadata 'n' is -3");
  EXPECT_EQ(complaint([&] { reader.whole("u", 0, 9); }), "m.gguf: metadata 'u' is 18446744073709551615");
  EXPECT_EQ(complaint([&] { reader.whole("t", 0, 9); }), "m.gguf: metadata 't' is \"x\"");
  EXPECT_EQ(complaint([&] { reader.whole("l", 0, 9); }), "m.gguf: metadata 'l' is a list");
  EXPECT_EQ(complaint([&] { reader.text("n"); }), "m.gguf: metadata 'n' is not a string");
  EXPECT_EQ(complaint([&] { reader.positive("f", 1); }), "m.gguf: metadata 'f' must be a number above 0");
  EXPECT_EQ(complaint([&] { reader.flag("n", true); }), "m.gguf: metadata 'n' must be true or false");
  EXPECT_EQ(complaint([&] { reader.list("n"); }), "m.gguf: metadata 'n' is not a list");
  EXPECT_EQ(complaint([&] { reader.whole("block_cuont", 1, 9); }), "m.gguf: lacks the metadata 'block_cuont'");
}

TEST(Quants, AreTheValuesOfTheReference) {
  const auto file = GgufFile::open(golden_gguf / "quants.gguf");
  const auto golden = record::Safetensors::open(golden_gguf / "quants.safetensors");
  ASSERT_EQ(file.tensors().size(), 13u);
  for (const GgufTensor& tensor : file.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.elements()));
    unpack(*tensor.format, tensor.bytes, values);
    const auto wanted = golden.tensor(tensor.name).bytes;
    ASSERT_EQ(wanted.size(), 4 * values.size()) << tensor.name;
    size_t different = 0;
    for (size_t i = 0; i < values.size(); ++i)
      different += std::memcmp(&values[i], &wanted[4 * i], 4) != 0 && values[i] != 0;
    EXPECT_EQ(different, 0u) << tensor.name;
  }
}

TEST(Quants, NamesFormats) {
  EXPECT_STREQ(find_format(12)->name, "Q4_K");
  EXPECT_EQ(find_format(20), nullptr);
  EXPECT_EQ(format_name(20), "IQ4_NL");
  EXPECT_EQ(format_name(4), "4");
  EXPECT_EQ(known_formats(), "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K");
}

// 0x3C00 = 1, 0x0001 = 2^-24 (the smallest), 0x03FF = 1023 2^-24, 0x7BFF = 65504 (the largest).
TEST(HalfToFloat, IsExact) {
  EXPECT_EQ(half_to_float(0x3C00), 1.0f);
  EXPECT_EQ(half_to_float(0xC000), -2.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x83FF), -1023 * 0x1p-24f);
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0f);
  EXPECT_EQ(half_to_float(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half_to_float(0x7C01)));
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

// 1 + 2^-8 is halfway between 1 (even) and 1 + 2^-7; 1 + 3 2^-8 is halfway between 1 + 2^-7 and 1 + 2^-6 (even).
TEST(FloatToBfloat16, RoundsToTheNearest) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f + 0x1p-20f), 0x3F81);
  EXPECT_EQ(float_to_bfloat16(1.0f + 3 * 0x1p-8f), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x7F800001u)), 0x7FC0);
}

using Json = nlohmann::ordered_json;

// The factors as GGUF converters compute them, in float32.
std::vector<float> llama3(float theta, int dim, float factor, float low, float high, float original) {
  std::vector<float> factors;
  for (int i = 0; i < dim; i += 2) {
    const float frequency = 1 / std::pow(theta, static_cast<float>(i) / static_cast<float>(dim));
    const float wave = 2 * std::numbers::pi_v<float> / frequency;
    const float s = (original / wave - low) / (high - low);
    factors.push_back(wave < original / high ? 1 : wave > original / low ? factor : 1 / ((1 - s) / factor + s));
  }
  return factors;
}

Json rule(double factor, double high, int64_t original) {
  return {{"rope_type", "llama3"},
          {"factor", factor},
          {"low_freq_factor", 1.0},
          {"high_freq_factor", high},
          {"original_max_position_embeddings", original}};
}

TEST(RopeFactors, FindsTheRuleOfPublishedModels) {
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 4, 8192), 500000), rule(8, 4, 8192));   // Llama 3.1
  EXPECT_EQ(rope_scaling_of(llama3(500000, 64, 32, 1, 4, 8192), 500000), rule(32, 4, 8192));  // Llama 3.2 1B
  EXPECT_EQ(rope_scaling_of(llama3(500000, 24, 8, 1, 4, 32), 500000), rule(8, 4, 32));        // one pair in between
}

TEST(RopeFactors, FindsOtherBorders) {
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 6, 8192), 500000), rule(8, 6, 8192));
  EXPECT_EQ(rope_scaling_of(llama3(10000, 64, 16, 2, 8, 4096), 10000), rule(16, 4, 2048)) << "the same borders";
}

// All frequency pairs are either kept or divided, so any border between them describes the same scaling.
TEST(RopeFactors, FindsABorderThatNoPairIsNear) {
  const std::vector<float> factors{1, 1, 8, 8};
  const auto found = rope_scaling_of(factors, 1e12);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)["rope_type"], "llama3");
  EXPECT_EQ((*found)["factor"], 8.0);
}

TEST(RopeFactors, KnowsNoScalingAndLinear) {
  EXPECT_EQ(rope_scaling_of(std::vector<float>(8, 1.0f), 10000), Json());
  EXPECT_EQ(rope_scaling_of(std::vector<float>(8, 4.0f), 10000), (Json{{"rope_type", "linear"}, {"factor", 4.0}}));
}

TEST(RopeFactors, RefusesFactorsOfNoRule) {
  auto factors = llama3(500000, 128, 8, 1, 4, 8192);
  factors[32] *= 1.0001f;
  EXPECT_EQ(rope_scaling_of(factors, 500000), std::nullopt);
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 4, 8192), 10000), std::nullopt) << "of another theta";
  const float nan = NAN;
  for (const auto& wrong : {std::vector<float>{1, 2, 1, 8}, {1, 0}, {1, -1}, {1, nan}, {INFINITY, 1}, {}, {8, 8, 1}})
    EXPECT_EQ(rope_scaling_of(wrong, 10000), std::nullopt);
}

}  // namespace
}  // namespace compeer::gguf
