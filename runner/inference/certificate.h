#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "inference/device.h"

// `compeer doctor --device cuda` compares a GPU's results with those of the CPU. If all checks pass, it stores a
// certificate; a run on that GPU logs whether one exists. A run needs no certificate.

namespace compeer::inference {

/// Record that the checks of `compeer doctor --device cuda` passed on a GPU. Stored as JSON in the user's cache folder,
/// one file per device name, driver and libtorch; valid for one version of Compeer.
struct Certificate {
  std::string date;       ///< UTC day of the checks: "2026-11-27"
  int64_t checks = 0;     ///< number of checks passed
  double difference = 0;  ///< largest difference of a log-probability between rollout and trainer, in nats
};

/// Reads the certificate for this device, driver, libtorch and version of Compeer. Returns an empty optional if there
/// is none or it can't be read.
std::optional<Certificate> find_certificate(const Gpu& gpu, const CudaSoftware& software);

/// Writes a certificate dated today and returns its path; replaces an older one. `difference`: as in `Certificate`.
/// `checks`: list of {"check", "error", "tolerance", "passed"}. `speed`: object from the name of a measurement to its
/// value. Throws Error (exit code 1: other failure) if it can't be written.
std::string write_certificate(const Gpu& gpu, const CudaSoftware& software, double difference,
                              const nlohmann::ordered_json& checks, const nlohmann::ordered_json& speed);

/// Returns a line for a run's log: date and results of the GPU's certificate, or that it has none.
std::string certificate_text(const Gpu& gpu, const CudaSoftware& software);

}  // namespace compeer::inference
