#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/run_file.h"

/// Export of a run's metrics to a TensorBoard event file: a sequence of records (length, checksum, message, checksum),
/// each with an Event message in protocol-buffer encoding.
namespace compeer::record {

/// Returns `message`, an encoded Event, as one record of an event file: with its length and both checksums.
std::string framed_record(std::string_view message);

/// A number to export that is not a column of the run, such as a result of an evaluation.
struct Scalar {
  std::string tag;  ///< name in TensorBoard
  uint64_t step = 0;
  double value = 0;
};

/// Writes or replaces the file events.out.tfevents.<SECONDS>.compeer in `folder`, and returns its path; SECONDS is the
/// time of the first row since 1970. Creates the folder if needed. Each column of `run` but `step` becomes a tag with
/// one value per row, at the row's time and its number in the column `step`. `others`: further scalars, at the time of
/// the last row. NaN values are skipped.
std::filesystem::path write_tensorboard(const std::filesystem::path& folder, const RunReader& run,
                                        const std::vector<Scalar>& others = {});

}  // namespace compeer::record
