#pragma once
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "comm/world.h"
#include "data/stage_cache.h"
#include "plugin/chat_counts.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::data {

/// What was asked of chat models: asked, known, failed, prompt_tokens, completion_tokens, malformed, again, cost
/// (plugin/chat_counts.h).
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

}  // namespace compeer::data
