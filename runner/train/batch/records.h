#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/world.h"
#include "compeer/settings.h"
#include "train/batch/step_batch.h"
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

/// The records of a split that a task reads. They are inspected before its first step, so that no run ends at step 76
/// because record 702 is too long.
class Records {
 public:
  /// What follows a prompt: a completion of so many tokens; or the record's own answer, which may be empty; or a record
  /// without an answer is not used.
  enum class Then { completion, answer, answer_alone };

  struct Wanted {
    std::string split;
    Then then = Then::completion;
    int64_t completion = 0;
    int64_t neighbours = 1;  ///< records that `shuffled` leaves together
  };

  /// So many of the split that can be used, or all if it has fewer: the first, or, if several of those are of one
  /// dialogue, some from all over the split. Meets the other ranks, which share the work. Throws Error (exit 4) if no
  /// record can be used, and for a long prompt if the spec wants that.
  static Records some(comm::World& world, RunPlugins& plugins, const Settings& dataset, Wanted wanted, int64_t count);

  /// The split in the order that training reads it, of which positions 0 ... `count` - 1 will be read. A
  /// record that can't be used is replaced by another one, drawn by its number. Meets the other ranks; throws as above.
  static Records shuffled(comm::World& world, RunPlugins& plugins, const Settings& dataset, Wanted wanted,
                          uint64_t seed, uint64_t count);

  int64_t size() const { return size_; }
  /// Which one stands at a position of that order.
  int64_t at(uint64_t position) const;

  /// Groups first, first + 1, ... of a step, with the records record_of(group), 0 <= record < size().
  Groups read(int64_t first, int64_t count, const std::function<int64_t(int64_t)>& record_of) const;

  /// Of each of `some`, a number that records of the same dialogue share and others don't.
  const std::vector<uint64_t>& dialogues() const { return dialogues_; }

  /// For people: what was trimmed or skipped, and which came first.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// {"split", "records" that were inspected, "trimmed", "skipped", "unanswered"}
  nlohmann::json counts() const;

 private:
  enum PromptState : uint64_t { whole, trimmed, skipped, unanswered };
  struct Inspected {
    PromptState verdict;
    int64_t tokens;  // of the prompt as it would be read
    uint64_t dialogue;
    bool usable() const { return verdict == whole || verdict == trimmed; }
  };
  struct Read {
    Example example;
    RecordPrompt prompt;
    PromptState verdict;
  };

  Records(RunPlugins& plugins, const Settings& dataset, Wanted wanted);
  Read inspect(int64_t record) const;
  Read usable(int64_t record) const;
  int64_t after(const Example& example) const;
  std::vector<Inspected> inspect_all(comm::World& world, const std::vector<int64_t>& records) const;
  void take(comm::World& world, const std::vector<int64_t>& order, int64_t count);
  void summarize(comm::World& world, const std::vector<int64_t>& records, const std::vector<Inspected>& seen);
  void remark(const std::vector<int64_t>& records, const std::vector<Inspected>& seen);
  [[noreturn]] void refuse_long(const std::vector<int64_t>& records, const std::vector<Inspected>& seen) const;
  std::string tokens_of_first(PromptState what, const std::vector<int64_t>& records,
                              const std::vector<Inspected>& seen) const;

  RunPlugins& plugins_;
  const RecordPrompts prompts_;
  const Wanted wanted_;
  const bool errors_;
  uint64_t seed_ = 0;
  int64_t size_ = 0, inspected_ = 0;
  std::vector<int64_t> chosen_;  // records of the split; empty: all of them
  std::vector<uint64_t> dialogues_;
  int64_t counts_[4] = {};
  std::vector<std::string> remarks_;
};

/// Which record of a data set stands at a position of the stream that training reads: every epoch is another
/// permutation of all records, and a position's record follows from (seed, position, size) alone, so a run can go on
/// anywhere. 1 <= size < 2^32. `neighbours` records of the data set each stay together, in their order; `size` is a
/// multiple of it.
int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours = 1);

/// Throws if a split of so many examples can't be shuffled with so many neighbours together (sft.neighbours).
void check_neighbours(int64_t neighbours, const std::string& split, int64_t size);

}  // namespace compeer::train
