#include "worker/call.h"

#include <cstdio>
#include <cstdlib>

#include "base/error.h"

namespace compeer::worker {

namespace {

constexpr char usage[] = R"(usage: compeer-worker RUN_DIR [--resume | --fresh]

One rank of the run that RUN_DIR/spec.json describes. `compeer run` writes that file and starts
the workers; by hand, in the same working directory:

  compeer-worker RUN_DIR                    one rank, no launcher needed
  mpirun -n 2 compeer-worker RUN_DIR        two ranks
  srun --mpi=pmix compeer-worker RUN_DIR    as many as the job has tasks

  --resume    go on from the newest good checkpoint, or begin if there is none
  --fresh     begin anew; a run that was begun here is kept beside, as RUN_DIR~1

Without either, a folder in which a run was begun is left as it is (exit code 4).

  --version   print the version
  --help      print this text

Signals: USR1, USR2, TERM  save a checkpoint after this step, then exit with 85
Exit codes: 0 done, 1 failure, 2 usage, 3 spec, 4 data, 5 plugin, 84 budget spent, 85 stopped (resume me), 86 hung
)";

[[noreturn]] void refuse(const std::string& what, const std::string& help) {
  std::fprintf(stderr, "compeer-worker: %s\n  help: %s\n", what.c_str(), help.c_str());
  std::exit(static_cast<int>(Exit::usage));
}

// "x/" is "x", and "." has a name too.
std::filesystem::path named(const std::filesystem::path& folder) {
  const auto plain = (folder / "").parent_path();
  const bool has_name = plain.filename() != "." && plain.filename() != "..";
  return has_name ? plain : std::filesystem::weakly_canonical(plain);
}

}  // namespace

WorkerCall parse_worker_call(int argc, char** argv) {
  WorkerCall call;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (word == "--version") {
      std::puts("compeer-worker " COMPEER_VERSION);
      std::exit(0);
    } else if (word == "--resume") {
      call.resume = true;
    } else if (word == "--fresh") {
      call.fresh = true;
    } else if (word.size() > 1 && word[0] == '-') {
      refuse("unknown option '" + word + "'", suggest(word, {"--resume", "--fresh", "--version", "--help"}));
    } else if (!call.run.empty()) {
      refuse("more than one run folder: '" + call.run.string() + "' and '" + word + "'", "compeer-worker --help");
    } else {
      call.run = named(word);
    }
  }
  if (call.run.empty()) refuse("no run folder given", "compeer-worker RUN_DIR [--resume | --fresh]");
  if (call.resume && call.fresh)
    refuse("both --resume and --fresh are given", "--resume continues the run, --fresh starts over");
  return call;
}

}  // namespace compeer::worker
