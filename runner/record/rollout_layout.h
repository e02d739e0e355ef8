#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/ragged.h"
#include "record/rollout_file.h"

/// The HDF5 datasets of rollout files, for RolloutWriter and RolloutReader, and the names of these files. Rollout files
/// contain the completions that a run sampled; all completions of one prompt in one step form a group. Each rank
/// (process) of a run writes its own files. A completion is valid once the dataset `committed` counts it, which is
/// written last. README.md has the schema.
namespace compeer::record {

inline constexpr const char* rollout_format = "compeer-rollouts 1";  ///< attribute `format`: kind and version

/// The open datasets of a rollout file.
struct RolloutLayout {
  // One element, list or text per completion; completions are in the order of their steps.
  hdf::Array step;                 ///< step of the run, from 1
  hdf::Array prompt;               ///< index of the group within the step, over all ranks
  hdf::Array completion;           ///< index of the completion within its group
  hdf::Array group;                ///< index into the datasets of groups below
  hdf::Array finished;             ///< 1, or 0 if the completion was truncated at the length limit
  std::vector<hdf::Array> values;  ///< one dataset per value column, such as a reward
  hdf::RaggedText text;            ///< text of the completion
  hdf::Ragged<int32_t> tokens;     ///< token ids of the completion
  hdf::Array logprobs;             ///< log-probability of each token: elements correspond to the items of `tokens`
  // One text or list per group of this file.
  hdf::RaggedText example_id;  ///< id of the record that the prompt was made from
  hdf::RaggedText prompt_text;
  hdf::Ragged<int32_t> prompt_tokens;  ///< token ids of the prompt

  /// rollout_checksum() of each completion; not set or empty for files of earlier versions.
  std::optional<hdf::Array> checksum;
  hdf::Array committed;  ///< one number: the number of valid completions; groups are valid if these refer to them

  /// Creates all datasets in a new file, without completions. `compressed`: for a complete file, which nothing is
  /// appended to.
  static RolloutLayout create(const hdf::OpenFile& h5, const std::vector<std::string>& value_columns, bool compressed);
  /// Opens all datasets. `value_columns`: the names to open; these may be fewer than the file has. Throws Error (exit
  /// code 4: invalid data) if one is missing.
  static RolloutLayout open(const hdf::OpenFile& h5, const std::vector<std::string>& value_columns);
  /// Reads the names of a file's value columns. Throws Error (exit code 4) if it is not a rollout file of a known
  /// format.
  static std::vector<std::string> value_columns(const hdf::OpenFile& h5);

  uint64_t completions() const { return committed.first_element(); }  ///< number of committed completions
  /// Returns the number of completions at the beginning of the file that have ascending steps up to `last_step`. For
  /// files after a power failure: data of steps that were not synced to disk, and `committed` itself, may then be
  /// anything.
  uint64_t completions_until(uint64_t last_step) const;
  void flush();                       ///< passes buffered data of all datasets but `committed` to the system
  void commit(uint64_t completions);  ///< sets `committed`, and passes it to the system
  /// Copies the first `completions` completions of another file, with their groups, into this new one, and commits
  /// them.
  void copy(const RolloutLayout& from, uint64_t completions);
};

/// Returns the CRC-32C of all data of the completion `row`, with the example id and prompt of `first_of_group`: the
/// first row of its group, from which these are stored.
uint64_t rollout_checksum(const RolloutRow& row, const RolloutRow& first_of_group);

/// Name of a rollout file without suffix: "rollouts/r0001-000040" for rank 1 and the first step 40. Its members return
/// paths for the stages of the file's life. A file is sealed when it is rewritten, complete and compressed.
struct RolloutName {
  std::filesystem::path folder;  ///< the run's folder `rollouts`
  int rank = 0;                  ///< rank that writes the file
  uint64_t first_step = 0;       ///< first step in the file

  std::filesystem::path sealed() const;     ///< path with `.h5`: complete and compressed
  std::filesystem::path part() const;       ///< path with `.h5.part`: being written, or left by a crash
  std::filesystem::path temporary() const;  ///< path with `.h5.new`: being created or sealed; useless after a crash
  /// Returns sealed() if that file exists, otherwise part().
  std::filesystem::path readable() const;
  /// Returns all rollout files of a folder, ordered by (first step, rank). A file that exists both sealed and as a part
  /// is listed once. Temporary files are omitted.
  static std::vector<RolloutName> list(const std::filesystem::path& folder);
  /// Removes the temporary files of all ranks r with r % ranks == rank: of this rank, and of ranks that an earlier
  /// start of the run had and this one, with `ranks` ranks, has not.
  static void remove_temporary(const std::filesystem::path& folder, int rank, int ranks);
};

}  // namespace compeer::record
