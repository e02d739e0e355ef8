#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "../fake_worker.h"
#include "launch/process.h"
#include "places.h"

namespace compeer::launch {

/// Fixture that runs the built `compeer` with the built plugins. Shell scripts replace compeer-worker, sbatch (appends
/// its arguments to the file `asked`) and squeue (fails).
class FakeSlurm : public FakeWorker {
 protected:
  FakeSlurm() {
    worker("[ \"$1\" = model ] && echo 'a remark' && echo '{\"mib\":200.5}' && exit 0; finish");
    program("sbatch", "echo \"$*\" >> asked; echo 17");
    program("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  }

  // Writes a fake Slurm program from lines of shell.
  void program(const std::string& name, const std::string& lines) {
    std::filesystem::create_directories(folder_ / "bin");
    write(folder_ / "bin" / name, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(folder_ / "bin" / name, std::filesystem::perms::owner_all);
  }

  // Runs `compeer`. `path`: PATH, "" for the fake programs before the system's; `more`: a further environment variable.
  ProgramOutput compeer(std::vector<std::string> arguments, const std::string& path = "",
                        const std::string& more = "TZ=UTC") {
    arguments.insert(arguments.begin(), COMPEER_BINARY_DIR "/bin/compeer");
    return run_program(
        arguments,
        {"COMPEER_PLUGIN_PATH=" COMPEER_BINARY_DIR "/plugins", "COMPEER_HOME=" COMPEER_SOURCE_DIR, "NO_COLOR=1",
         "PATH=" + (path.empty() ? (folder_ / "bin").string() + ":/usr/bin:/bin" : path), more});
  }
  // The same with --json; returns the parsed output.
  nlohmann::json as_json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const auto text = compeer(arguments).text;
    return nlohmann::json::parse(text.substr(text.find('{')), nullptr, false);
  }
  // Returns the working directory.
  std::string here() const { return std::filesystem::canonical(folder_).string(); }

  // A small experiment.
  const std::string smoke = COMPEER_SOURCE_DIR "/experiments/smoke_grpo.toml";
};

}  // namespace compeer::launch
