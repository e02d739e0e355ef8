#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::launch {

/// A script as it is submitted. Two of one file name, or with other changes, are other studies.
struct SubmittedScript {
  std::filesystem::path script;      ///< in full
  std::vector<std::string> changes;  ///< the words `compeer run` is given for it: "--set", "seed=2", "--quick"

  std::string name() const { return script.filename().string(); }
  /// study.json, by which its folder is known again.
  std::string file_text() const;
};

/// Where the study's scripts lie: `<results>/<stem>.jobs`, or `<results>/<stem>-<first 8 digits of a hash>.jobs` where
/// another study, or something else, has that name.
std::filesystem::path jobs_folder(const SubmittedScript& study, const std::filesystem::path& results);

/// Makes the folder the study's own. Throws Error (exit 1) if another took it meanwhile.
void claim_jobs_folder(const std::filesystem::path& folder, const std::string& file_text);

}  // namespace compeer::launch
