#include "launch/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include "base/error.h"

namespace compeer::launch {
namespace {

TEST(AskProgram, GivesOutputAndExitCode) {
  const auto answer = ask_program({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(answer.exit, 7);
  EXPECT_EQ(answer.text, "out\nerr\n");
}

TEST(AskProgram, AddsVariablesThatPrevail) {
  ::setenv("COMPEER_DOCTOR_TEST", "old", 1);
  EXPECT_EQ(ask_program({"sh", "-c", "echo $COMPEER_DOCTOR_TEST"}, {"COMPEER_DOCTOR_TEST=new"}).text, "new\n");
}

TEST(AskProgram, SaysThatAProgramIsNotThere) { EXPECT_EQ(ask_program({"/nonexistent/program"}).exit, 127); }

TEST(AskProgram, EndsOneThatTakesTooLong) { EXPECT_EQ(ask_program({"sleep", "60"}, {}, 0.05).exit, 128 + SIGKILL); }

TEST(AskProgram, SaidByPassesOnWhatAProgramOfOursTells) {
  EXPECT_EQ(said_by("sh", {0, "fine\n"}), "fine\n");
  const auto refused = [](const ProgramOutput& done) {
    try {
      return said_by("sh", done) + " was taken";
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.exit())) + " " + error.what();
    }
  };
  EXPECT_EQ(refused({4, "log\ncompeer: error: folder: holds no tokenizer\n  help: write one\n"}),
            "4 folder: holds no tokenizer\n  help: write one");
  EXPECT_EQ(refused({139, "log"}), "1 sh: ended with exit code 139\n  help: log");
}

TEST(AskProgram, NamesTheSignalThatEndedIt) {
  EXPECT_EQ(ask_program({"sh", "-c", "kill -SEGV $$"}).exit, 128 + SIGSEGV);
}

}  // namespace
}  // namespace compeer::launch
