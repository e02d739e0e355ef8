#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compeer/settings.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// What a model is shown of a record.
struct RecordPrompt {
  std::vector<Turn> turns;
  std::vector<Picture> pictures;  ///< that the turns show
  std::vector<int32_t> tokens;
  bool trimmed = false;  ///< the oldest turns are gone
  bool fits = true;      ///< false: even the turn that is to be answered is too long; then all turns are there
};

/// Records as prompts: with the system turn and within the length that the spec's table `dataset` says. Rewards see the
/// record as it is.
class RecordPrompts {
 public:
  RecordPrompts(const RunPlugins& plugins, const Settings& dataset);

  /// `after`: tokens of the model's room that are left for what follows the prompt. A prompt that is too long loses its
  /// oldest turns, system turn and last turn excepted, and with them the assistant's turn that then stands first;
  /// unless `long_prompts` says otherwise.
  RecordPrompt of(const Example& example, int64_t after) const;

  /// With all of its turns, however long.
  RecordPrompt whole(const Example& example) const;

  /// Whether the spec, and not the model alone, says how long a prompt may be.
  bool is_limited() const { return most_ < positions_; }

  /// Tokens that a prompt may have.
  int64_t limit(int64_t after) const;

 private:
  RecordPrompt read(const Example& example, std::vector<Turn> turns) const;

  const RunPlugins& plugins_;
  const std::optional<std::string> system_;
  const int64_t positions_, most_;
  const bool trims_;
};

}  // namespace compeer::train
