#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace compeer::test {

/// Summary of a recorded run's contents. Two runs with the same settings have equal summaries, also after faults:
/// times, memory and the rank that wrote a rollout are left out.
struct Contents {
  uint64_t rows = 0, steps = 0;        ///< rows of run.h5, and steps of rollouts
  std::string row_hash, rollout_hash;  ///< hashes of these rows and rollouts
};

/// Reads the contents of the run folder `run`. `most`: rows and steps after this number are left out. Throws Error if a
/// file can't be read or a row fails its checksum.
Contents contents_of(const std::filesystem::path& run, uint64_t most = UINT64_MAX);

}  // namespace compeer::test
