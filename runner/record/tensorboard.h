#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/run_file.h"

/// Export of a run's columns to TensorBoard. An event file is a sequence of framed records (length, checksum, bytes,
/// checksum), each an Event message in protocol-buffer encoding.
namespace compeer::record {

/// Returns `message` as one record of an event file.
std::string framed_record(std::string_view message);

/// A number that is not in the rows, such as a result of an evaluation.
struct Scalar {
  std::string tag;
  uint64_t step = 0;
  double value = 0;
};

/// Writes or replaces `folder`/events.out.tfevents.<seconds of the first row>.compeer and returns its path. Creates the
/// folder if needed. Each column but `step` becomes a tag, with the step and time of each row; `others` get the time of
/// the last row. NaN values are skipped.
std::filesystem::path write_tensorboard(const std::filesystem::path& folder, const RunReader& run,
                                        const std::vector<Scalar>& others = {});

}  // namespace compeer::record
