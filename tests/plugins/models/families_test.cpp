// Differences between decoder families, as stored in config.json. Results are compared with transformers' in
// verify/verify, on tests/golden.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/json.h"
#include "decoder/config.h"
#include "places.h"

namespace compeer::decoder {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden";
constexpr Family asked{.model_type = "qwen2", .architecture = "Any", .slides = SlidingWindow::if_asked};
constexpr Family sliding_always{.model_type = "mistral", .architecture = "Any", .slides = SlidingWindow::always};

json config_of(const std::string& name, const char* file = "config.json") {
  return read_json_object(golden_folder / name / file);
}

void expect_near(const std::vector<float>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6 * expected[i]) << i;
}

TEST(Families, ReadTheOlderAndTheNewerLayoutAlike) {
  for (const char* name : {"llama", "mistral", "qwen3"}) {
    for (const Family& family : {asked, sliding_always}) {
      const auto older = read_config(family, config_of(name), name),
                 newer = read_config(family, config_of(name, "config.new.json"), name);
      EXPECT_EQ(frequencies(older.rope, older.head_dim), frequencies(newer.rope, newer.head_dim)) << name;
      EXPECT_EQ(older.windows, newer.windows) << name;
      EXPECT_EQ(older.head_dim, newer.head_dim) << name;
    }
  }
}

TEST(Families, StretchLlamasFrequencies) {
  const auto golden = read_json_object(golden_folder / "llama" / "golden.json");
  const auto config = read_config({"llama", "LlamaForCausalLM"}, config_of("llama"), "llama");
  expect_near(frequencies(config.rope, config.head_dim), golden.at("rope").at("inv_freq").get<std::vector<double>>());
}

// A head of 8 with theta 10000: frequencies 1, .1, .01, .001.
json with_rope(const json& rope) {
  json config = config_of("mistral");
  config["head_dim"] = 8;
  config["rope_scaling"] = rope;
  return config;
}
std::vector<float> frequencies_with(const json& rope) {
  return frequencies(read_config(sliding_always, with_rope(rope), "config.json").rope, 8);
}

TEST(Families, StretchFrequenciesLinearly) {
  expect_near(frequencies_with({{"type", "linear"}, {"factor", 4}}), {0.25, 0.025, 0.0025, 0.00025});
  expect_near(frequencies_with({{"type", "default"}}), {1, 0.1, 0.01, 0.001});
}

// In a context of 1000 a pair rotates 1000 f / 2 pi times. beta_fast 32 is at index 8 ln(1000 / (64 pi)) / (2 ln 10000)
// = .697, beta_slow 1 at 2.202. The integer borders are 0 and 3, so the last pairs are interpolated by a third, two
// thirds and fully.
TEST(Families, StretchLongWavesByYarn) {
  const json yarn{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 1000}};
  expect_near(frequencies_with(yarn), {1, 0.1 * (2 / 3.0 + 1 / 12.0), 0.01 * (1 / 3.0 + 2 / 12.0), 0.00025});
  json exact = yarn;
  exact["truncate"] = false;
  const double low = 4 * std::log(1000 / (64 * std::numbers::pi)) / std::log(1e4),
               high = 4 * std::log(1000 / (2 * std::numbers::pi)) / std::log(1e4);
  const auto mixed = [&](double i, double f) {
    const double along = std::clamp((i - low) / (high - low), 0.0, 1.0);
    return f * (1 - along) + f / 4 * along;
  };
  expect_near(frequencies_with(exact), {1, mixed(1, 0.1), mixed(2, 0.01), mixed(3, 0.001)});
}

TEST(Families, ScaleCosinesByYarnsMagnitude) {
  const auto magnitude = [](json rope) {
    rope.update({{"rope_type", "yarn"}, {"original_max_position_embeddings", 128}});
    return read_config(sliding_always, with_rope(rope), "config.json").rope.magnitude;
  };
  EXPECT_NEAR(magnitude({{"factor", 4}}), 1 + 0.1 * std::log(4), 1e-12);
  EXPECT_NEAR(magnitude(json::object()), 1 + 0.1 * std::log(512 / 128), 1e-12);  // from max_position_embeddings
  EXPECT_NEAR(magnitude({{"factor", 0.5}}), 1, 1e-12);
  EXPECT_NEAR(magnitude({{"factor", 4}, {"attention_factor", 1.5}}), 1.5, 1e-12);
  EXPECT_NEAR(magnitude({{"factor", 40}, {"mscale", 1.0}, {"mscale_all_dim", 0.5}}),
              (1 + 0.1 * std::log(40)) / (1 + 0.05 * std::log(40)), 1e-12);
}

TEST(Families, SlideInTheLayersThatAreNamed) {
  json config = config_of("qwen3");
  config["num_hidden_layers"] = 4;
  const auto windows = [&](const Family& family) { return read_config(family, config, "config.json").windows; };
  using All = std::vector<int64_t>;
  EXPECT_EQ(windows(asked), All{});
  config["sliding_window"] = 12;
  EXPECT_EQ(windows(asked), All{});  // use_sliding_window is false
  EXPECT_EQ(windows(sliding_always), (All{12, 12, 12, 12}));
  config["use_sliding_window"] = true;
  config["max_window_layers"] = 3;
  EXPECT_EQ(windows(asked), (All{0, 0, 0, 12}));
  config["layer_types"] = {"sliding_attention", "full_attention", "sliding_attention", "full_attention"};
  EXPECT_EQ(windows(asked), (All{12, 0, 12, 0}));
  EXPECT_EQ(windows({"llama", "LlamaForCausalLM"}), All{});
  config["layer_types"] = {"sliding_attention"};
  EXPECT_THROW(windows(asked), Error);
}

TEST(Families, GiveHeadsTheirSize) {
  json config = config_of("mistral");
  const auto head = [&](int64_t otherwise) {
    return read_config({.model_type = "any", .architecture = "Any", .head_dim = otherwise}, config, "config.json")
        .head_dim;
  };
  EXPECT_EQ(head(0), 12);
  EXPECT_EQ(head(128), 128);
  config["head_dim"] = 24;
  EXPECT_EQ(head(128), 24);
}

}  // namespace
}  // namespace compeer::decoder
