#pragma once
#include <sys/types.h>

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "launch/process.h"

/// Checks of `compeer doctor`: check_... examines the machine, interpret_... interprets what programs printed. Inputs
/// are arguments where tests pass those of another machine.
namespace compeer::app {

/// Returns the first line that is not empty.
std::string first_line(const std::string& text);

/// Result of one check.
struct Finding {
  enum State {
    good,
    remark,   ///< runs work; something can be improved or should be known
    lacking,  ///< runs would fail
  };
  std::string name;  ///< "libtorch"
  State state = good;
  std::string result;  ///< the result: "2.11.0, /home/ada/.cache/..."
  std::string remedy;  ///< what the user should do; empty if nothing
};

/// Instruction sets of an x86-64 processor.
struct Processor {
  bool avx2 = false, fma = false, avx512 = false, bfloat16 = false;
};
Processor this_processor();
/// Lacking without AVX2 and FMA.
Finding check_processor(const Processor& processor);

/// Cores and memory available to this process. `all` is the number of the machine's processors.
std::vector<Finding> check_machine(const Machine& machine, unsigned all);
/// Limit on open files (0: unknown, UINT64_MAX: none), and free bytes of /dev/shm, which ranks of one host use.
std::vector<Finding> check_limits(uint64_t open_files, uint64_t shared_memory);
/// Limits on the address space and on the size of files, in bytes. UINT64_MAX: no limit, no finding.
std::vector<Finding> check_sizes(uint64_t address_space, uint64_t file_size);
/// Detects a GPU and names the command that tests it. `root` contains dev/.
Finding check_device(const std::filesystem::path& root);

/// Checks that the worker `program` starts (--version) and that the dynamic loader finds its libraries.
std::vector<Finding> check_worker(const std::filesystem::path& program);

/// Finds libtorch in the dynamic loader's list of the worker's libraries (as printed by ldd):
/// "libc10.so => /path (0x...)" per line.
Finding interpret_libraries(const std::string& loaded);

/// Checks that mpirun (`program`) starts and is that of Open MPI. `user` 0 gets a hint about running as root.
Finding check_launcher(const std::string& program, uid_t user);

/// Starts two ranks and reports the versions of MPI and of libtorch's BLAS. Empty without a launcher. At most 60 s.
std::vector<Finding> check_ranks(const std::filesystem::path& worker);
/// Interprets the output of `compeer-worker model about` on two ranks.
std::vector<Finding> interpret_ranks(const launch::ProgramOutput& output);

/// Returns the first line of `text`, the output of launcher, MPI and ranks, that is not empty or a separator ("-----").
std::string first_error_line(const std::string& text);

/// Rank of this process and number of processes that srun or mpirun started together.
struct LaunchedTask {
  int rank, size;
};
/// Empty if this process is the only one.
std::optional<LaunchedTask> launched_task();

/// Returns the number of nodes of the current Slurm job; 1 inside a job step or without a job.
int nodes_of_job();

/// Runs a worker that, with the workers of the other tasks of this step, tests messages between them and compares
/// versions, clocks and access to the results folder `folder`. If `nodes` > 1, srun starts one worker on each node
/// instead. `findings`, those of this host, are sent to rank 0. Takes at most 60 s.
launch::ProgramOutput run_host_tests(const std::filesystem::path& worker, int nodes,
                                     const std::filesystem::path& folder, const std::vector<Finding>& findings);
/// Interprets the output of run_host_tests for `ranks` workers. Adds the findings of the other hosts that are not good.
std::vector<Finding> interpret_hosts(const launch::ProgramOutput& output, int ranks);

/// Checks Slurm's commands and controller, and that srun supports PMIx, which connects ranks.
std::vector<Finding> check_slurm();
/// Arguments: output of `sbatch --version`, `scontrol ping` and `srun --mpi=list`.
std::vector<Finding> interpret_slurm(const launch::ProgramOutput& version, const launch::ProgramOutput& ping,
                                     const launch::ProgramOutput& kinds);

/// Counts the plugins in the search path and names their folders and the unusable ones.
Finding check_plugins();

/// Checks that runs can write to `folder`, which need not exist yet, and tests its file system: free space, locks,
/// atomic and durable replacement of files, reading of a run file while it is written. Removes its test files.
std::vector<Finding> check_results(const std::filesystem::path& folder);

/// Checks that `folder` (TMPDIR), which mpirun needs, can be written. Removes its test file.
Finding check_temporary(const std::filesystem::path& folder);

/// Limits that a type of file system (`f_type` of statfs) has for HDF5 and its live readers.
Finding interpret_file_system(int64_t kind);

/// Reports the HDF5 version this program was built with.
Finding check_hdf5();
/// Looks for h5py, which reads run files in Python, and for a browser.
std::vector<Finding> check_optional();

/// Prints findings as a table with their remedies, or as {"ok": true, "findings": [...]}.
/// Returns the exit code: 0 if nothing is lacking, otherwise 1.
int print_findings(const std::vector<Finding>& findings, bool json, std::ostream& out);

/// Runs all checks and prints the findings (of several tasks, only rank 0 does). Returns 0 if a run would
/// work, otherwise 1.
int doctor(bool json, std::ostream& out);

}  // namespace compeer::app
