#pragma once
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "data/outcomes.h"

namespace compeer::data {

/// Records made by all ranks, and written by rank 0 in their order, so that files don't tell how many ranks there were.
struct Production {
  std::string name;     ///< what is made: "filter"
  int64_t total = 0;    ///< records that go in
  int64_t portion = 1;  ///< of them made at once
  /// Makes records first ... first + count - 1. Called by each rank for its own portions, in rising order.
  std::function<PortionResult(int64_t first, int64_t count)> make;
  std::function<void(int64_t done)> progress;  ///< called on rank 0
  /// Called on rank 0 with each portion, in their order; true: no more are made. May be empty.
  std::function<bool(const PortionResult& portion)> hopeless = {};
  /// Where rank 0 keeps what has been made, so that after a kill the next process goes on behind it: a file for what
  /// everything depends on but `portion`; empty: nowhere. From the first portion on that chat models were asked about
  /// nothing is kept: their answers are kept already, and those that failed are asked for again.
  std::filesystem::path begun = {};
};

/// What has been made of all records: whole on rank 0, empty elsewhere.
struct Product {
  Tally tally;
  std::string glimpses;   ///< each_glimpse
  bool hopeless = false;  ///< what was made ends with the portion that was
  double seconds = 0;     ///< that making it took, over all processes
};

/// Collective. Makes `folder/records.jsonl` and `folder/dropped.jsonl`, durable; no files if `folder` is empty.
/// If the ranks agree to stop it throws Error (exit 85), and the files are not whole.
Product produce(comm::World& world, const comm::StopFlag& stop, const Production& production,
                const std::filesystem::path& folder);

/// A stage that has been begun: what was made of it, in a file that is written every second, so that who starts after a
/// kill goes on behind that. Used by one rank.
class Begun {
 public:
  /// Gives what an earlier process kept in `file` in the same form, in order. What stands there in another form, or
  /// behind what was cut short or damaged, is removed.
  Begun(std::filesystem::path file, std::string_view form, const std::function<void(std::string_view made)>& each);

  /// On a full disk nothing is kept any more.
  void keep(std::string_view made);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void append(std::string_view made);
  void give_up();

  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> stream_;  // none: nothing is kept
  std::chrono::steady_clock::time_point written_;
};

}  // namespace compeer::data
