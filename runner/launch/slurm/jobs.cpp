#include "launch/slurm/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "launch/run_folder.h"
#include "launch/slurm/memory.h"
#include "launch/worker_program.h"
#include "spec/computes.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

fs::path in_full(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

// Where runs will be, in this order: two of one name get folders of their own.
std::vector<fs::path> folders_of(const std::vector<spec::Spec>& specs, const Submission& how,
                                 std::set<fs::path>& promised) {
  std::vector<fs::path> folders;
  for (const auto& spec : specs) {
    const auto folder = RunFolder::look(spec, how.results, promised).first;
    promised.insert(folder);
    folders.push_back(in_full(folder));
  }
  return folders;
}

fs::path script_in(const SubmittedScript& study, const Submission& how, const std::string& name) {
  return in_full(jobs_folder(study, how.results)) / name;
}

std::vector<std::string> study_command(const SubmittedScript& study, const Submission& how) {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(), "run", study.script.string(), "--results",
                                 how.results.string()};
  words.insert(words.end(), study.changes.begin(), study.changes.end());
  return words;
}

// What the job asks of Slurm; of memory, what its runs are estimated to take unless the user says how much.
Allocation allocation_of(Job& job, const std::vector<spec::Spec>& runs, const Submission& how) {
  auto allocation = allocation_for(runs, how.wishes);
  for (const auto& run : runs) {
    const auto computes = spec::computes(run.values);
    if (computes.device != "cuda" || asks_for_gpus(how.wishes)) continue;
    job.remarks.push_back(fmt::format("{}: {}.device is 'cuda', and no GPU is asked for (--sbatch=--gres=gpu:N)",
                                      job.title, computes.table));
    break;
  }
  if (asks_for_memory(how.wishes)) return allocation;
  const auto need = memory_need(runs);
  if (need.mib_per_cpu > 0) {
    allocation.memory = fmt::format("--mem-per-cpu={}M", need.mib_per_cpu);
  } else {
    job.remarks.push_back(fmt::format("{}: no memory is asked for (--mem SIZE), since none could be estimated: {}",
                                      job.title, need.why_unknown));
  }
  return allocation;
}

// What `compeer run` would give a worker to start with.
JobEnvironment with_threads(const Submission& how, const Allocation& allocation) {
  auto around = how.around;
  for (const auto& variable : training_environment(allocation.threads)) around.variables.push_back(variable);
  return around;
}

Job single(const spec::Spec& spec, const Submission& how, std::set<fs::path>& promised) {
  Job job{spec.values.at("name"), {}, {spec}, folders_of({spec}, how, promised), ""};
  job.script = job.folders[0] / "job.sh";
  const auto allocation = allocation_of(job, job.runs, how);
  job.text = run_script(job.title, job.script, job.folders[0], allocation, with_threads(how, allocation));
  return job;
}

Job array(const SubmittedScript& study, const std::string& script, const std::vector<spec::Spec>& specs,
          const Submission& how, std::set<fs::path>& promised) {
  Job job{fmt::format("{} experiments of {}", specs.size(), study.name()),
          script_in(study, how, script),
          specs,
          folders_of(specs, how, promised),
          "",
          {},
          study.file_text()};
  const auto allocation = allocation_of(job, specs, how);
  job.text =
      array_script(study.name(), job.script, job.folders, how.at_once, allocation, with_threads(how, allocation));
  return job;
}

}  // namespace

Job run_job(const spec::Spec& spec, const Submission& how) {
  std::set<fs::path> promised;
  return single(spec, how, promised);
}

std::vector<Job> array_jobs(const SubmittedScript& study, const std::vector<spec::Spec>& specs, const Submission& how) {
  std::map<std::pair<int64_t, int64_t>, std::vector<spec::Spec>> kinds;
  for (const auto& spec : specs) kinds[{spec.values.at("ranks"), spec.values.at("threads")}].push_back(spec);
  std::vector<Job> jobs;
  std::set<fs::path> promised;
  for (const auto& [kind, same] : kinds) {
    const auto script = kinds.size() == 1 ? "array.sh" : fmt::format("array-{}x{}.sh", kind.first, kind.second);
    jobs.push_back(same.size() == 1 ? single(same[0], how, promised) : array(study, script, same, how, promised));
  }
  return jobs;
}

Job study_job(const SubmittedScript& study, const std::vector<spec::Spec>& known, const Submission& how) {
  Job job{study.name(), script_in(study, how, "script.sh"), {}, {}, "", {}, study.file_text()};
  const auto allocation = allocation_of(job, known, how);
  // Its runs get their threads from compeer run.
  job.text = study_script(job.title, job.script, study_command(study, how), allocation, how.around);
  return job;
}

void prepare(const Job& job, const fs::path& results, bool allow_changed) {
  for (size_t i = 0; i < job.runs.size(); ++i) {
    auto folder = RunFolder::claim(job.runs[i], results);
    if (in_full(folder.path()) != job.folders[i]) {
      throw Error(job.folders[i].string(), "was taken by another run just now", "submit it again", Exit::failure);
    }
    const bool resume = folder.state(job.runs[i]) == RunFolder::State::resumable;
    folder.prepare(resume ? folder.continued(job.runs[i], allow_changed) : job.runs[i], resume);
  }
  if (!job.study.empty()) claim_jobs_folder(job.script.parent_path(), job.study);
  std::error_code code;
  write_file(job.script, job.text);
  fs::permissions(job.script, fs::perms::owner_exec, fs::perm_options::add, code);
}

}  // namespace compeer::launch
