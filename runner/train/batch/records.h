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

// Records are the examples of a dataset. A task (grpo, sft, evaluate) turns each record it reads into a prompt: the
// turns up to the one that the model is to write, as token ids.

/// The prompt of a record.
struct RecordPrompt {
  std::vector<Turn> turns;
  std::vector<Picture> pictures;  ///< images of the turns
  std::vector<int32_t> tokens;    ///< token ids of `turns`
  bool trimmed = false;           ///< the oldest turns were removed
  bool fits = true;  ///< false: the prompt is too long, and trimming is off or can't help; it then has all its turns
};

/// Converts records to prompts with the system turn and the length limit of the spec's table `dataset`. Rewards receive
/// the unchanged record. Keeps a reference to `plugins`.
class RecordPrompts {
 public:
  RecordPrompts(const RunPlugins& plugins, const Settings& dataset);

  /// Returns the prompt of a record. `after`: number of positions of the model to reserve for tokens after the prompt.
  /// If the prompt is too long and `long_prompts` is "trim", removes the oldest turns, but not the system turn or the
  /// last turn, so that the rest does not begin with an assistant's turn.
  RecordPrompt of(const Example& example, int64_t after) const;

  /// Returns the prompt with all its turns, whatever its length.
  RecordPrompt whole(const Example& example) const;

  /// True if the spec's `max_prompt_tokens` is lower than the model's number of positions.
  bool is_limited() const { return most_ < positions_; }

  /// Maximum number of tokens of a prompt, if `after` positions are reserved for tokens after it.
  int64_t limit(int64_t after) const;

 private:
  // Reads the pictures of `turns` and tokenizes them.
  RecordPrompt read(const Example& example, std::vector<Turn> turns) const;

  const RunPlugins& plugins_;
  const std::optional<std::string> system_;  // text of the system turn that replaces the record's; nullopt: keep it
  const int64_t positions_, most_;           // the model's context length; max_prompt_tokens, at most that
  const bool trims_;                         // long_prompts is "trim"
};

/// The records of a split that a task reads. All of them are inspected before the first step, so that a run does not
/// fail later because of a record that is too long. Keeps a reference to `plugins`.
class Records {
 public:
  /// The text after a prompt, for which positions of the model are reserved.
  enum class Reserve {
    completion,      ///< a sampled completion of RecordFilter::completion tokens
    answer,          ///< the record's answer, which may be empty
    required_answer  ///< the record's answer; records without an answer are not used
  };

  /// Selection of records.
  struct RecordFilter {
    std::string split;
    Reserve reserve = Reserve::completion;
    int64_t completion = 0;  ///< tokens to reserve for a completion
    int64_t neighbours = 1;  ///< number of consecutive records that `shuffled` keeps together
  };

  /// Collective. Selects `count` usable records of the split, or all if there are fewer: the first ones, or, if several
  /// of those belong to one dialogue, records spread over the split. The ranks divide the inspection among them. Throws
  /// Error (exit 4) if no record is usable, or if a prompt is too long and `long_prompts` is "error".
  static Records select(comm::World& world, RunPlugins& plugins, const Settings& dataset, RecordFilter wanted,
                        int64_t count);

  /// Collective. Takes the whole split in shuffled order and inspects the records at positions 0 ... `count` - 1, which
  /// training will read. An unusable record is replaced by a usable one, drawn at random by (seed, record). Throws the
  /// errors of `select`, and Error (exit 3) if `neighbours` does not divide the size of the split.
  static Records shuffled(comm::World& world, RunPlugins& plugins, const Settings& dataset, RecordFilter wanted,
                          uint64_t seed, uint64_t count);

  /// Number of selected records (`select`) or of records of the split (`shuffled`).
  int64_t size() const { return size_; }
  /// For `shuffled`: the record at a position of the training order.
  int64_t at(uint64_t position) const;

  /// Local. Reads `count` groups of a step, with indices first, first + 1, ...; group i gets the record record_of(i),
  /// which must be in [0, size()).
  Groups read(int64_t first, int64_t count, const std::function<int64_t(int64_t)>& record_of) const;

  /// For `select`: a hash per record that identifies its dialogue.
  const std::vector<uint64_t>& dialogues() const { return dialogues_; }

  /// Messages for the log: how many records were trimmed or skipped, and the first of them.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// Counts for summary.json: {"split", "records" (inspected), "trimmed", "skipped", "unanswered"}.
  nlohmann::json counts() const;

 private:
  // Result for a record: its prompt is used, used without its oldest turns, too long, or has no answer to learn from.
  enum PromptState : uint64_t { whole, trimmed, skipped, unanswered };
  // Result of the inspection of a record.
  struct Inspected {
    PromptState verdict;
    int64_t tokens;     // length of the prompt, after trimming
    uint64_t dialogue;  // hash that identifies the record's dialogue
    bool usable() const { return verdict == whole || verdict == trimmed; }
  };
  // A record with its prompt.
  struct Read {
    Example example;
    RecordPrompt prompt;
    PromptState verdict;
  };

  Records(RunPlugins& plugins, const Settings& dataset, RecordFilter wanted);
  // Reads the record with this index in the split and makes its prompt.
  Read inspect(int64_t record) const;
  // The same; an unusable record is replaced by a usable one, drawn at random by (seed, record).
  Read usable(int64_t record) const;
  // Returns the number of positions to reserve after the record's prompt.
  int64_t after(const Example& example) const;
  // Collective. Inspects records, which the ranks divide among them. Returns one result per record.
  std::vector<Inspected> inspect_all(comm::World& world, const std::vector<int64_t>& records) const;
  // Collective. Selects the first `count` usable records in this order.
  void take(comm::World& world, const std::vector<int64_t>& order, int64_t count);
  // Collective. Sets the counts and remarks from the inspection results `seen` of `records`; throws for long prompts if
  // they are errors.
  void summarize(comm::World& world, const std::vector<int64_t>& records, const std::vector<Inspected>& seen);
  // Sets the remarks. Throws Error (exit code 4: invalid data) if no record is usable.
  void remark(const std::vector<int64_t>& records, const std::vector<Inspected>& seen);
  [[noreturn]] void refuse_long(const std::vector<int64_t>& records, const std::vector<Inspected>& seen) const;
  // Returns "a/7, with 900 tokens where at most 512 fit" for the first record in this state.
  std::string tokens_of_first(PromptState what, const std::vector<int64_t>& records,
                              const std::vector<Inspected>& seen) const;

  RunPlugins& plugins_;
  const RecordPrompts prompts_;
  const RecordFilter wanted_;
  const bool errors_;                 // long_prompts is "error"
  uint64_t seed_ = 0;                 // seed of the training order, for `shuffled`
  int64_t size_ = 0, inspected_ = 0;  // result of size(); number of inspected records
  std::vector<int64_t> chosen_;       // indices of the selected records in the split; empty: all of them
  std::vector<uint64_t> dialogues_;
  int64_t counts_[4] = {};  // number of inspected records, by PromptState
  std::vector<std::string> remarks_;
};

/// Returns the index of the record at `position` of the shuffled training order. Every epoch is another permutation of
/// the `size` records. The result depends on the arguments only, so that a run can resume at any position.
/// 1 <= size < 2^32. Blocks of `neighbours` consecutive records stay together, in order; `size` is a multiple of it.
int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours = 1);

/// Throws Error (exit 3) if `size`, the number of examples of the split, is not a multiple of sft.neighbours.
void check_neighbours(int64_t neighbours, const std::string& split, int64_t size);

}  // namespace compeer::train
