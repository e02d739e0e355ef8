// Several ranks: whether two of them meet here, and what there is of Slurm.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/doctor/doctor.h"
#include "base/error.h"
#include "launch/worker_program.h"

namespace compeer::app {

namespace {

constexpr double patience = 60;  // seconds for two ranks to meet; a moment where MPI works

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool lists_pmix(const std::string& kinds) {
  std::istringstream words(kinds);
  for (std::string word; words >> word;) {
    if (word.starts_with("pmix")) return true;
  }
  return false;
}

}  // namespace

std::string complaint(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("-*= \t") != std::string::npos) return line;
  }
  return "without a word";
}

std::vector<Finding> check_ranks(const std::filesystem::path& worker) {
  std::vector<std::string> command;
  try {
    command = launch::rank_launcher(2, 1);
  } catch (const Error&) {
    return {};  // no launcher: that is a finding of its own
  }
  for (const auto& word : {worker.string(), std::string("model"), std::string("about"), std::string("{}")})
    command.push_back(word);
  return judge_ranks(launch::ask_program(command, launch::rank_environment(2, 1), patience));
}

std::vector<Finding> judge_ranks(const launch::ProgramOutput& said) {
  const auto begin = said.text.find('{');
  const auto told = begin == std::string::npos
                        ? nlohmann::json()
                        : nlohmann::json::parse(first_line(said.text.substr(begin)), nullptr, false);
  if (said.exit != 0 || !told.is_object() || told.value("ranks", 0) != 2) {
    return {{"MPI", Finding::lacking,
             fmt::format("two ranks don't meet (exit {}): {}", said.exit, complaint(said.text)),
             "runs of one rank work: --ranks 1; what stands behind it: mpirun -n 2 compeer-worker model about '{}'"}};
  }
  const auto blas = told.value("blas", "");
  Finding arithmetic{"BLAS", Finding::good, blas.empty() ? "unknown" : blas, ""};
  if (blas == "generic" || blas.empty()) {
    arithmetic.state = Finding::remark;
    arithmetic.remedy = "libtorch computes some things slowly without MKL or OpenBLAS; runs use kernels of their own";
  }
  return {{"MPI", Finding::good, told.value("mpi", "") + ", two ranks meet", ""}, arithmetic};
}

std::vector<Finding> check_slurm() {
  const auto version = launch::ask_program({"sbatch", "--version"});
  if (version.exit != 0) return judge_slurm(version, {}, {});
  return judge_slurm(version, launch::ask_program({"scontrol", "ping"}), launch::ask_program({"srun", "--mpi=list"}));
}

std::vector<Finding> judge_slurm(const launch::ProgramOutput& version, const launch::ProgramOutput& ping,
                                 const launch::ProgramOutput& kinds) {
  const char* dry = "compeer submit --dry-run shows scripts for a cluster that has it";
  if (version.exit == 127) return {{"Slurm", Finding::remark, "not here (optional)", dry}};
  if (version.exit != 0)
    return {{"Slurm", Finding::remark, "sbatch doesn't work here: " + complaint(version.text), dry}};
  Finding slurm{"Slurm", Finding::good, first_line(version.text), ""};
  if (ping.exit != 0 || ping.text.find(" UP") == std::string::npos) {
    slurm.state = Finding::remark;
    slurm.what += ", its controller doesn't answer: " + complaint(ping.text);
    slurm.remedy = "jobs can't be submitted from here now; is this a machine of the cluster?";
    return {slurm};
  }
  Finding pmix{"PMIx", Finding::good, "srun --mpi=pmix", ""};
  if (kinds.exit != 0 || !lists_pmix(kinds.text)) {
    pmix.state = Finding::remark;
    pmix.what = "srun doesn't have it";
    pmix.remedy =
        "compeer submit --mpi KIND with another that your MPI knows (srun --mpi=list), or mpirun in a batch script";
  }
  return {slurm, pmix};
}

}  // namespace compeer::app
