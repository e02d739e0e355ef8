#include "gguf/import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "../record/temporary_folder.h"
#include "base/files.h"
#include "gguf/model_layout.h"
#include "gguf_bytes.h"
#include "record/safetensors.h"

namespace compeer::gguf {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using record::complaint;
using record::TemporaryFolder;

json read(const fs::path& file) { return json::parse(read_file(file)); }

std::vector<float> values_of(const record::TensorView& tensor) {
  std::vector<float> values(tensor.bytes.size() / 4);
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

// Metadata of a model with one layer.
GgufBytes small_metadata(const std::string& architecture = "llama") {
  GgufBytes file;
  file.text("general.architecture", architecture);
  for (const auto& [key, value] : {std::pair{"context_length", 16u},
                                   {"embedding_length", 8u},
                                   {"block_count", 1u},
                                   {"feed_forward_length", 12u},
                                   {"attention.head_count", 2u}})
    file.number(architecture + "." + key, value);
  return file.real(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
}

GgufBytes& with_tensors(GgufBytes& file) {
  file.tensor("token_embd.weight", {8, 10}).tensor("output_norm.weight", {8});
  file.tensor("blk.0.attn_norm.weight", {8}).tensor("blk.0.ffn_norm.weight", {8});
  for (const char* name : {"q", "k", "v", "output"}) file.tensor("blk.0.attn_" + std::string(name) + ".weight", {8, 8});
  file.tensor("blk.0.ffn_gate.weight", {8, 12}).tensor("blk.0.ffn_up.weight", {8, 12});
  return file.tensor("blk.0.ffn_down.weight", {12, 8});
}

class Import : public testing::Test {
 protected:
  Imported run(const fs::path& source, bool bfloat16 = false) {
    return import_model({.source = source, .folder = folder_ / "model", .bfloat16 = bfloat16});
  }
  Imported run(const GgufBytes& file) {
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << file.bytes();
    return run(folder_ / "m.gguf");
  }
  // Returns the error of importing `file`, and checks that nothing was written.
  std::string refusal(const GgufBytes& file) {
    const auto said = complaint([&] { run(file); });
    for (const auto& entry : fs::directory_iterator(folder_.path())) EXPECT_EQ(entry.path().filename(), "m.gguf");
    fs::remove_all(folder_ / "model");
    return said;
  }
  json written(const char* name) { return read(folder_ / "model" / name); }

  TemporaryFolder folder_;
};

TEST_F(Import, WritesTheModelInHuggingFacesTerms) {
  const auto imported = run(golden_gguf / "model.gguf");
  EXPECT_EQ(imported.model_type, "llama");
  EXPECT_EQ(imported.tokens, 416);
  const json golden = read(golden_gguf / "golden.json").at("model");
  const json config = written("config.json");
  for (const auto& [key, value] : golden.at("config").items()) {
    if (value.is_number_float()) {
      EXPECT_NEAR(config.at(key).get<double>(), value.get<double>(), 1e-12 * value.get<double>()) << key;
    } else {
      EXPECT_EQ(config.at(key), value) << key;
    }
  }
  EXPECT_EQ(config.at("model_type"), "llama");
  EXPECT_EQ(config.at("torch_dtype"), "float32");
  EXPECT_EQ(config.at("eos_token_id"), 2);
  EXPECT_EQ(written("generation_config.json"), json({{"bos_token_id", 1}, {"eos_token_id", 2}, {"pad_token_id", 2}}));
  const auto weights = record::Safetensors::open_sharded(folder_ / "model");
  ASSERT_EQ(weights.names().size(), golden.at("tensors").size());
  int64_t parameters = 0;
  for (const json& wanted : golden.at("tensors")) {
    const auto& tensor = weights.tensor(wanted.at("name"));
    EXPECT_EQ(tensor.dtype, "F32");
    EXPECT_EQ(json(tensor.shape), wanted.at("shape"));
    double sum = 0, absolute = 0, squares = 0;
    const auto values = values_of(tensor);
    for (const float v : values) sum += v, absolute += std::abs(v), squares += double{v} * v;
    EXPECT_NEAR(sum, wanted.at("sum").get<double>(), 1e-11 * absolute) << tensor.name;
    EXPECT_NEAR(absolute, wanted.at("abs_sum").get<double>(), 1e-11 * absolute) << tensor.name;
    EXPECT_NEAR(squares, wanted.at("sq_sum").get<double>(), 1e-11 * squares) << tensor.name;
    for (size_t i = 0; i < wanted.at("first").size(); ++i)
      EXPECT_EQ(values[i], wanted.at("first")[i].get<float>()) << tensor.name << i;
    parameters += static_cast<int64_t>(values.size());
  }
  EXPECT_EQ(imported.parameters, parameters);
}

TEST_F(Import, PutsRowsOfQueriesAndKeysBack) {
  run(golden_gguf / "model.gguf");
  const auto weights = record::Safetensors::open_sharded(folder_ / "model");
  const auto golden = record::Safetensors::open(golden_gguf / "golden.safetensors");
  size_t compared = 0;
  for (const auto& name : golden.names()) {
    if (!weights.has(name)) continue;
    EXPECT_EQ(values_of(weights.tensor(name)), values_of(golden.tensor(name))) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 2u);
}

// Two heads of four rows: row j + 2 s of a head is row 2 j + s of the file.
TEST(SourceRow, IsWhereTheFileHasIt) {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < 8; ++row) rows.push_back(source_row(row, 4));
  EXPECT_EQ(rows, (std::vector<int64_t>{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST_F(Import, GivesTheModelThatTheFileWasMadeOf) {
  EXPECT_EQ(run(golden_gguf / "llama3_rope.gguf").tokens, 0);
  const auto origin = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/llama";
  const auto ours = record::Safetensors::open_sharded(folder_ / "model"),
             theirs = record::Safetensors::open_sharded(origin);
  EXPECT_EQ(ours.names(), theirs.names());
  for (const auto& name : theirs.names())
    EXPECT_EQ(values_of(ours.tensor(name)), values_of(theirs.tensor(name))) << name;
  const json config = written("config.json");
  const json wanted = read(origin / "config.json");
  for (const auto& [key, value] : wanted.items()) {
    if (key == "rms_norm_eps") {  // stored as float32 in the file
      EXPECT_EQ(config.at(key).get<float>(), value.get<float>());
    } else if (config.contains(key) && !key.ends_with("_token_id")) {
      EXPECT_EQ(config.at(key), value) << key;
    }
  }
  EXPECT_EQ(config.at("rope_scaling").at("original_max_position_embeddings"), 32);
  EXPECT_FALSE(fs::exists(folder_ / "model" / "tokenizer.json"));
}

TEST_F(Import, RoundsToBfloat16) {
  run(golden_gguf / "model.gguf", true);
  EXPECT_EQ(written("config.json").at("torch_dtype"), "bfloat16");
  const auto rounded = record::Safetensors::open_sharded(folder_ / "model");
  const auto& tensor = rounded.tensor("model.layers.0.mlp.down_proj.weight");  // BF16 in the file: copied unchanged
  ASSERT_EQ(tensor.dtype, "BF16");
  const auto file = GgufFile::open(golden_gguf / "model.gguf");
  const auto stored = file.find("blk.0.ffn_down.weight")->bytes;
  EXPECT_TRUE(std::equal(stored.begin(), stored.end(), tensor.bytes.begin(), tensor.bytes.end()));
}

TEST_F(Import, WritesATokenizerAlone) {
  const auto imported = run(golden_gguf / "vocab_qwen2.gguf");
  EXPECT_EQ(imported.model_type, "");
  EXPECT_EQ(imported.tokens, 416);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "model")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"tokenizer.json", "tokenizer_config.json"}));
}

TEST_F(Import, KnowsOtherArchitectures) {
  auto qwen2 = small_metadata("qwen2");
  for (const char* name : {"q", "k", "v"}) qwen2.tensor("blk.0.attn_" + std::string(name) + ".bias", {8});
  EXPECT_EQ(run(with_tensors(qwen2)).model_type, "qwen2");
  EXPECT_TRUE(record::Safetensors::open_sharded(folder_ / "model").has("model.layers.0.self_attn.k_proj.bias"));
  fs::remove_all(folder_ / "model");
  auto qwen3 = small_metadata("qwen3");
  qwen3.number("qwen3.attention.key_length", 4).tensor("output.weight", {8, 10});
  for (const char* name : {"q", "k"}) qwen3.tensor("blk.0.attn_" + std::string(name) + "_norm.weight", {4});
  EXPECT_EQ(run(with_tensors(qwen3)).model_type, "qwen3");
  EXPECT_EQ(written("config.json").at("tie_word_embeddings"), false);
  EXPECT_EQ(written("config.json").at("head_dim"), 4);
  EXPECT_FALSE(fs::exists(folder_ / "model" / "generation_config.json"));
  fs::remove_all(folder_ / "model");
  auto mistral = small_metadata();
  mistral.number("llama.attention.sliding_window", 6);
  EXPECT_EQ(run(with_tensors(mistral)).model_type, "mistral");
  EXPECT_EQ(written("config.json").at("sliding_window"), 6);
}

TEST_F(Import, ScalesRotaryPositions) {
  auto yarn = small_metadata("llama");
  yarn.text("llama.rope.scaling.type", "yarn").real("llama.rope.scaling.factor", 4);
  yarn.number("llama.rope.scaling.original_context_length", 4);
  run(with_tensors(yarn));
  EXPECT_EQ(written("config.json").at("rope_scaling"),
            json({{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 4}}));
  fs::remove_all(folder_ / "model");
  auto linear = small_metadata("llama");
  linear.text("llama.rope.scaling.type", "linear").real("llama.rope.scaling.factor", 2);
  run(with_tensors(linear));
  EXPECT_EQ(written("config.json").at("rope_scaling"), json({{"rope_type", "linear"}, {"factor", 2.0}}));
}

TEST_F(Import, RefusesWhatItCannotDo) {
  const auto file = [](const auto& add) {
    auto made = small_metadata();
    add(made);
    return with_tensors(made);
  };
  EXPECT_EQ(refusal(small_metadata("gemma3")), "m.gguf: contains neither weights nor a tokenizer");
  auto gemma = small_metadata("gemma3");
  EXPECT_EQ(refusal(with_tensors(gemma)), "m.gguf: is of the architecture 'gemma3', which is not supported");
  EXPECT_EQ(refusal(file([](auto& f) { f.number("llama.expert_count", 8); })),
            "m.gguf: metadata 'llama.expert_count' is 8, which is not supported");
  EXPECT_EQ(
      refusal(file([](auto& f) { f.number("llama.rope.dimension_count", 2).number("llama.attention.key_length", 4); })),
      "m.gguf: applies rotary embeddings to 2 of the 4 elements of a head, which is not supported");
  EXPECT_EQ(refusal(file([](auto& f) { f.text("llama.rope.scaling.type", "longrope"); })),
            "m.gguf: metadata 'llama.rope.scaling.type' is 'longrope', which is not supported");
  EXPECT_EQ(refusal(file([](auto& f) { f.number("split.count", 2); })), "m.gguf: is one of 2 parts of a model");
  EXPECT_EQ(refusal(file([](auto& f) {
              f.tensor("rope_freqs.weight", {2}, {2, 1});
            })),
            "m.gguf: tensor 'rope_freqs.weight' contains factors that follow no supported rule");
  EXPECT_EQ(refusal(file([](auto& f) { f.tensor("rope_freqs.weight", {3}); })),
            "m.gguf: tensor 'rope_freqs.weight' is [3], should be [2]");
  EXPECT_EQ(refusal(file([](auto& f) { f.text("tokenizer.ggml.model", "llama"); })),
            "m.gguf: has a tokenizer of the kind 'llama' (SentencePiece), which is not supported");
}

TEST_F(Import, RefusesTensorsThatDoNotFit) {
  auto biases = small_metadata();
  biases.tensor("blk.0.attn_q.bias", {8}).tensor("blk.1.attn_norm.weight", {8});
  EXPECT_EQ(refusal(with_tensors(biases)),
            "m.gguf: the tensors do not match its metadata:\n  not expected blk.0.attn_q.bias\n  not expected "
            "blk.1.attn_norm.weight");
  auto few = small_metadata();
  few.number("llama.attention.head_count_kv", 1);
  EXPECT_EQ(refusal(with_tensors(few)),
            "m.gguf: the tensors do not match its metadata:\n  blk.0.attn_k.weight is [8, 8], should be [4, 8]\n  "
            "blk.0.attn_v.weight is [8, 8], should be [4, 8]");
  auto none = small_metadata();
  EXPECT_EQ(refusal(none.tensor("output_norm.weight", {8})), "m.gguf: lacks the tensor 'token_embd.weight'");
  auto deep = small_metadata();
  EXPECT_EQ(
      refusal(deep.number("llama.head_count", 3).tensor("token_embd.weight", {8, 10}).tensor("x", {1})).substr(0, 64),
      "m.gguf: the tensors do not match its metadata:\n  missing blk.0.a");
  GgufBytes layers;
  layers.text("general.architecture", "llama")
      .number("llama.embedding_length", 8)
      .number("llama.block_count", 2000000000);
  layers.number("llama.attention.head_count", 2).number("llama.feed_forward_length", 12);
  EXPECT_EQ(refusal(with_tensors(layers)), "m.gguf: has 2000000000 layers, but only 11 tensors");
}

TEST_F(Import, RefusesValuesThatAreNoNumbers) {
  auto file = small_metadata();
  with_tensors(file);
  const float nan = NAN;
  std::memcpy(file.data.data() + file.data.size() - 4, &nan, 4);
  EXPECT_EQ(refusal(file), "m.gguf: tensor 'blk.0.ffn_down.weight' contains infinite or NaN values");
}

TEST_F(Import, LeavesWhatIsThere) {
  fs::create_directories(folder_ / "model");
  write_file(folder_ / "model" / "mine", "x");
  EXPECT_EQ(complaint([&] { run(golden_gguf / "model.gguf"); }), "model: already exists");
  EXPECT_EQ(read_file(folder_ / "model" / "mine"), "x");
  fs::remove(folder_ / "model" / "mine");
  EXPECT_EQ(run(golden_gguf / "model.gguf").tokens, 416) << "an empty folder is none";
  EXPECT_EQ(complaint([&] { import_model({.source = folder_ / "none", .folder = folder_ / "other/deep/"}); }),
            "none: can't be read: No such file or directory");
  EXPECT_FALSE(fs::exists(folder_ / "other"));
}

TEST_F(Import, LeavesNothingIfItIsInterrupted) {
  for (const int finished_pieces : {0, 3}) {
    const auto check = [left = finished_pieces]() mutable {
      if (left-- == 0) throw Error("", "stopped, as asked", "", Exit::preempted);
    };
    const auto interrupted = [&] {
      import_model({.source = golden_gguf / "model.gguf", .folder = folder_ / "model", .check = check});
    };
    EXPECT_EQ(complaint(interrupted), ": stopped, as asked");
    EXPECT_TRUE(fs::is_empty(folder_.path()));
  }
}

TEST_F(Import, SplitsLargeModels) {
  import_model({.source = golden_gguf / "model.gguf", .folder = folder_ / "model/", .shard_limit = 100000});
  EXPECT_TRUE(fs::exists(folder_ / "model" / "model.safetensors.index.json"));
  EXPECT_EQ(record::Safetensors::open_sharded(folder_ / "model").names().size(), 20u);
}

// A file with any byte of its header changed is imported or refused, and no partial output is left.
TEST_F(Import, SurvivesChangedFiles) {
  const auto whole = read_file(golden_gguf / "model.gguf");
  std::mt19937 random(7);
  for (int i = 0; i < 150; ++i) {
    auto changed = whole;
    for (int k = 0; k < 2; ++k) changed[random() % 900] = static_cast<char>(random());
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << changed;
    try {
      run(folder_ / "m.gguf");
      EXPECT_TRUE(fs::exists(folder_ / "model" / "tokenizer_config.json") ||
                  fs::exists(folder_ / "model" / "config.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data) << error.what();
      EXPECT_FALSE(fs::exists(folder_ / "model"));
    }
    fs::remove_all(folder_ / "model");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
  }
}

}  // namespace
}  // namespace compeer::gguf
