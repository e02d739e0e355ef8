#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "inference/model_size.h"

namespace compeer::inference {

/// A model that a spec names, before its weights are there.
struct KnownModel {
  ModelSize size;
  int64_t adapter_rank = 0;  ///< 0: it has none
  std::string base = {};     ///< the folder of its weights, or of those that its adapter changes; "" of a fresh model

  int64_t adapter() const { return adapter_rank * size.sides; }
};

/// Models by their settings and folders. `planned`: a table `model` for each folder that a planned run will make.
class KnownModels {
 public:
  explicit KnownModels(const nlohmann::json& planned) : planned_(planned) {}

  /// Of a spec's table `model`, or a folder. Throws Error (exit 4) if it is none that sizes are known of.
  KnownModel of(const nlohmann::json& table) const;
  KnownModel in(const std::string& folder) const;
  /// The table of the planned run that will make it, or null.
  const nlohmann::json* planned(const std::string& folder) const;

 private:
  const nlohmann::json& planned_;
};

}  // namespace compeer::inference
