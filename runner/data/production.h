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

/// Work of one stage that is distributed over the ranks. Rank 0 writes the results in the order of the records, so that
/// the files do not depend on the number of ranks.
struct StageWork {
  std::string name;     ///< name of the stage, for messages: "filter"
  int64_t total = 0;    ///< number of input records
  int64_t portion = 1;  ///< number of records per call of `make`
  /// Processes records [first, first + count). Each rank calls it for its own portions, in ascending order.
  std::function<PortionResult(int64_t first, int64_t count)> make;
  std::function<void(int64_t done)> progress;  ///< called on rank 0 with the number of finished records
  /// Called on rank 0 with each portion, in order; if it returns true, no more portions are made. May be empty.
  std::function<bool(const PortionResult& portion)> should_stop = {};
  /// File in which rank 0 stores finished portions, so that the next process resumes after a kill; empty: none. Its
  /// name must depend on everything that determines the results, except `portion`. Storing ends with the first portion
  /// for which chat models were asked: their answers are stored elsewhere, and failed requests shall be sent again.
  std::filesystem::path partial_file = {};
};

/// Result of a production: complete on rank 0, empty on other ranks.
struct StageResult {
  Tally tally;
  std::string summaries;  ///< packed summaries, see each_summary
  bool stopped = false;   ///< StageWork::should_stop returned true: the results end with that portion
  double seconds = 0;     ///< time of the production, over all processes that worked on it
};

/// Collective. Runs the production and writes `folder`/records.jsonl and `folder`/dropped.jsonl, flushed to disk; no
/// files if `folder` is empty. Throws Error (exit 85) if any rank's `stop` is raised; the unfinished files are removed.
StageResult produce(comm::World& world, const comm::StopFlag& stop, const StageWork& production,
                    const std::filesystem::path& folder);

/// File of the finished portions of an unfinished stage, from which the next process resumes after a kill. Flushed once
/// a second. Local; one rank uses it.
class PartialStageFile {
 public:
  /// Opens or creates `file`. Calls `each` for every entry of an earlier process, in order, if the file has the same
  /// `form`. Otherwise its contents are removed, as are a truncated or damaged entry and all after it.
  PartialStageFile(std::filesystem::path file, std::string_view form,
                   const std::function<void(std::string_view made)>& each);

  /// Appends an entry. If writing fails, such as on a full disk, removes the file and ignores all later calls.
  void keep(std::string_view made);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void append(std::string_view made);
  void give_up();

  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> stream_;  // null if nothing is stored any more
  std::chrono::steady_clock::time_point written_;
};

}  // namespace compeer::data
