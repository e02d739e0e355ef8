#pragma once
#include <filesystem>
#include <memory>

#include "compeer/model.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer {

// Writes a model folder with esc_world's tokenizer and a randomly initialized model of `positions` positions.
inline void make_tiny_model(const std::filesystem::path& folder, int64_t positions) {
  const nlohmann::json config{{"vocab_size", 1024},
                              {"hidden_size", 32},
                              {"num_hidden_layers", 2},
                              {"num_attention_heads", 4},
                              {"num_key_value_heads", 2},
                              {"intermediate_size", 48},
                              {"max_position_embeddings", positions},
                              {"rope_theta", 10000.0},
                              {"rms_norm_eps", 1e-6},
                              {"tie_word_embeddings", true}};
  const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
  plugin::Services services;
  services.seed = 3;
  auto model = plugin::open<Model>(
      chosen,
      Settings(
          {{"path", nullptr}, {"config", config}, {"frozen", false}, {"precision", "float32"}, {"engine", "exact"}}),
      std::make_unique<plugin::RunHost>(chosen, services));
  std::filesystem::create_directories(folder);
  model.object().save(folder);
  const std::filesystem::path tokenizer = COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer";
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy_file(tokenizer / name, folder / name);
}

// Writes an adapter of the model in `base`, with `change` added to each of its initial weights.
inline void make_tiny_adapter(const std::filesystem::path& folder, const std::filesystem::path& base, double change) {
  const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
  const nlohmann::json adapter{{"path", nullptr}, {"rank", 2}, {"alpha", 4.0}, {"rslora", false}, {"targets", {"*"}}};
  const plugin::Services services;
  auto model = plugin::open<Model>(chosen,
                                   Settings({{"path", base.string()},
                                             {"adapter", adapter},
                                             {"frozen", false},
                                             {"precision", "float32"},
                                             {"engine", "exact"}}),
                                   std::make_unique<plugin::RunHost>(chosen, services));
  for (const Parameter& p : model.object().parameters()) p.value.detach().add_(change);
  std::filesystem::create_directories(folder);
  model.object().save(folder);
}

}  // namespace compeer
