#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace compeer::test {

/// Contents of a recorded run, as read back. Two runs of a spec have equal contents: times, memory and the rank that
/// wrote a rollout are left out.
struct Contents {
  uint64_t rows = 0, steps = 0;  ///< rows of run.h5, and steps of rollouts
  std::string row_hash, rollout_hash;
};

/// `most`: rows and steps after this one are left out. Throws Error if a file can't be read or a row fails its
/// checksum.
Contents contents_of(const std::filesystem::path& run, uint64_t most = UINT64_MAX);

}  // namespace compeer::test
