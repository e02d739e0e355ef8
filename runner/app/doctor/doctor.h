#pragma once
#include <sys/types.h>

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "launch/process.h"

/// What `compeer doctor` looks at. Each check is a function of what it is told, so that it can be told of another
/// machine.
namespace compeer::app {

/// One thing this machine has or lacks.
struct Finding {
  enum State {
    good,
    remark,   ///< a run works, but something could be better or is worth knowing
    lacking,  ///< a run would not work
  };
  std::string name;  ///< "libtorch"
  State state = good;
  std::string what;    ///< what was found: "2.11.0, /home/ada/.cache/..."
  std::string remedy;  ///< what to do about it; empty if nothing is to be done
};

struct Processor {
  bool avx2 = false, fma = false, avx512 = false, bfloat16 = false;
};
Processor this_processor();
Finding check_processor(const Processor& processor);

/// Cores and memory that this process may use. `all` are the machine's processors.
std::vector<Finding> check_machine(const Machine& machine, unsigned all);
/// Open files, and the memory that ranks of one host share. 0: unknown.
std::vector<Finding> check_limits(uint64_t open_files, uint64_t shared_memory);
/// Limits of a process's memory and of a file's length, which most machines do not set. UINT64_MAX: none, no finding.
std::vector<Finding> check_sizes(uint64_t address_space, uint64_t file_size);
/// Whether there is a GPU, and the command that tests it. `root` holds dev/.
Finding check_device(const std::filesystem::path& root);

/// The worker answers with its version, and the loader finds what it links: libtorch above all.
std::vector<Finding> check_worker(const std::filesystem::path& program);

/// What the loader, asked as ldd asks it, says of the worker's libraries: "libc10.so => /path (0x...)" a line.
Finding judge_libraries(const std::string& loaded);

/// What starts more than one rank, and what root has to know about it.
Finding check_launcher(const std::string& program, uid_t user);

/// Two ranks are started and meet: MPI works here, and which one, and what libtorch computes with.
std::vector<Finding> check_ranks(const std::filesystem::path& worker);
/// What they said: `compeer-worker model about`.
std::vector<Finding> judge_ranks(const launch::ProgramOutput& said);

/// What is wrong, from all that a launcher, ranks and MPI printed: the first line that is no frame or heading.
std::string complaint(const std::string& text);

/// This process among those that srun or mpirun started together.
struct LaunchedTask {
  int rank, size;
};
/// Empty if this process was started alone.
std::optional<LaunchedTask> launched_task();

/// Number of nodes of the Slurm job around this process; 1 within a step, and without a job.
int nodes_of_job();

/// Has one worker test, with those of the other tasks of this step, what is between them: messages, versions, clocks,
/// and the folder of the results. With `nodes` above 1, srun starts one on each node instead. `findings` are those of
/// this host. Takes a minute at most.
launch::ProgramOutput ask_hosts(const std::filesystem::path& worker, int nodes, const std::filesystem::path& folder,
                                const std::vector<Finding>& findings);
/// What `ranks` workers told; with it what is not as it should be on other hosts than that of rank 0.
std::vector<Finding> judge_hosts(const launch::ProgramOutput& said, int ranks);

/// Slurm's commands, its controller, and whether srun can connect ranks.
std::vector<Finding> check_slurm();
std::vector<Finding> judge_slurm(const launch::ProgramOutput& version, const launch::ProgramOutput& ping,
                                 const launch::ProgramOutput& kinds);

/// Plugins in the search path: how many, where, and which can't be used.
Finding check_plugins();

/// Whether runs can write below `folder`, which need not exist yet, and what its file system is good for: locks, files
/// that are whole and durable, a run file that is read while it grows. Tried out there, leaving nothing.
std::vector<Finding> check_results(const std::filesystem::path& folder);

/// Whether `folder`, TMPDIR, can be written: mpirun needs it. Tried out there, leaving nothing.
Finding check_temporary(const std::filesystem::path& folder);

/// What a kind of file system, as statfs numbers them, means for HDF5 and its live readers.
Finding judge_file_system(int64_t kind);

Finding check_hdf5();
/// For reading run files in Python, and for looking at reports.
std::vector<Finding> check_optional();

/// Prints findings as a table with their remedies, or as {"ok": true, "findings": [...]}.
/// Returns the exit code: 0 if nothing is lacking, else 1.
int print_findings(const std::vector<Finding>& findings, bool json, std::ostream& out);

/// What this machine has and lacks, each with a remedy; 0 if a run would work.
int doctor(bool json, std::ostream& out);

}  // namespace compeer::app
