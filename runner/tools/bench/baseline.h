#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::bench {

/// What speed depends on: "GenuineIntel 6/143, AVX512_BF16" is vendor, family, model, and the widest instruction set,
/// else AVX-512 or AVX2. `cpuinfo` is the text of /proc/cpuinfo; "?" is what it lacks.
std::string processor_kind(bool avx512, bool bfloat16, const std::string& cpuinfo);

/// Figures of earlier measurements, by kind of processor: lines that `compeer bench --json` printed.
class BenchBaseline {
 public:
  /// Throws Error (exit 4) naming the line that is no measurement.
  explicit BenchBaseline(const std::filesystem::path& file);

  /// The best of a measurement's repetitions divided by that of the baseline, with "WORSE" or "better" if they differ
  /// by more than 8 %: "1.02 of baseline", "1.31 of baseline: WORSE". "no baseline" if the file has none for this
  /// measurement on this kind of processor.
  std::string compare(const nlohmann::json& line) const;

 private:
  std::map<std::string, double> best_;  // by what was measured and the kind of processor
};

}  // namespace compeer::bench
