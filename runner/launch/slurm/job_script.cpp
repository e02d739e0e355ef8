// Texts of batch scripts for Slurm.
#include "launch/slurm/job_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "spec/text.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr size_t longest_path = 4096;

// Returns the first lines: what the script does, and how to submit it by hand.
std::string head(const std::string& what, const fs::path& script, const JobEnvironment& around) {
  // -l, because many sites define `module` for login shells only.
  const char* shell = around.modules.empty() ? "#!/bin/bash" : "#!/bin/bash -l";
  return fmt::format("{}\n# {} Written by compeer submit; by hand: sbatch {}\n", shell, what,
                     spec::printable(shell_word(script.string()), longest_path));
}

std::string directives(const std::string& name, const fs::path& output, const Allocation& allocation,
                       const std::string& signal) {
  std::string lines = directive("--job-name=" + name);
  const auto count = [&](const char* option, int64_t value) {
    if (value > 0) lines += directive(fmt::format("--{}={}", option, value));
  };
  const auto text = [&](const char* option, const std::string& value) {
    if (!value.empty()) lines += directive(fmt::format("--{}={}", option, value));
  };
  count("nodes", allocation.nodes);
  count("ntasks", allocation.tasks);
  count("ntasks-per-node", allocation.tasks_per_node);
  count("cpus-per-task", allocation.threads);
  if (!allocation.memory.empty()) lines += directive(allocation.memory);
  text("time", allocation.time);
  text("partition", allocation.partition);
  text("account", allocation.account);
  lines += directive(fmt::format("--signal={}@{}", signal, allocation.signal));
  lines += directive("--requeue") + directive("--open-mode=append");
  lines += directive("--output=" + output.string());
  for (const auto& option : allocation.more) lines += directive(option);
  return lines;
}

std::string environment(const JobEnvironment& around) {
  std::string lines = fmt::format("\ncd {} || exit 1\n", shell_word(around.folder.string()));
  for (const auto& module : around.modules) lines += fmt::format("module load {}\n", shell_word(module));
  for (const auto& line : around.before) lines += line + "\n";
  for (const auto& variable : around.variables) {
    const auto equals = variable.find('=');
    lines += fmt::format("export {}={}\n", variable.substr(0, equals), shell_word(variable.substr(equals + 1)));
  }
  return lines;
}

// Takes the lock that all writers of the run's folder take. Only a held lock gives exit code 75; on a file system
// without locks the script continues.
constexpr const char* hold_folder = R"sh(
# Only one job or process may use the run's folder at a time.
exec 9>>"$run/.lock"
flock --timeout 5 --conflict-exit-code 75 9
if [ $? -eq 75 ]; then
  echo "compeer: $run is in use by: $(cat "$run/.lock")" >&2
  exit 1
fi
echo "$$ $(hostname)" >"$run/.lock"
)sh";

// Starts the worker with the job's numbers of tasks and CPUs, which the user may have changed in the script or by
// options of sbatch. srun inherits the memory.
std::string step(const Allocation& allocation, const JobEnvironment& around) {
  return fmt::format(R"sh(
# Slurm sends TERM when it ends the job: after scancel, the time limit, preemption or the failure of a node.
terminated=
trap 'terminated=yes' TERM
begun=$(stat --format %s "$run/log.txt")
srun --mpi={} --export=ALL --kill-on-bad-exit=1 --ntasks="${{SLURM_NTASKS:-{}}}" \
  --cpus-per-task="${{SLURM_CPUS_PER_TASK:-{}}}" {} "$run" --resume
code=$?
# srun may exit with 0 although no task could be launched.
if [ "$code" -eq 0 ] && ! grep -qs '"state":"finished"' "$run/status.json"; then code=1; fi
)sh",
                     shell_word(around.mpi), allocation.tasks, allocation.threads, shell_word(around.worker.string()));
}

// The end of the script: records how the run ended, or requeues the job.
constexpr const char* ending = R"sh(
# leave STATE: writes how the job ended into status.json and, unless a rank did, into error.json.
leave() {
  how="exit code $code"
  if [ "$code" -gt 128 ]; then how="signal $((code - 128)) ($(kill -l $((code - 128))))"; fi
  [ -e "$run/error.json" ] ||
    printf '{"rank":0,"host":"%s","phase":"","plugin":null,"where":"","what":"%s","help":"%s","exit":%d}\n' \
      "$(hostname)" "job $job of Slurm ended with $how${reason:+: $reason}" \
      "submit the job again to continue the run" "$code" >"$run/error.json"
  [ ! -e "$run/status.json" ] || sed -i "s/\"state\":\"[a-z]*\"/\"state\":\"$1\"/" "$run/status.json"
}
reason=$(tail -c "+$((begun + 1))" "$run/log.txt" | grep -aEom 1 \
  'CANCELLED AT [A-Z0-9:-]+( DUE TO [A-Z ]*[A-Z])?|oom[-_]kill|Out Of Memory')
# 85: the time limit or preemption; a checkpoint was written, and the requeued job resumes from it.
# 138: USR1 before the task had installed its signal handler; nothing is lost.
case "$terminated:$code:$reason" in
  *:0:*) ;;
  :85:* | :138:*) scontrol requeue "$job" ;;
  yes:*PREEMPTION | yes:*FAILURE) ;; # Slurm itself queues the job again
  yes:*"DUE TO"*) leave failed ;;
  yes:*) leave cancelled ;;
  *) leave failed ;;
esac
exit "$code"
)sh";

// An array's last task has the array's id as its SLURM_JOB_ID, so tasks are named by array id and index.
constexpr const char* job_line = "job=$SLURM_JOB_ID\n";
constexpr const char* task_number = "job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n";

bool plain(const std::string& text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  return !text.empty() && text.find_first_not_of(harmless) == std::string::npos;
}

}  // namespace

std::string run_script(const std::string& name, const fs::path& script, const fs::path& run,
                       const Allocation& allocation, const JobEnvironment& around) {
  return head(fmt::format("Runs {} under Slurm.", name), script, around) +
         directives(name, output_path(run / "log.txt"), allocation, "USR1") + environment(around) +
         fmt::format("run={}\n", shell_word(run.string())) + job_line + hold_folder + step(allocation, around) + ending;
}

std::string array_script(const std::string& name, const fs::path& script, const std::vector<fs::path>& runs,
                         int64_t at_once, const Allocation& allocation, const JobEnvironment& around) {
  auto array = fmt::format("--array=0-{}", runs.size() - 1);
  if (at_once > 0) array += fmt::format("%{}", at_once);
  std::string list = "runs=(\n";
  for (const auto& run : runs) list += fmt::format("  {}\n", shell_word(run.string()));
  const auto output = output_path(script.parent_path()) + "/%A_%a.txt";
  return head(fmt::format("Runs {} experiments of {} under Slurm, one per task of a job array.", runs.size(),
                          spec::printable(name)),
              script, around) +
         directives(name, output, allocation, "USR1") + directive(array) + environment(around) + list +
         ")\nrun=${runs[$SLURM_ARRAY_TASK_ID]}\n" + task_number + "exec >>\"$run/log.txt\" 2>&1\n" + hold_folder +
         step(allocation, around) + ending;
}

std::string study_script(const std::string& name, const fs::path& script, const std::vector<std::string>& command,
                         const Allocation& allocation, const JobEnvironment& around) {
  std::string words;
  for (const auto& word : command) words += shell_word(word) + " ";
  return head(fmt::format("Runs the script {} within one allocation, a Slurm step for each of its runs.",
                          spec::printable(name)),
              script, around) +
         directives(name, output_path(script.parent_path()) + "/log.txt", allocation, "B:USR1") + environment(around) +
         fmt::format("export COMPEER_LAUNCHER=srun SLURM_MPI_TYPE={}\n\n", shell_word(around.mpi)) + words + "&\n" +
         R"(compeer=$!

# At the time limit Slurm signals this shell, which signals compeer: the run in progress saves a checkpoint.
trap 'asked=yes; trap "" USR1; kill -TERM "$compeer"' USR1
asked=yes
while [ "$asked" ]; do
  asked=
  wait "$compeer" # returns early if the signal arrives
  code=$?
done

# 85: the time limit or preemption; a checkpoint was written, and the requeued job resumes from it.
# 138: USR1 before the task had installed its signal handler; nothing is lost.
case "$code" in 85 | 138) scontrol requeue "$SLURM_JOB_ID" ;; esac
exit "$code"
)";
}

std::string shell_word(const std::string& text) {
  if (plain(text)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string directive(const std::string& option) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(option.begin(), option.end(), is_control)) {
    throw Error(spec::printable(option), "contains a control character, which a batch script can't contain",
                "rename the file or folder", Exit::usage);
  }
  if (plain(option)) return "#SBATCH " + option + "\n";
  std::string line = "#SBATCH \"";
  for (const char c : option) line += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return line + "\"\n";
}

std::string output_path(const std::string& path) {
  if (path.find('\\') != std::string::npos) {
    throw Error(path, "contains a backslash, which Slurm reads as an escape in the path of a job's output",
                "choose another folder with --results DIR", Exit::usage);
  }
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

}  // namespace compeer::launch
