// Command lines and environments of compeer-worker.
#include "launch/worker_program.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "launch/launch.h"

namespace compeer::launch {

namespace fs = std::filesystem;

using nlohmann::json;

namespace {

std::string find_mpirun(int64_t ranks) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const auto program = fs::path(folder) / "mpirun"; ::access(program.c_str(), X_OK) == 0) return program.string();
  }
  throw Error("mpirun", fmt::format("is not installed, but the run has {} ranks", ranks),
              "install openmpi-bin, or use --ranks 1", Exit::failure);
}

// True if nothing could make mpirun start ranks on other hosts: no batch system, host file or setting of Open MPI.
bool on_this_host_alone() {
  const char* launcher = std::getenv("COMPEER_LAUNCHER");
  if (launcher && std::string_view(launcher) == "srun") return false;
  for (const char* of_many : {"SLURM_JOB_ID", "SLURM_JOBID", "PBS_NODEFILE", "PBS_JOBID", "LSB_JOBID", "LSB_HOSTS",
                              "PE_HOSTFILE", "COBALT_JOBID", "LOADL_STEP_ID", "OMPI_MCA_orte_default_hostfile",
                              "OMPI_MCA_orte_hostfile", "OMPI_MCA_plm", "OMPI_MCA_ras"}) {
    if (std::getenv(of_many)) return false;
  }
  std::ifstream hosts("/etc/openmpi/openmpi-default-hostfile");
  for (std::string line; std::getline(hosts, line);) {
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#') return false;
  }
  return true;
}

std::string mpi_of_srun() {
  const char* wanted = std::getenv("SLURM_MPI_TYPE");
  return fmt::format("--mpi={}", wanted && *wanted ? wanted : "pmix");
}

// True if a process may read the memory of another one, as Open MPI does between ranks. Some containers forbid it.
bool can_read_other_processes() {
  char from = 1, to = 0;
  iovec local{&to, 1}, remote{&from, 1};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == 1;
}

}  // namespace

std::string find_worker() {
  if (const char* given = std::getenv("COMPEER_WORKER"); given && *given) return given;
  std::error_code code;
  const auto worker = fs::read_symlink("/proc/self/exe", code).parent_path() / "compeer-worker";
  if (::access(worker.c_str(), X_OK) == 0) return worker.string();
  throw Error(worker.string(), "the worker program is missing", "build it, or set COMPEER_WORKER to its path",
              Exit::failure);
}

std::vector<std::string> thread_environment(int64_t threads) {
  std::vector<std::string> variables;
  if (threads > 0) {
    for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
      variables.push_back(fmt::format("{}={}", name, threads));
  }
  return variables;
}

std::vector<std::string> arithmetic_environment(int64_t threads) {
  auto variables = thread_environment(threads);
  if (!std::getenv("OMP_WAIT_POLICY")) variables.emplace_back("OMP_WAIT_POLICY=passive");
  return variables;
}

std::vector<std::string> training_environment(int64_t threads) {
  auto variables = arithmetic_environment(threads);
  // tcache_count is limited because a parsed record consists of some hundred small blocks that are freed together. With
  // more than 50 cached blocks per size a supervised run grows to three times its size.
  if (!std::getenv("GLIBC_TUNABLES")) {
    variables.emplace_back(
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:"
        "glibc.malloc.trim_threshold=1073741824:glibc.malloc.tcache_count=50");
  }
  return variables;
}

std::vector<std::string> rank_launcher(int64_t ranks, int64_t threads) {
  const char* wanted = std::getenv("COMPEER_LAUNCHER");
  const std::string launcher = wanted && *wanted ? wanted : "mpirun";
  if (launcher == "srun") {
    // Without --export=ALL, srun in a job of sbatch --export=NONE passes no variables on, not even COMPEER_LOCKED.
    return {"srun",
            mpi_of_srun(),
            "--export=ALL",
            "--kill-on-bad-exit=1",
            fmt::format("--ntasks={}", ranks),
            fmt::format("--cpus-per-task={}", threads)};
  }
  if (launcher != "mpirun")
    throw Error("COMPEER_LAUNCHER", fmt::format("there is no launcher '{}'", launcher),
                suggest(launcher, {"mpirun", "srun"}), Exit::usage);
  if (ranks == 1) return {};
  fs::remove(make_temporary_folder());  // checks that one can be made: mpirun's own message is very long
  // --oversubscribe: mpirun counts cores as slots, and a virtual machine may report fewer cores than processors.
  std::vector<std::string> command{find_mpirun(ranks), "-n",        std::to_string(ranks),
                                   "--oversubscribe",  "--bind-to", "none"};
  // mpirun passes only named variables to other hosts.
  if (std::getenv("COMPEER_LOCKED")) command.insert(command.end(), {"-x", "COMPEER_LOCKED"});
  return command;
}

std::vector<std::string> worker_command(const spec::Spec& spec, const fs::path& folder, bool resume) {
  auto command = rank_launcher(spec.values.at("ranks").get<int64_t>(), spec.values.at("threads").get<int64_t>());
  command.push_back(find_worker());
  const bool like_an_option = folder.string().starts_with('-');
  command.push_back(like_an_option ? "./" + folder.string() : folder.string());
  if (resume) command.push_back("--resume");
  return command;
}

std::vector<std::string> worker_environment(const spec::Spec& spec) {
  return rank_environment(spec.values.at("ranks").get<int64_t>(), spec.values.at("threads").get<int64_t>());
}

std::vector<std::string> rank_environment(int64_t ranks, int64_t threads) {
  auto variables = training_environment(threads);
  const auto unless_set = [&](const std::string& name, const std::string& value) {
    if (!std::getenv(name.c_str())) variables.push_back(name + "=" + value);
  };
  if (::geteuid() == 0) {
    unless_set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    unless_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  if (!can_read_other_processes()) unless_set("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  // Shared memory only: opens no network port.
  if (ranks > 1 && on_this_host_alone()) unless_set("OMPI_MCA_btl", "self,vader");
  if (ranks > ::sysconf(_SC_NPROCESSORS_ONLN)) unless_set("OMPI_MCA_mpi_yield_when_idle", "1");
  return variables;
}

void exec_worker(const std::string& name, const nlohmann::json& options, int threads) {
  const std::string program = find_worker(), text = options.dump();
  for (const std::string& variable : arithmetic_environment(threads)) {
    const auto end = variable.find('=');
    ::setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
  }
  std::signal(SIGPIPE, SIG_DFL);  // the program ends when the reader of its output does
  std::cout.flush();
  ::execl(program.c_str(), program.c_str(), "model", name.c_str(), text.c_str(), nullptr);
  throw Error(program, std::string("can't be started: ") + std::strerror(errno), "", Exit::failure);
}

ProgramOutput run_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds) {
  const Scratch scratch;
  const auto file = scratch.folder() / "question.json";
  write_file(file, input);
  return run_program({find_worker(), "model", name, json{{"input", file.string()}}.dump()}, environment, seconds);
}

json last_line(const std::string& text, const char* key) {
  std::istringstream lines(text);
  json last;
  for (std::string line; std::getline(lines, line);) {
    auto said = json::parse(line, nullptr, false);
    if (said.is_object() && said.contains(key)) last = std::move(said);
  }
  return last;
}

}  // namespace compeer::launch
