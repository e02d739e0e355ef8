#pragma once
#include <exception>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace compeer::comm {

/// An abnormal end with all its names: what error.json holds.
struct Fault {
  int rank = 0;
  std::string host;
  std::string phase;
  std::string plugin;  ///< empty: none was being called
  std::string where = {}, what = {}, help = {};
  int exit = 1;
};

/// The fault behind an exception, to be called in its catch block. An Error keeps its exit code; anything else that
/// came out of a plugin's phase is the plugin's fault (5), and 1 otherwise.
Fault fault_of(const std::exception_ptr& error, int rank, const std::string& host);

/// {"rank":1,"host":"h","phase":"score","plugin":null,"where":"","what":"","help":"","exit":5}
std::string to_json(const Fault& fault);
Fault fault_from_json(const std::string& text);

/// Writes error.json unless it exists: the first failing rank wins. True if it was this call that wrote it.
/// Never throws: whoever calls it has a more important error to report.
bool write_first(const std::filesystem::path& file, const Fault& fault) noexcept;

/// A fault that every rank knows of and throws alike, so all may leave together (World::leave).
/// where() begins with "rank 1 (host h), phase 'score'" in a world of more than one rank.
class RankError : public Error {
 public:
  RankError(const Fault& fault, int world_size);
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace compeer::comm
