#include "comm/launcher.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"

namespace compeer::comm {
namespace {

// Starts with an environment without a launcher; tests add a launcher's variables.
class Launcher : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMI_FD", "PMIX_NAMESPACE", "PMIX_RANK",
                             "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
      ::unsetenv(name);
    }
  }
  void add(const char* name, const char* value) { ::setenv(name, value, 1); }
};

TEST_F(Launcher, NoneMeansOneRank) { EXPECT_EQ(launched_ranks(), 1); }

TEST_F(Launcher, MpirunSaysHowMany) {
  add("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(launched_ranks(), 4);
}

TEST_F(Launcher, MpirunWithinASlurmStepCounts) {
  add("SLURM_STEP_ID", "0");
  add("SLURM_STEP_NUM_TASKS", "1");
  add("OMPI_COMM_WORLD_SIZE", "2");
  EXPECT_EQ(launched_ranks(), 2);
}

TEST_F(Launcher, SrunWithPmixSaysHowMany) {
  add("SLURM_STEP_ID", "0");
  add("SLURM_STEP_NUM_TASKS", "2");
  add("PMIX_NAMESPACE", "slurm.pmix.1.0");
  EXPECT_EQ(launched_ranks(), 2);
}

TEST_F(Launcher, SrunWithoutPmixIsAnErrorThatSaysWhatToDo) {
  add("SLURM_STEP_ID", "0");
  add("SLURM_STEP_NUM_TASKS", "2");
  try {
    launched_ranks();
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "srun: Slurm started 2 tasks that MPI cannot connect\n  help: start them with: srun --mpi=pmix ...");
    EXPECT_EQ(e.exit(), Exit::usage);
  }
}

TEST_F(Launcher, ABatchScriptIsNoStep) {
  add("SLURM_NTASKS", "4");
  EXPECT_EQ(launched_ranks(), 1);
}

TEST_F(Launcher, ABatchScriptThatForgetsItIsRemarkedOn) {
  EXPECT_EQ(launcher_remark(), "");
  add("SLURM_NTASKS", "4");
  EXPECT_EQ(
      launcher_remark(),
      "Slurm reserved 4 tasks for this job, but this is a single process: start all of them with srun --mpi=pmix");
  add("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(launcher_remark(), "");
}

TEST_F(Launcher, OneThatDoesNotSayLeavesItToMpi) {
  add("PMIX_RANK", "0");
  EXPECT_EQ(launched_ranks(), std::nullopt);
}

}  // namespace
}  // namespace compeer::comm
