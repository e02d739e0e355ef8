#include "inference/language_model.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "places.h"
#include "plugin/host.h"
#include "rollout/pass.h"

namespace compeer::inference {

namespace {

// A fresh model, small enough that texts can be longer than it has positions.
struct Small {
  Small() : tokenizer(language::Tokenizer::load(COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer")) {
    const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    const nlohmann::json settings = {{"path", nullptr},
                                     {"frozen", false},
                                     {"precision", "float32"},
                                     {"engine", "exact"},
                                     {"config",
                                      {{"vocab_size", tokenizer.size()},
                                       {"hidden_size", 32},
                                       {"num_hidden_layers", 2},
                                       {"num_attention_heads", 2},
                                       {"num_key_value_heads", 1},
                                       {"intermediate_size", 48},
                                       {"max_position_embeddings", 40},
                                       {"rope_theta", 10000.0},
                                       {"rms_norm_eps", 1e-6},
                                       {"tie_word_embeddings", true}}}};
    model = std::make_unique<plugin::Plugin<Model>>(
        plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
  }
  std::vector<std::vector<float>> of(const std::vector<std::string>& texts) {
    return embeddings(*model, tokenizer, texts);
  }

  language::Tokenizer tokenizer;
  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> model;
};

const std::vector<std::string> some_texts{"I feel sad.", "", "How was your day? Tell me more about it.", "a",
                                          "I feel sad."};

TEST(Embeddings, AreMeansOfTheLastHiddenStates) {
  Small small;
  const auto tokens = small.tokenizer.encode(some_texts[0]);
  const auto count = static_cast<int64_t>(tokens.size());
  const auto hidden = small.model->object().forward({rollout::int_tensor(tokens), {{0, count, 0, -1, {}}}}, nullptr);
  const auto made = small.of({some_texts[0]});
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].size(), 32u);
  for (int64_t k = 0; k < 32; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(hidden.const_data_ptr<float>()[i * 32 + k]);
    EXPECT_EQ(made[0][static_cast<size_t>(k)], static_cast<float>(sum / static_cast<double>(count)));
  }
}

TEST(Embeddings, HaveTheSameBitsAloneTogetherAndOnTwoThreads) {
  Small small;
  const auto together = small.of(some_texts);
  for (size_t i = 0; i < some_texts.size(); ++i) EXPECT_EQ(small.of({some_texts[i]})[0], together[i]) << some_texts[i];
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  EXPECT_EQ(small.of(some_texts), together);
  at::set_num_threads(threads);
  EXPECT_EQ(together[1], std::vector<float>(32, 0.0f)) << "a text without tokens";
  EXPECT_EQ(together[0], together[4]);
  EXPECT_NE(together[0], together[3]);
}

TEST(Embeddings, LeaveOutWhatTheModelHasNoPositionsFor) {
  Small small;
  std::string text;
  while (small.tokenizer.encode(text).size() < 40) text += " a";
  EXPECT_EQ(small.of({text + " b b b"}), small.of({text}));
}

}  // namespace

}  // namespace compeer::inference
