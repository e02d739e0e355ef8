#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "inference/device.h"

namespace compeer::inference {

/// That a device computed what the host does: kept in the user's cache for each device's name, driver and libtorch. It
/// is of the version of Compeer that computed.
struct Certificate {
  std::string date;  ///< 2026-11-27
  int64_t checks = 0;
  double difference = 0;  ///< rollout - trainer, the largest that was seen, in nats
};

/// Null if there is none for this device, driver, libtorch and version of Compeer, as its file names them, or if it
/// can't be read.
std::optional<Certificate> find_certificate(const Gpu& gpu, const CudaSoftware& software);

/// Where it was written. Throws Error (exit 1) if that can't be.
std::string write_certificate(const Gpu& gpu, const CudaSoftware& software, double difference,
                              const nlohmann::ordered_json& checks, const nlohmann::ordered_json& speed);

/// What a run says about the device it uses.
std::string certificate_text(const Gpu& gpu, const CudaSoftware& software);

}  // namespace compeer::inference
