#pragma once
#include <cstdint>
#include <filesystem>

#include "comm/world.h"
#include "train/cast/cast.h"

namespace compeer::train {

class Training;

/// Collective; rank 0 writes. Weights, tokenizer, optimizer, reference; because random numbers are functions of the
/// step, the step is the rest of the state.
void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, Cast& cast,
                     Training& training, uint64_t keep);

/// The newest good checkpoint as rank 0 sees it, on all ranks: its step and folder, or step 0.
struct Start {
  uint64_t step = 0;
  std::filesystem::path folder;
};
Start find_start(comm::World& world, const std::filesystem::path& run, bool resume);

}  // namespace compeer::train
