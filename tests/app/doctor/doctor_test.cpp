#include "app/doctor/doctor.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"

namespace compeer::app {
namespace {

namespace fs = std::filesystem;

class Doctor : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "compeer-doctor-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path script(const std::string& name, const std::string& body) {
    write_file(folder_ / name, "#!/bin/sh\n" + body);
    ::chmod((folder_ / name).c_str(), 0755);
    return folder_ / name;
  }

  fs::path folder_;
};

std::string text(const std::vector<Finding>& findings, bool json = false) {
  std::ostringstream out;
  print_findings(findings, json, out);
  return out.str();
}

TEST_F(Doctor, TableNamesWhatIsLackingWithItsRemedy) {
  const std::vector<Finding> findings = {{"processor", Finding::good, "AVX2, FMA", ""},
                                         {"mpirun", Finding::lacking, "not found", "apt-get install openmpi-bin"},
                                         {"h5py", Finding::remark, "not there", ""}};
  EXPECT_EQ(text(findings),
            "ok       processor  AVX2, FMA\n"
            "lacking  mpirun     not found\n"
            "                    help: apt-get install openmpi-bin\n"
            "note     h5py       not there\n"
            "1 thing is lacking.\n");
}

TEST_F(Doctor, ExitCodeIsOneOnlyIfSomethingIsLacking) {
  std::ostringstream out;
  EXPECT_EQ(print_findings({{"a", Finding::good, "", ""}, {"b", Finding::remark, "", ""}}, false, out), 0);
  EXPECT_EQ(print_findings({{"a", Finding::lacking, "", ""}}, false, out), 1);
}

TEST_F(Doctor, JsonHoldsTheSameFindings) {
  const auto all = nlohmann::json::parse(text({{"a", Finding::lacking, "gone", "fetch it"}, {"b", {}, "x", ""}}, true));
  EXPECT_EQ(all, nlohmann::json::parse(R"({"ok": false, "findings": [
      {"name": "a", "state": "lacking", "what": "gone", "remedy": "fetch it"}, {"name": "b", "state": "ok", "what": "x"}]})"));
}

TEST_F(Doctor, JsonSurvivesAPathThatIsNotUtf8) {
  const auto all = nlohmann::json::parse(text({{"results", Finding::good, "/tmp/\xff", ""}}, true));
  EXPECT_EQ(all.at("findings").at(0).at("what"), "/tmp/\uFFFD");
}

TEST_F(Doctor, ProcessorNeedsAvx2AndFma) {
  EXPECT_EQ(check_processor({true, true, true}).result, "AVX2, FMA, AVX-512");
  EXPECT_EQ(check_processor({true, true, false}).state, Finding::good);
  const auto old = check_processor({false, false, false});
  EXPECT_EQ(old.state, Finding::lacking);
  EXPECT_EQ(old.result, "no AVX2, FMA");
  EXPECT_EQ(check_processor({true, false, false}).result, "no FMA");
}

TEST_F(Doctor, CoresAreThoseThisProcessMayUse) {
  const Machine two{{4, 5}, 0, 8ull << 30, 6ull << 30, ""};
  EXPECT_EQ(check_machine(two, 2)[0].result, "2 (4-5)");
  EXPECT_EQ(check_machine(two, 64)[0].result, "2 of 64 (4-5)");
  const auto limited = check_machine({{0, 1, 2, 3}, 2.5, 8ull << 30, 6ull << 30, ""}, 4)[0];
  EXPECT_EQ(limited.state, Finding::remark);
  EXPECT_EQ(limited.result, "4 (0-3), but limited to the time of 2.5");
  EXPECT_EQ(limited.remedy,
            "ranks x threads of a run should be at most 2; the control group sets the limit (docker --cpus, the batch "
            "system)");
}

TEST_F(Doctor, LittleMemoryIsARemark) {
  const auto enough = check_machine({{0}, 0, 8ull << 30, 6ull << 30, ""}, 1)[1];
  EXPECT_EQ(enough.result, "8.0 GiB, 6.0 GiB free");
  EXPECT_EQ(enough.state, Finding::good);
  const auto job = check_machine({{0}, 0, 1ull << 30, 1ull << 29, "/sys/fs/cgroup/job_17"}, 1)[1];
  EXPECT_EQ(job.state, Finding::remark);
  EXPECT_EQ(job.result, "1.0 GiB, 0.5 GiB free, the limit of /sys/fs/cgroup/job_17");
  EXPECT_EQ(check_machine({{0}, 0, 8ull << 30, 1ull << 29, ""}, 1)[1].remedy,
            "little memory is free; a rank of a small model takes 0.3 GiB");
}

TEST_F(Doctor, LowLimitsAreRemarks) {
  const auto fine = check_limits(4096, 8ull << 30);
  EXPECT_EQ(fine[0].result, "4096 at most");
  EXPECT_EQ(fine[1].result, "8192 MiB free in /dev/shm");
  const auto low = check_limits(256, 1 << 20);
  EXPECT_EQ(low[0].remedy, "many ranks on a host, and many runs at once, need more: ulimit -n 4096");
  EXPECT_EQ(low[1].state, Finding::remark);
}

TEST_F(Doctor, LimitsOfMemoryAndFilesAreRemarksWhereTheyAreSet) {
  EXPECT_TRUE(check_sizes(UINT64_MAX, UINT64_MAX).empty());
  const auto set = check_sizes(4ull << 30, 1ull << 29);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].state, Finding::remark);
  EXPECT_EQ(set[0].result, "4.0 GiB at most");
  EXPECT_EQ(set[0].remedy, "libraries reserve far more than they use: ulimit -v unlimited");
  EXPECT_EQ(set[1].result, "0.5 GiB at most");
  EXPECT_EQ(set[1].remedy, "a larger checkpoint or run.h5 ends the run: ulimit -f unlimited");
}

TEST_F(Doctor, ATemporaryFolderThatCanNotBeWrittenIsARemark) {
  EXPECT_EQ(check_temporary(folder_).state, Finding::good);
  EXPECT_TRUE(fs::is_empty(folder_));
  const auto absent = check_temporary(folder_ / "absent");
  EXPECT_EQ(absent.state, Finding::remark);
  EXPECT_EQ(absent.result, (folder_ / "absent").string() + " can't be written: No such file or directory");
  EXPECT_EQ(absent.remedy, "mpirun needs it: set TMPDIR to a folder that can be written");
}

TEST_F(Doctor, AGpuIsSeenWithTheCommandThatTestsIt) {
  EXPECT_EQ(check_device(folder_).result, "CPU; no driver of an NVIDIA GPU found");
  fs::create_directories(folder_ / "dev");
  write_file(folder_ / "dev/kfd", "");
  EXPECT_EQ(check_device(folder_).result, "CPU; there is an AMD GPU, which compeer does not use");
  write_file(folder_ / "dev/nvidiactl", "");
  EXPECT_EQ(check_device(folder_).result, "CPU, and an NVIDIA GPU");
  EXPECT_EQ(check_device(folder_).remedy, "compeer doctor --device cuda tests the GPU");
}

TEST_F(Doctor, RanksThatMeetSayWhatTheyAreMadeOf) {
  const auto met = interpret_ranks(
      {0, "a remark of mpirun\n{\"torch\":\"2.11.0\",\"blas\":\"mkl\",\"mpi\":\"Open MPI v4.1.4\",\"ranks\":2}\n"});
  EXPECT_EQ(met[0].result, "Open MPI v4.1.4, two ranks can communicate");
  EXPECT_EQ(met[1].result, "mkl");
  EXPECT_EQ(met[1].state, Finding::good);
}

TEST_F(Doctor, RanksThatDoNotMeetAreLacking) {
  const auto apart = interpret_ranks({1, "-----\n\nThere are not enough slots available\n-----\n"});
  ASSERT_EQ(apart.size(), 1u);
  EXPECT_EQ(apart[0].state, Finding::lacking);
  EXPECT_EQ(apart[0].result, "two ranks can't communicate (exit 1): There are not enough slots available");
  // Two worlds of one rank, as started by the launcher of another MPI.
  EXPECT_EQ(interpret_ranks({0, "{\"ranks\":1}\n{\"ranks\":1}\n"})[0].state, Finding::lacking);
  EXPECT_EQ(interpret_ranks({137, ""})[0].result, "two ranks can't communicate (exit 137): without output");
}

// Returns the findings about two hosts, with `changes` applied to the report of the second rank.
std::vector<Finding> between_hosts(const nlohmann::json& changes, const std::string& problem = "") {
  nlohmann::json hosts = nlohmann::json::parse(R"([
    {"host": "n1", "program": "aa", "torch": "2.11.0", "mpi": "Open MPI v4.1.4", "findings": [["memory", 1, "little", ""]],
     "clock": 0.0, "reads": true, "locked_out": true, "seen": true},
    {"host": "n2", "program": "aa", "torch": "2.11.0", "mpi": "Open MPI v4.1.4", "findings": [["cores", 0, "2", ""]],
     "clock": -0.25, "reads": true, "locked_out": true, "seen": true}])");
  if (!changes.is_null()) hosts[1].update(changes);
  const nlohmann::json told = {{"hosts", hosts}, {"seconds", 0.5}, {"folder", "/home/ada"}, {"problem", problem}};
  return interpret_hosts({0, "{\"testing\":\"messages\"}\n" + told.dump() + "\n"}, 2);
}

TEST_F(Doctor, HostsThatAgreeAreFine) {
  EXPECT_EQ(text(between_hosts({})),
            "ok       MPI between hosts  2 ranks on n1, n2 (Open MPI v4.1.4); 4 MiB from each take 0.500 s\n"
            "ok       versions           all hosts have the same worker, libtorch and MPI\n"
            "ok       clocks             differ by at most 0.250 s\n"
            "ok       shared folder      /home/ada\n"
            "ok       shared locks       a lock excludes other hosts\n"
            "Everything that a run needs was found.\n");
}

TEST_F(Doctor, HostsThatDifferAreNamed) {
  const auto all = between_hosts({{"program", "bb"},
                                  {"clock", 3.25},
                                  {"locked_out", false},
                                  {"findings", {{"TMPDIR", 1, "can't be written", "set it"}}}});
  EXPECT_EQ(all[0].name + ": " + all[0].result, "n2: TMPDIR: can't be written");
  EXPECT_EQ(all[2].result, "n2 has a different compeer-worker than n1");
  EXPECT_EQ(all[2].state, Finding::lacking);
  EXPECT_EQ(all[3].result, "n2 is 3.2 s ahead of n1");
  EXPECT_EQ(all[3].state, Finding::remark);
  EXPECT_EQ(all[5].result, "n2 ignores a lock of another host");
  EXPECT_EQ(between_hosts({{"mpi", "Open MPI v5.0.0"}})[1].result,
            "n2 has a different MPI: Open MPI v5.0.0, not Open MPI v4.1.4");
  EXPECT_EQ(between_hosts({{"host", "n1"}})[0].remedy,
            "all ranks are on one host: srun --mpi=pmix --nodes=2 --ntasks-per-node=1 compeer doctor");
}

TEST_F(Doctor, AFolderThatIsNotSharedIsLacking) {
  EXPECT_EQ(between_hosts({{"reads", false}})[3].result, "n2 can't see a file that n1 writes in /home/ada");
  EXPECT_EQ(between_hosts({{"reads", false}, {"problem", "No space left"}})[3].result,
            "n2 can't write in /home/ada: No space left");
  EXPECT_EQ(between_hosts({{"seen", false}})[3].result, "n2 writes a file in /home/ada that n1 can't see");
  EXPECT_EQ(between_hosts({{"problem", "Permission denied"}})[3].result,
            "n2 can't write in /home/ada: Permission denied");
  EXPECT_EQ(between_hosts({}, "Read-only file system")[3].result,
            "nothing can be written in /home/ada: Read-only file system");
  EXPECT_EQ(between_hosts({{"reads", false}})[3].state, Finding::lacking);
}

TEST_F(Doctor, HostsThatDoNotMeetSayHowFarTheyCame) {
  const auto what = [](const launch::ProgramOutput& said) { return interpret_hosts(said, 2)[0].result; };
  EXPECT_EQ(what({2, "compeer: error: srun: Slurm started 2 tasks that MPI cannot connect\n  help: ...\n"}),
            "2 ranks can't communicate (exit 2): compeer: error: srun: Slurm started 2 tasks that MPI cannot connect");
  EXPECT_EQ(what({137, "{\"testing\":\"messages\"}\n"}),
            "2 ranks can communicate, but fail the test of messages (exit 137)");
  EXPECT_EQ(what({137, ""}), "2 ranks can't communicate (exit 137): without output");
}

TEST_F(Doctor, KnowsWhetherItWasStartedAsOneOfSeveral) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                           "SLURM_STEP_ID", "SLURM_JOB_NUM_NODES"})
    ::unsetenv(name);
  EXPECT_FALSE(launched_task());
  EXPECT_EQ(nodes_of_job(), 1);
  ::setenv("SLURM_JOB_NUM_NODES", "2", 1);
  EXPECT_EQ(nodes_of_job(), 2) << "a batch script";
  ::setenv("SLURM_STEP_ID", "4294967290", 1);
  EXPECT_EQ(nodes_of_job(), 2) << "the shell of salloc";
  ::setenv("SLURM_STEP_ID", "0", 1), ::setenv("SLURM_STEP_NUM_TASKS", "2", 1), ::setenv("SLURM_PROCID", "1", 1);
  EXPECT_EQ(nodes_of_job(), 1);
  EXPECT_EQ(launched_task().value().rank, 1);
  ::setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_FALSE(launched_task());
  ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1), ::setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  EXPECT_EQ(launched_task().value().size, 4);
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                           "SLURM_STEP_ID", "SLURM_JOB_NUM_NODES"})
    ::unsetenv(name);
}

TEST_F(Doctor, SlurmIsOptional) {
  const auto none = interpret_slurm({127, ""}, {}, {});
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].state, Finding::remark);
  EXPECT_EQ(none[0].result, "not found (optional)");
  EXPECT_EQ(interpret_slurm({1, "sbatch: fatal: Could not establish a configuration source\n"}, {}, {})[0].result,
            "sbatch doesn't work here: sbatch: fatal: Could not establish a configuration source");
}

TEST_F(Doctor, SlurmMayBeSilentOrLackPmix) {
  const launch::ProgramOutput version{0, "slurm-wlm 22.05.8\n"}, up{0, "Slurmctld(primary) at node1 is UP\n"};
  const auto fine = interpret_slurm(version, up, {0, "MPI plugin types are...\n\tnone\n\tpmix\n"});
  EXPECT_EQ(fine[0].result + ", " + fine[1].result, "slurm-wlm 22.05.8, srun --mpi=pmix");
  EXPECT_EQ(interpret_slurm(version, {0, "Slurmctld(primary) at node1 is DOWN\n"}, {})[0].result,
            "slurm-wlm 22.05.8, its controller doesn't answer: Slurmctld(primary) at node1 is DOWN");
  const auto without = interpret_slurm(version, up, {0, "MPI plugin types are...\n\tnone\n\tpmi2\n"});
  EXPECT_EQ(without[1].state, Finding::remark);
  EXPECT_EQ(without[1].result, "not supported by srun");
}

TEST_F(Doctor, TriesOutWhereResultsWillLieAndLeavesNothing) {
  const auto findings = check_results(folder_ / "results");
  ASSERT_EQ(findings.size(), 6u);
  EXPECT_EQ(findings[3].result, "files can be locked");
  EXPECT_EQ(findings[4].name, "fsync");
  EXPECT_EQ(findings[4].state, Finding::good);
  EXPECT_EQ(findings[5].result, "run.h5 can be read while it is written");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Doctor, AbsentWorkerIsLacking) {
  const auto findings = check_worker(folder_ / "compeer-worker");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].state, Finding::lacking);
  EXPECT_EQ(findings[0].result, "no " + (folder_ / "compeer-worker").string());
}

TEST_F(Doctor, WorkerThatDoesNotStartIsLackingWithItsOwnWords) {
  const auto findings = check_worker(script("worker", "echo error while loading shared libraries >&2; exit 127\n"));
  EXPECT_EQ(findings[0].state, Finding::lacking);
  EXPECT_EQ(findings[0].result, (folder_ / "worker").string() +
                                    " --version failed with exit code 127: error while loading shared libraries");
}

TEST_F(Doctor, VersionOfTheWorkerIsFoundBehindWhatLibrariesSay) {
  const auto said = "echo; echo 'libgomp: Invalid value for environment variable OMP_NUM_THREADS: abc'; ";
  const auto fine = check_worker(script("worker", said + std::string("echo compeer-worker 1.2.3\n")));
  EXPECT_EQ(fine[0].result, "compeer-worker 1.2.3, " + (folder_ / "worker").string());
  const auto broken = check_worker(script("worker", "echo; echo out of memory; exit 1\n"));
  EXPECT_EQ(broken[0].result, (folder_ / "worker").string() + " --version failed with exit code 1: out of memory");
}

TEST_F(Doctor, LibrariesOfAWorkerThatStartsAreLookedAt) {
  const auto findings = check_worker(script("worker", "echo compeer-worker 1.2.3\n"));
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].result, "compeer-worker 1.2.3, " + (folder_ / "worker").string());
  EXPECT_EQ(findings[1].result, "compeer-worker does not load it");  // the fake worker is a script
}

TEST_F(Doctor, LibraryTheLoaderDoesNotFindIsNamed) {
  const auto finding = interpret_libraries("\tlibm.so.6 => /lib/libm.so.6 (0x00007f)\n\tlibc10.so => not found\n");
  EXPECT_EQ(finding.state, Finding::lacking);
  EXPECT_EQ(finding.result, "libc10.so, which compeer-worker needs, is not found");
}

TEST_F(Doctor, LibtorchIsShownWithVersionAndPlace) {
  fs::create_directories(folder_ / "torch/lib");
  write_file(folder_ / "torch/version.py", "__version__ = '2.11.0+cu130'\n");
  const auto library = (folder_ / "torch/lib/libtorch_cpu.so").string();
  const auto finding = interpret_libraries("\tlibtorch_cpu.so => /" + library + " (0x00007f)\n");
  EXPECT_EQ(finding.state, Finding::good);
  EXPECT_EQ(finding.result, "2.11.0 (CPU only), " + library);
  write_file(folder_ / "torch/lib/libtorch_cuda.so", "");
  EXPECT_EQ(interpret_libraries("\tlibtorch_cpu.so => " + library + " (0x00007f)\n").result,
            "2.11.0+cu130, " + library);
}

TEST_F(Doctor, AbsentLauncherIsLacking) {
  const auto finding = check_launcher((folder_ / "mpirun").string(), 1000);
  EXPECT_EQ(finding.state, Finding::lacking);
  EXPECT_EQ(finding.remedy, "apt-get install openmpi-bin");
}

TEST_F(Doctor, RootIsToldOfOpenMpisTwoVariables) {
  const auto mpirun = script("mpirun", "echo 'mpirun (Open MPI) 4.1.4'\n").string();
  EXPECT_EQ(check_launcher(mpirun, 1000).result, "mpirun (Open MPI) 4.1.4");
  EXPECT_EQ(check_launcher(mpirun, 1000).remedy, "");
  EXPECT_NE(check_launcher(mpirun, 0).remedy.find("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"), std::string::npos);
}

TEST_F(Doctor, LauncherOfAnotherMpiIsARemark) {
  EXPECT_EQ(check_launcher(script("mpirun", "echo 'HYDRA build details'\n").string(), 1000).state, Finding::remark);
}

TEST_F(Doctor, ResultsFolderNeedNotExistYet) {
  EXPECT_EQ(check_results(folder_ / "a/b")[0].state, Finding::good);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(Doctor, ResultsBelowAFileCanNotBeWritten) {
  write_file(folder_ / "a", "");
  EXPECT_EQ(check_results(folder_ / "a/b")[0].state, Finding::lacking);
}

TEST_F(Doctor, FileSystemsThatLiveReadersCanNotTrustAreNamed) {
  EXPECT_EQ(interpret_file_system(0xEF53).state, Finding::good);
  EXPECT_EQ(interpret_file_system(0xEF53).result, "ext4");
  EXPECT_EQ(interpret_file_system(0x6969).result, "NFS");
  EXPECT_NE(interpret_file_system(0x6969).remedy.find("SWMR"), std::string::npos);
  EXPECT_NE(interpret_file_system(0x0BD00BD0).remedy.find("HDF5_USE_FILE_LOCKING=FALSE"), std::string::npos);
  EXPECT_EQ(interpret_file_system(static_cast<int32_t>(0xFF534D42)).result,
            "CIFS");  // f_type is signed on some machines
  EXPECT_EQ(interpret_file_system(0x1234).result, "kind 0x1234");
}

TEST_F(Doctor, PluginsAreCountedWhereTheyAre) {
  ::setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
  ::setenv("COMPEER_PLUGIN_PATH", (folder_ / "mine").c_str(), 1);
  fs::create_directories(folder_ / "mine/rewards");
  write_file(folder_ / "mine/rewards/broken.so", "not a library");
  const auto finding = check_plugins();  // also finds plugins that were built with this test
  EXPECT_NE((finding.result + finding.remedy).find((folder_ / "mine").string()), std::string::npos);
}

TEST_F(Doctor, Hdf5HasAVersion) { EXPECT_EQ(check_hdf5().result.substr(0, 2), "1."); }

}  // namespace
}  // namespace compeer::app
