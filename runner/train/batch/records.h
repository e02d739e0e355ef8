#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "comm/world.h"
#include "train/batch/prompts.h"
#include "train/batch/step_batch.h"

namespace compeer::train {

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

  /// The split in the order that training reads it (order.h), of which positions 0 ... `count` - 1 will be read. A
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

}  // namespace compeer::train
