#pragma once
#include <string>

namespace compeer::record {

/// What precedes the cause of a failure: "phase score, plugin rewards/length 1.0.0: a.jsonl:3", each of the three only
/// if it is known, and nothing that `where` already tells: "rewards/length 1.0.0 (/x/length.so), in score()" needs no
/// more.
std::string place_of_failure(const std::string& phase, const std::string& plugin, const std::string& where);

}  // namespace compeer::record
