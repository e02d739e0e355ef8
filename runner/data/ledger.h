#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compeer/chat.h"

namespace compeer::data {

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
