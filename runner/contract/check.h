#pragma once
#include <string>
#include <vector>

namespace compeer::contract {

/// What `compeer plugins check` is asked for.
struct CheckOptions {
  std::string file, dataset;      ///< the library; a dataset whose examples it is tried with
  std::vector<std::string> sets;  ///< "target=20", "dataset.KEY=VALUE"
  double patience = 60;           ///< seconds that one call may take
  bool as_json = false;
};

/// Tries whether a plugin keeps the contract of its kind, and prints what it finds. What a descriptor says is looked at
/// in this process; what runs the plugin's code is done by a worker (worker/), which may crash. Returns the exit code: 0 if all that was checked holds, 5 if not, 4 if no
/// object of the plugin could be made.
int check(const CheckOptions& options);

}  // namespace compeer::contract
