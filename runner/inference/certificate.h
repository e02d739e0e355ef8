#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "inference/device.h"

namespace compeer::inference {

/// Record that `compeer doctor --device cuda` found a GPU to compute the same results as the host. Stored in the user's
/// cache folder, one file per device name, driver and libtorch; valid for one version of Compeer.
struct Certificate {
  std::string date;       ///< "2026-11-27"
  int64_t checks = 0;     ///< number of checks passed
  double difference = 0;  ///< largest difference of a log-probability between rollout and trainer, in nats
};

/// Returns the certificate for this device, driver, libtorch and version of Compeer; empty if there is none or it can't
/// be read.
std::optional<Certificate> find_certificate(const Gpu& gpu, const CudaSoftware& software);

/// Writes a certificate and returns its path. `checks`, `speed`: lists stored with it. Throws Error (exit 1) if it
/// can't be written.
std::string write_certificate(const Gpu& gpu, const CudaSoftware& software, double difference,
                              const nlohmann::ordered_json& checks, const nlohmann::ordered_json& speed);

/// Returns a line for a run's log: when the GPU was certified, or that it was not.
std::string certificate_text(const Gpu& gpu, const CudaSoftware& software);

}  // namespace compeer::inference
