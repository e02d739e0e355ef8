#pragma once
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::app {

/// Options of the commands that use a model: which, and how it is opened.
struct ModelChoice {
  std::string model, dtype = "stored", compute = "float32", engine, device = "cpu";
  int threads = 0;

  void add_to(CLI::App& command);
  /// What the worker gets. Throws Error (exit 4) if the folder is none.
  nlohmann::json checked() const;
};

/// Options of the commands that sample.
struct SamplingChoice {
  double temperature = 1.0, top_p = 1.0, min_p = 0.0, repetition_penalty = 1.0;
  int64_t top_k = 0, max_new = 256;
  uint64_t seed = 1;
  bool greedy = false, ignore_end = false;

  void add_to(CLI::App& command);
  void write(nlohmann::json& options) const;
};

}  // namespace compeer::app
