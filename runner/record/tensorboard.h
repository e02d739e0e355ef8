#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/run_file.h"

/// A run's columns as scalars for TensorBoard: a file of framed records (length, checksum, bytes, checksum), each an
/// Event message in protocol-buffer encoding, of which so little is needed that it is written by hand.
namespace compeer::record {

/// `message` as one record of an event file.
std::string framed_record(std::string_view message);

/// A number beside the rows, such as what an evaluation came to.
struct Scalar {
  std::string tag;
  uint64_t step = 0;
  double value = 0;
};

/// One tag per column but `step`, at the step and time of each row, and `others` at the time of the last; NaN is left
/// out. Writes (or replaces) `folder/events.out.tfevents.<seconds of the first row>.compeer`, and returns its name.
std::filesystem::path write_tensorboard(const std::filesystem::path& folder, const RunReader& run,
                                        const std::vector<Scalar>& others = {});

}  // namespace compeer::record
