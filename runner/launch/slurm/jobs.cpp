// Makes and prepares Slurm jobs for runs and scripts.
#include "launch/slurm/jobs.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/inside.h"
#include "launch/run_folder.h"
#include "launch/slurm/allocation.h"
#include "launch/worker_program.h"
#include "spec/spec.h"

namespace compeer::launch {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* file_name = "study.json";
constexpr uint64_t longest = 1 << 20;

bool job_may_use(const fs::path& folder, const std::string& file_text) {
  std::error_code code;
  if (!fs::exists(folder, code)) return true;
  if (!fs::is_directory(folder, code)) return false;
  if (!fs::exists(folder / file_name, code)) return fs::is_empty(folder, code);
  try {
    return read_plain_file(folder / file_name, longest) == file_text;
  } catch (const Error&) {  // unreadable: belongs to something else
    return false;
  }
}

fs::path in_full(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

// Returns the absolute folders of the runs. Adds them to `promised`, so that two runs with the same name get different
// folders.
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

// Returns the resources for a job, with an estimate of its memory unless the user has given it. Adds remarks to the
// job.
Allocation allocation_of(Job& job, const std::vector<spec::Spec>& runs, const Submission& how) {
  auto allocation = allocation_for(runs, how.slurm);
  for (const auto& run : runs) {
    const auto computes = spec::compute_settings(run.values);
    if (computes.device != "cuda" || asks_for_gpus(how.slurm)) continue;
    job.remarks.push_back(fmt::format("{}: {}.device is 'cuda', but the job requests no GPU (--sbatch=--gres=gpu:N)",
                                      job.title, computes.table));
    break;
  }
  if (asks_for_memory(how.slurm)) return allocation;
  const auto need = memory_need(runs);
  if (need.mib_per_cpu > 0) {
    allocation.memory = fmt::format("--mem-per-cpu={}M", need.mib_per_cpu);
  } else {
    job.remarks.push_back(
        fmt::format("{}: the job requests no memory (--mem SIZE), because it could not be estimated: {}", job.title,
                    need.why_unknown));
  }
  return allocation;
}

// Returns the job's environment with the variables that `compeer run` sets for workers.
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

// Returns why other hosts can't read a file, or "".
std::string unseen(const fs::path& file) {
  struct statfs system = {};
  if (::statfs(file.c_str(), &system) != 0) return "";
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) return "is in this host's memory";
  for (const char* folder : {"/tmp", "/var/tmp"}) {
    if (is_inside_resolved(folder, file)) return fmt::format("is in {}, which is local to each host", folder);
  }
  return "";
}

// Returns the nearest existing ancestor of a folder that may not exist yet.
fs::path existing(fs::path folder) {
  std::error_code code;
  while (folder.has_relative_path() && !fs::exists(folder, code)) folder = folder.parent_path();
  return folder;
}

bool same_file_system(const fs::path& a, const fs::path& b) {
  struct stat of_a = {}, of_b = {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

}  // namespace

std::string SubmittedScript::file_text() const {
  const ordered_json all = {{"script", script.string()}, {"changes", changes}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

fs::path jobs_folder(const SubmittedScript& study, const fs::path& results) {
  const auto stem = study.script.stem().string(), text = study.file_text();
  const auto first = results / (stem + ".jobs");
  return job_may_use(first, text) ? first : results / fmt::format("{}-{}.jobs", stem, sha256(text).substr(0, 8));
}

void claim_jobs_folder(const fs::path& folder, const std::string& file_text) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(folder.string(), "can't be created: " + code.message(), "", Exit::failure);
  if (!job_may_use(folder, file_text))
    throw Error(folder.string(), "is not the folder of this script", "submit the script again, or use --results",
                Exit::failure);
  write_file(folder / file_name, file_text);
}

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
  // No thread variables: `compeer run` sets them for its runs.
  job.text = study_script(job.title, job.script, study_command(study, how), allocation, how.around);
  return job;
}

void prepare(const Job& job, const fs::path& results, bool allow_changed) {
  for (size_t i = 0; i < job.runs.size(); ++i) {
    auto folder = RunFolder::claim(job.runs[i], results);
    if (in_full(folder.path()) != job.folders[i]) {
      throw Error(job.folders[i].string(), "has just been taken by another run", "submit it again", Exit::failure);
    }
    const bool resume = folder.state(job.runs[i]) == RunFolder::State::resumable;
    folder.prepare(resume ? folder.continued(job.runs[i], allow_changed) : job.runs[i], resume);
  }
  if (!job.study.empty()) claim_jobs_folder(job.script.parent_path(), job.study);
  std::error_code code;
  write_file(job.script, job.text);
  fs::permissions(job.script, fs::perms::owner_exec, fs::perm_options::add, code);
}

std::string absolute_allow_lists(const std::vector<fs::path>& lists) {
  std::string text;
  for (const auto& list : lists) text += (text.empty() ? "" : ":") + in_full(list).string();
  return text;
}

void check_shared_lists(const std::vector<fs::path>& lists, const fs::path& results) {
  for (const auto& list : lists) {
    const auto file = fs::weakly_canonical(in_full(list));
    const auto why = unseen(file);
    if (why.empty() || same_file_system(file, existing(in_full(results)))) continue;
    throw Error(list.string(), "plugin allow list can't be read by other hosts: it " + why,
                "move the file to the results folder or another folder that all hosts share", Exit::usage);
  }
}

}  // namespace compeer::launch
