#pragma once
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "comm/world.h"
#include "compeer/chat.h"
#include "data/stage_cache.h"
#include "plugin/host.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::data {

/// Counts of requests to chat models, in this order: asked, known, failed, prompt_tokens, completion_tokens, malformed,
/// again, cost (plugin/host.h).
using Chats = std::array<double, 8>;

/// Log of a data run: run.h5, status.json and summary.json, written by rank 0. On other ranks it keeps only the number
/// and name of the stage. Functions are local unless marked as collective.
class StageLog {
 public:
  /// `spec_file`: contents of spec.json. `stages`: number of stages, the dataset included.
  StageLog(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& folder, size_t stages);

  void note(const std::string& text);          ///< adds an event to run.h5 and prints it on standard error
  void begin(const std::string& label);        ///< starts the next stage; to be called on all ranks
  void progress(int64_t done, int64_t total);  ///< updates status.json: `done` of `total` records
  void end(const StageOutput& made);           ///< rank 0 only: records the results of the stage
  /// Rank 0 only: writes summary.json and ends the run. `paid`: Ledger::sums.
  void finish(const nlohmann::json& paid);

  /// Number and label of the current stage: "02-filter".
  std::string stem() const;

  /// Converts this rank's counts.
  static Chats chats(const plugin::ChatCounts& counts);
  /// Collective. Returns on rank 0 what all ranks have asked since `before`, by name, with up to three different
  /// examples each of "unreadable" answers and "failures".
  nlohmann::json gather_chat_counts(const Chats& before, plugin::ChatCounts& counts);

 private:
  void publish(bool now);

  comm::World& world_;
  std::filesystem::path folder_;
  std::optional<record::RunWriter> run_;
  record::Status status_;
  record::Summary summary_;
  std::string label_;
  int64_t number_ = -1;
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, stage_start_, published_;
};

/// Record of the paid replies of chat models, over all starts of a run: one line per reply in `asked/rank-<n>.jsonl` in
/// the run's folder, written as the reply arrives.
class Ledger {
 public:
  /// `run`: the run's folder.
  Ledger(std::filesystem::path run, int rank);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Appends a reply. Throws Error (exit 1) if the file can't be written.
  void add(const std::string& model, const ChatReply& reply);

  /// Returns the sums over the files of all ranks: {model: {"requests", "failed", "prompt_tokens", "completion_tokens",
  /// "cost"}}.
  nlohmann::json sums() const;

 private:
  std::filesystem::path folder_, file_;
  int fd_ = -1;
};

}  // namespace compeer::data
