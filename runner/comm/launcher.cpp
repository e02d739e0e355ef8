// Detects mpirun and srun by the environment variables that they set, without starting MPI.
#include "comm/launcher.h"

#include <cstdlib>

#include "base/error.h"

namespace compeer::comm {

namespace {

// Returns the value of an environment variable in [1, 1000000]; nullopt if it is unset or anything else.
std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end || value < 1 || value > 1000000) return std::nullopt;
  return static_cast<int>(value);
}

bool set(const char* variable) { return std::getenv(variable) != nullptr; }

}  // namespace

std::optional<int> launched_ranks() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const auto size = number(variable)) return size;
  }
  // A batch script itself has Slurm's variables, too, but SLURM_STEP_NUM_TASKS is set only in steps started by srun.
  const auto tasks = set("SLURM_STEP_ID") ? number("SLURM_STEP_NUM_TASKS") : std::nullopt;
  const bool connected = set("PMIX_NAMESPACE") || set("PMIX_RANK") || set("PMI_RANK") || set("PMI_FD");
  if (tasks && *tasks > 1 && !connected) {
    throw Error("srun", "Slurm started " + std::to_string(*tasks) + " tasks that MPI cannot connect",
                "start them with: srun --mpi=pmix ...", Exit::usage);
  }
  if (tasks) return tasks;
  if (connected) return std::nullopt;
  return 1;
}

std::string launcher_remark() {
  const auto tasks = number("SLURM_NTASKS");
  if (!tasks || *tasks == 1 || set("SLURM_STEP_NUM_TASKS") || set("OMPI_COMM_WORLD_SIZE") || set("PMI_SIZE")) return "";
  return "Slurm reserved " + std::to_string(*tasks) +
         " tasks for this job, but this is a single process: start all of " + "them with srun --mpi=pmix";
}

}  // namespace compeer::comm
