#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::spec {

/// How the models of a run compute: settings of its [model], or of [data] where stages ask them.
struct Computes {
  std::string table;  ///< "model", "data"
  std::string engine, compute, device;
};

/// `values`: a whole spec's. What models of one's own have no setting for is usual.
inline Computes computes(const nlohmann::json& values) {
  const bool stages = values.value("task", "") == "data";
  const std::string table = stages ? "data" : "model";
  const auto own = values.value(table, nlohmann::json::object());
  return {table, own.value("engine", stages ? "libtorch" : "exact"), own.value("compute", "float32"),
          own.value("device", "cpu")};
}

}  // namespace compeer::spec
