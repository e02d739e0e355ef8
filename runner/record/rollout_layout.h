#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/ragged.h"
#include "record/rollout_file.h"

/// The datasets of a rollout file (README.md), for its writer and its reader, and how files are named.
namespace compeer::record {

inline constexpr const char* rollout_format = "compeer-rollouts 1";

struct RolloutLayout {
  hdf::Array step, prompt, completion, group, finished;  ///< one element per completion, as are texts and tokens
  std::vector<hdf::Array> values;
  hdf::RaggedText text;
  hdf::Ragged<int32_t> tokens;
  hdf::Array logprobs;  ///< one for each of tokens' items
  hdf::RaggedText example_id, prompt_text;
  hdf::Ragged<int32_t> prompt_tokens;  ///< one list for each group
  std::optional<hdf::Array> checksum;  ///< of each completion; files of earlier versions have none
  hdf::Array committed;                ///< number of completions; groups reach as far as those refer to

  static RolloutLayout create(const hdf::OpenFile& place, const std::vector<std::string>& value_columns,
                              bool compressed);
  static RolloutLayout open(const hdf::OpenFile& place, const std::vector<std::string>& value_columns);
  static std::vector<std::string> value_columns(const hdf::OpenFile& place);  ///< checks the format too

  uint64_t completions() const { return committed.first(); }
  /// The number of completions of steps up to `last_step`. What a power failure left behind these may be anything, also
  /// the number that `committed` holds.
  uint64_t completions_until(uint64_t last_step) const;
  void flush();  ///< all but `committed`
  void commit(uint64_t completions);
  /// The first `completions` of another file, into a new one.
  void copy(const RolloutLayout& from, uint64_t completions);
};

/// CRC-32C of all there is of a completion; its prompt is that of the group's first.
uint64_t rollout_checksum(const RolloutRow& row, const RolloutRow& first_of_group);

/// "rollouts/r0001-000040": `.h5` of it is the sealed file, `.h5.part` the open one.
struct RolloutName {
  std::filesystem::path folder;
  int rank = 0;
  uint64_t first_step = 0;

  std::filesystem::path sealed() const;
  std::filesystem::path part() const;
  std::filesystem::path unborn() const;  ///< a file in the making, worth nothing after a crash
  /// The sealed file if there is one, else the part.
  std::filesystem::path readable() const;
  /// Every rollout file of a folder once, in the order of (first step, rank).
  static std::vector<RolloutName> list(const std::filesystem::path& folder);
  /// Of every `ranks`-th rank, from `rank` on.
  static void remove_unborn(const std::filesystem::path& folder, int rank, int ranks);
};

}  // namespace compeer::record
