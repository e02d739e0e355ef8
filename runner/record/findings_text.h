#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::record {

/// What an evaluation has found, for people: a table of the figures that its "columns" name, of all and of each group,
/// or of what it calls "shares" and the other figures of its groups; then its other numbers and its curves. A figure is
/// {"value", "low", "high"}:
///
///                    n  mean_emotion          success
///   all            100  68.15 [62.80, 73.20]  0.35 [0.26, 0.45]
///   kinds: avoid    34  61.03 [51.47, 70.00]  0.29 [0.15, 0.44]
///
///   ends: failure 13, limit 52, success 35
///   emotion: 40.00 45.85 ...
std::string findings_text(const nlohmann::json& findings);

}  // namespace compeer::record
