#pragma once
#include <exception>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace compeer::comm {

/// The cause of an abnormal end of a run: the contents of error.json.
struct Fault {
  int rank = 0;
  std::string host;
  std::string phase;
  std::string plugin;                            ///< plugin that was being called; empty if none
  std::string where = {}, what = {}, help = {};  ///< as in Error
  int exit = 1;
};

/// Returns the fault for an exception. To be called in its catch block. An Error keeps its exit code; for any other
/// exception it is 5 if it left a plugin's phase, otherwise 1.
Fault fault_of(const std::exception_ptr& error, int rank, const std::string& host);

/// Converts a fault to and from JSON:
/// {"rank":1,"host":"h","phase":"score","plugin":null,"where":"","what":"","help":"","exit":5}
std::string to_json(const Fault& fault);
Fault fault_from_json(const std::string& text);

/// Writes error.json unless it exists, so that the first failing rank's fault is kept. Returns true if this call wrote
/// it. Does not throw, because the caller has a more important error to report.
bool write_first(const std::filesystem::path& file, const Fault& fault) noexcept;

/// An Error that is thrown on every rank, so that all of them can end together (World::leave). In a world of more than
/// one rank, where() begins with "rank 1 (host h), phase 'score'".
class RankError : public Error {
 public:
  RankError(const Fault& fault, int world_size);
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace compeer::comm
