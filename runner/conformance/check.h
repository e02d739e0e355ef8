#pragma once
#include <string>
#include <vector>

namespace compeer::conformance {

/// Options of `compeer plugins check`.
struct CheckOptions {
  std::string file;               ///< path of the library, which ends with KIND/NAME.so
  std::string dataset;            ///< name of a dataset plugin that supplies examples; empty: made-up examples
  std::vector<std::string> sets;  ///< settings: "target=20" of the plugin, "dataset.KEY=VALUE" of the dataset plugin
  double patience = 60;           ///< maximum duration of one call into the plugin, in seconds; longer is a failure
  bool as_json = false;           ///< print the findings as one JSON object instead of a table
};

/// Checks whether a plugin keeps the contract of its kind ("rewards", "models", ...), and prints the findings. Reads
/// the descriptor (name, version, schema of the settings) in this process, and starts a worker process that runs the
/// plugin's code. Returns the exit code: 5 if a check fails, otherwise 4 if no object of the plugin could be made,
/// otherwise 0. Throws Error (exit code 2: wrong command line) if the file can't be read.
int check(const CheckOptions& options);

}  // namespace compeer::conformance
