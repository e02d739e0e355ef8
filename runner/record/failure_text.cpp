#include "record/failure_text.h"

namespace compeer::record {

std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where) {
  const auto told = [&](const std::string& text) { return text.empty() || where.find(text) != std::string::npos; };
  std::string place = phase.empty() || told("in " + phase + "()") ? "" : "phase " + phase;
  if (!told(plugin)) place += (place.empty() ? "" : ", ") + ("plugin " + plugin);
  return place.empty() || where.empty() ? place + where : place + ": " + where;
}

}  // namespace compeer::record
