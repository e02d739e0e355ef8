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

/// What was asked of chat models: asked, known, failed, prompt_tokens, completion_tokens, malformed, again, cost
/// (plugin/host.h).
using Chats = std::array<double, 8>;

/// What a data run says of itself while it goes on, and at its end. Rank 0 writes; the others only count.
class StageLog {
 public:
  StageLog(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& folder, size_t stages);

  void note(const std::string& text);
  void begin(const std::string& label);
  void progress(int64_t done, int64_t total);
  void end(const Made& made);
  /// `paid`: what chat models were asked for the whole run, by model.
  void finish(const nlohmann::json& paid);

  /// "02-filter": the stage that was begun last.
  std::string stem() const;

  /// What this rank has asked since it started.
  static Chats chats(const plugin::ChatCounts& counts);
  /// Collective: what all ranks have asked since `before`, by name, on rank 0; with "unreadable" and "failures", up
  /// to three different examples of each.
  nlohmann::json asked(const Chats& before, plugin::ChatCounts& counts);

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

/// What a run has paid for, however often it was started: `asked/rank-<n>.jsonl` in its folder, a line for each reply
/// of a chat model that is not free, written as it arrives.
class Ledger {
 public:
  Ledger(std::filesystem::path run, int rank);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Throws Error (exit 1) naming the file.
  void add(const std::string& model, const ChatReply& reply);

  /// All ranks' lines added up: {model: {"requests", "failed", "prompt_tokens", "completion_tokens", "cost"}}.
  nlohmann::json sums() const;

 private:
  std::filesystem::path folder_, file_;
  int fd_ = -1;
};

}  // namespace compeer::data
