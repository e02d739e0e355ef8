#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/ragged.h"
#include "record/rollout_file.h"

/// The datasets of a rollout file (README.md), for its writer and its reader, and the names of rollout files.
namespace compeer::record {

inline constexpr const char* rollout_format = "compeer-rollouts 1";

/// The open datasets of a rollout file.
struct RolloutLayout {
  // One element per completion.
  hdf::Array step, prompt, completion, group, finished;
  std::vector<hdf::Array> values;  ///< one dataset per value column
  hdf::RaggedText text;
  hdf::Ragged<int32_t> tokens;
  hdf::Array logprobs;  ///< one element per token
  // One element per group.
  hdf::RaggedText example_id, prompt_text;
  hdf::Ragged<int32_t> prompt_tokens;
  std::optional<hdf::Array> checksum;  ///< one element per completion; files of earlier versions have none
  hdf::Array committed;                ///< number of completions; only groups that these refer to are valid

  static RolloutLayout create(const hdf::OpenFile& place, const std::vector<std::string>& value_columns,
                              bool compressed);
  static RolloutLayout open(const hdf::OpenFile& place, const std::vector<std::string>& value_columns);
  /// Reads the names of a file's value columns. Throws Error (exit 4) if it is not a rollout file of a known format.
  static std::vector<std::string> value_columns(const hdf::OpenFile& place);

  uint64_t completions() const { return committed.first_element(); }
  /// Number of valid completions of steps up to `last_step`. After a power failure the data past these, and `committed`
  /// itself, may be anything.
  uint64_t completions_until(uint64_t last_step) const;
  void flush();                       ///< flushes all datasets but `committed`
  void commit(uint64_t completions);  ///< sets and flushes `committed`
  /// Copies the first `completions` completions of another file, with their groups, into this new one.
  void copy(const RolloutLayout& from, uint64_t completions);
};

/// CRC-32C of all data of a completion, with the prompt of `first_of_group`, the first row of its group.
uint64_t rollout_checksum(const RolloutRow& row, const RolloutRow& first_of_group);

/// Name of a rollout file without suffix, such as "rollouts/r0001-000040".
struct RolloutName {
  std::filesystem::path folder;
  int rank = 0;
  uint64_t first_step = 0;

  std::filesystem::path sealed() const;     ///< `.h5`: complete and compressed
  std::filesystem::path part() const;       ///< `.h5.part`: being written
  std::filesystem::path temporary() const;  ///< `.h5.new`: being created or sealed; useless after a crash
  /// The sealed file if it exists, otherwise the part.
  std::filesystem::path readable() const;
  /// All rollout files of a folder, ordered by (first step, rank); each once, even if there is a sealed file and a
  /// part.
  static std::vector<RolloutName> list(const std::filesystem::path& folder);
  /// Removes the `.h5.new` files of all ranks r with r % ranks == rank.
  static void remove_temporary(const std::filesystem::path& folder, int rank, int ranks);
};

}  // namespace compeer::record
