#pragma once
#include <sys/types.h>

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "launch/process.h"

// `compeer doctor`: checks whether runs would work on this machine. check_... examines the machine, interpret_...
// interprets the output of programs. Properties of the machine are arguments, so that tests can pass those of another
// machine. A run consists of one or several worker processes, the ranks, which a launcher (mpirun or Slurm's srun)
// starts.
namespace compeer::app {

/// Returns the first line that is not empty.
std::string first_line(const std::string& text);

/// Result of one check.
struct Finding {
  /// How serious the result is.
  enum State {
    good,     ///< nothing to do
    remark,   ///< runs work; something can be improved or should be known
    lacking,  ///< runs would fail
  };
  std::string name;  ///< name of the check: "libtorch"
  State state = good;
  std::string result;  ///< the result: "2.11.0, /home/ada/.cache/..."
  std::string remedy;  ///< what the user should do; empty if nothing
};

/// Instruction sets of an x86-64 processor: AVX2, FMA, AVX-512, AVX512_BF16.
struct Processor {
  bool avx2 = false, fma = false, avx512 = false, bfloat16 = false;
};
/// Returns those of this machine's processor.
Processor this_processor();
/// Reports the instruction sets; `lacking` without AVX2 and FMA.
Finding check_processor(const Processor& processor);

/// Reports the cores and the memory available to this process. `all`: number of the machine's processors.
std::vector<Finding> check_machine(const Machine& machine, unsigned all);
/// Checks the limit on open files (0: unknown, UINT64_MAX: none), and the free bytes of /dev/shm, through which the
/// ranks of one host communicate.
std::vector<Finding> check_limits(uint64_t open_files, uint64_t shared_memory);
/// Reports limits on the address space and on the size of files, in bytes. UINT64_MAX: no limit, and no finding.
std::vector<Finding> check_sizes(uint64_t address_space, uint64_t file_size);
/// Detects a GPU's driver and names the command that tests the GPU. `root`: folder that contains dev/, in general "/".
Finding check_device(const std::filesystem::path& root);

/// Checks that the worker `program` starts (--version) and that the dynamic loader finds its libraries.
std::vector<Finding> check_worker(const std::filesystem::path& program);

/// Reports version and folder of libtorch. `loaded`: the dynamic loader's list of the worker's libraries, as printed by
/// ldd: "libc10.so => /path (0x...)" per line.
Finding interpret_libraries(const std::string& loaded);

/// Checks that mpirun (`program`) starts and is that of Open MPI. `user`: id of the user; for 0, root, the
/// finding has a hint.
Finding check_launcher(const std::string& program, uid_t user);

/// Starts two ranks of the program `worker` and reports the versions of MPI and of libtorch's BLAS. Empty without a
/// launcher. Takes at most 60 s.
std::vector<Finding> check_ranks(const std::filesystem::path& worker);
/// Interprets the output of `compeer-worker model about` on two ranks, for check_ranks().
std::vector<Finding> interpret_ranks(const launch::ProgramOutput& output);

/// Returns the first line of `text`, the output of launcher, MPI and ranks, that is not empty or a separator ("-----").
std::string first_error_line(const std::string& text);

/// Rank of this process, from 0, and number of processes that srun or mpirun started together.
struct LaunchedTask {
  int rank, size;
};
/// Returns them from environment variables; nothing if this process is the only one.
std::optional<LaunchedTask> launched_task();

/// Returns the number of nodes (hosts) of the current Slurm job; 1 inside a job step (a process that srun has started)
/// or without a job.
int nodes_of_job();

/// Runs the program `worker`. If this process is one of several in a job step, its worker and those of the other
/// processes test messages between them and compare versions, clocks and access to the results folder `folder`. If
/// `nodes` > 1, srun starts one worker on each node instead. `findings`: those of this host, which are sent to rank 0.
/// Takes at most 60 s.
launch::ProgramOutput run_host_tests(const std::filesystem::path& worker, int nodes,
                                     const std::filesystem::path& folder, const std::vector<Finding>& findings);
/// Interprets the output of run_host_tests for `ranks` workers. The result includes those findings of other hosts that
/// are not good.
std::vector<Finding> interpret_hosts(const launch::ProgramOutput& output, int ranks);

/// Checks Slurm's commands and controller, and that srun supports PMIx, which connects ranks.
std::vector<Finding> check_slurm();
/// Interprets the output of `sbatch --version`, `scontrol ping` and `srun --mpi=list`, for check_slurm().
std::vector<Finding> interpret_slurm(const launch::ProgramOutput& version, const launch::ProgramOutput& ping,
                                     const launch::ProgramOutput& kinds);

/// Counts the plugins in the search path, and names their folders and the plugins that can't be used.
Finding check_plugins();

/// Checks that runs can write to `folder`, which need not exist yet, and tests its file system: free space, locks,
/// atomic and durable replacement of files, reading of a run file while it is written. Removes its test files.
std::vector<Finding> check_results(const std::filesystem::path& folder);

/// Checks that `folder` (TMPDIR), which mpirun needs, can be written. Removes its test file.
Finding check_temporary(const std::filesystem::path& folder);

/// Reports the type of a file system, and its limits for HDF5 files that are read while they are written. `kind`:
/// `f_type` of statfs().
Finding interpret_file_system(int64_t kind);

/// Reports the HDF5 version this program was built with.
Finding check_hdf5();
/// Looks for h5py, which reads run files in Python, and for a browser.
std::vector<Finding> check_optional();

/// Prints findings as a table with their remedies, or as {"ok": true, "findings": [...]}.
/// Returns the exit code: 0 if nothing is lacking, otherwise 1.
int print_findings(const std::vector<Finding>& findings, bool json, std::ostream& out);

/// Runs all checks and prints the findings to `out`, as JSON if `json`. If srun or mpirun has started several
/// processes, only rank 0 prints. Returns the exit code: 0 if a run would work, otherwise 1.
int doctor(bool json, std::ostream& out);

}  // namespace compeer::app
