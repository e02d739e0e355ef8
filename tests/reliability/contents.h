#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace compeer::test {

/// What a run recorded, as a reader sees it: times, memory and where ranks wrote aside, two runs of a spec have the
/// same.
struct Contents {
  uint64_t rows = 0, steps = 0;  ///< of run.h5, and of rollouts
  std::string row_hash, rollout_hash;
};

/// `most`: rows and steps after this one are left out. Throws Error as the readers do, and for rows that fail their
/// checksum.
Contents contents_of(const std::filesystem::path& run, uint64_t most = UINT64_MAX);

}  // namespace compeer::test
