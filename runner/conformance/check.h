#pragma once
#include <string>
#include <vector>

namespace compeer::conformance {

/// Options of `compeer plugins check`.
struct CheckOptions {
  std::string file;               ///< the library, KIND/NAME.so
  std::string dataset;            ///< name of a dataset plugin that supplies examples; empty: made-up ones
  std::vector<std::string> sets;  ///< "target=20", "dataset.KEY=VALUE"
  double patience = 60;           ///< maximum duration of one call into the plugin, in seconds
  bool as_json = false;
};

/// Checks whether a plugin keeps the contract of its kind, and prints the findings. Reads the descriptor in this
/// process; the worker runs the plugin's code. Returns the exit code: 0 if no check fails, 5 if one does, 4 if no
/// object of the plugin could be made.
int check(const CheckOptions& options);

}  // namespace compeer::conformance
