#pragma once
#include <exception>
#include <filesystem>
#include <string>

#include "base/error.h"

// A run consists of several processes, the ranks. If one fails, its error is written to the file error.json in the
// run's folder, and all ranks throw it.

namespace compeer::comm {

/// The cause of an abnormal end of a run: the contents of error.json.
struct Fault {
  int rank = 0;                                  ///< rank that failed or hangs
  std::string host;                              ///< host name of that rank
  std::string phase;                             ///< part of the work that it was in: "score"; empty if none
  std::string plugin;                            ///< plugin that was being called; empty if none
  std::string where = {}, what = {}, help = {};  ///< location, problem and remedy, as in Error
  int exit = 1;                                  ///< exit code of the run
};

/// Returns the fault for an exception of the rank `rank` on `host`. To be called in its catch block, because the phase
/// is the one that the exception has left. An Error keeps its exit code. Any other exception has 5 (plugin) if a plugin
/// was being called, otherwise 1 (other failure).
Fault fault_of(const std::exception_ptr& error, int rank, const std::string& host);

/// Converts a fault to and from JSON:
/// {"rank":1,"host":"h","phase":"score","plugin":null,"where":"","what":"","help":"","exit":5}
std::string to_json(const Fault& fault);
Fault fault_from_json(const std::string& text);

/// Writes error.json unless it exists, so that the first failing rank's fault is kept. Returns true if this call wrote
/// it. Write errors are ignored, because the caller has a more important error to report.
bool write_first(const std::filesystem::path& file, const Fault& fault) noexcept;

/// An Error that is thrown on every rank, so that all of them can end together (World::leave). With more than one rank,
/// where() begins with "rank 1 (host h), phase 'score'".
class RankError : public Error {
 public:
  /// `world_size`: number of ranks.
  RankError(const Fault& fault, int world_size);
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace compeer::comm
