// Describes the failure of a rank in error.json and in the RankError that all ranks throw.
#include "comm/fault.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "comm/phase.h"

namespace compeer::comm {

namespace {

using nlohmann::json;

// Returns the `where` of a RankError: rank, phase and plugin, then the fault's own location.
std::string head(const Fault& fault, int world_size) {
  const std::string phase = fault.phase.empty() ? "" : "phase '" + fault.phase + "'";
  if (world_size == 1) return fault.where.empty() ? phase : fault.where;
  std::string text = "rank " + std::to_string(fault.rank) + " (host " + fault.host + ")";
  // The location of a plugin's error may already contain the phase or the plugin.
  const bool told = fault.where.find("in " + fault.phase + "()") != std::string::npos;
  if (!phase.empty() && !told) text += ", " + phase;
  if (!fault.plugin.empty() && fault.where.find(fault.plugin) == std::string::npos) text += ", plugin " + fault.plugin;
  return fault.where.empty() ? text : text + ": " + fault.where;
}

}  // namespace

Fault fault_of(const std::exception_ptr& error, int rank, const std::string& host) {
  const Activity at = failed_activity();
  Fault fault{rank, host, at.phase, at.plugin, "", "", "", static_cast<int>(Exit::failure)};
  if (!at.plugin.empty()) fault.exit = static_cast<int>(Exit::plugin);
  try {
    std::rethrow_exception(error);
  } catch (const RankError& e) {
    return e.fault();
  } catch (const Error& e) {
    fault.where = e.where(), fault.what = e.problem(), fault.help = e.help(), fault.exit = static_cast<int>(e.exit());
  } catch (const std::bad_alloc&) {
    fault.what = "out of memory";
  } catch (const std::exception& e) {
    fault.what = e.what();
  } catch (...) {
    fault.what = "an exception was thrown that is not a std::exception";
  }
  return fault;
}

std::string to_json(const Fault& fault) {
  nlohmann::ordered_json text;
  text["rank"] = fault.rank;
  text["host"] = fault.host;
  text["phase"] = fault.phase;
  text["plugin"] = fault.plugin.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(fault.plugin);
  text["where"] = fault.where;
  text["what"] = fault.what;
  text["help"] = fault.help;
  text["exit"] = fault.exit;
  return text.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Fault fault_from_json(const std::string& text) {
  const json read = json::parse(text);
  Fault fault{read.at("rank"),  read.at("host"), read.at("phase"), "",
              read.at("where"), read.at("what"), read.at("help"),  read.at("exit")};
  if (!read.at("plugin").is_null()) fault.plugin = read.at("plugin");
  return fault;
}

bool write_first(const std::filesystem::path& file, const Fault& fault) noexcept try {
  const std::string text = to_json(fault);
  const int out = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (out < 0) return false;
  // A single write, because the process may be killed at any moment and a partial text would be useless.
  const bool whole = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(out);
  if (!whole) ::unlink(file.c_str());  // disk full: a partial file would keep other ranks from writing theirs
  return whole;
} catch (...) {
  return false;
}

RankError::RankError(const Fault& fault, int world_size)
    : Error(head(fault, world_size), fault.what, fault.help, static_cast<Exit>(fault.exit)), fault_(fault) {}

}  // namespace compeer::comm
