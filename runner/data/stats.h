#pragma once
#include <nlohmann/json.hpp>

namespace compeer::data {

/// Runs the worker's part of `compeer data stats`: counts and prints the dialogues, turns and labels of data sets.
/// Options:
///   "sources"  the data sets: a list of {"source": title, "plugin": name of the dataset plugin, "path" and "sha256" of
///              its library, "settings"}
///   "json"     true: print JSON
///   "all"      true: list every record that could not be read
/// Returns the exit code 0.
int data_stats(const nlohmann::json& options);

}  // namespace compeer::data
