// compeer doctor: runs all checks and prints their findings.
#include "app/doctor/doctor.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands.h"
#include "launch/worker_program.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

const char* word(Finding::State state) {
  return state == Finding::good ? "ok" : state == Finding::remark ? "note" : "lacking";
}

void print_findings_table(const std::vector<Finding>& findings, size_t lacking, std::ostream& out) {
  size_t width = 0;
  for (const auto& finding : findings) width = std::max(width, finding.name.size());
  for (const auto& finding : findings) {
    out << fmt::format("{:8} {:{}}  {}\n", word(finding.state), finding.name, width, finding.result);
    if (!finding.remedy.empty()) out << fmt::format("{:8} {:{}}  help: {}\n", "", "", width, finding.remedy);
  }
  if (lacking == 0) out << "Everything that a run needs was found.\n";
  if (lacking == 1) out << "1 thing is lacking.\n";
  if (lacking > 1) out << lacking << " things are lacking.\n";
}

void print_findings_json(const std::vector<Finding>& findings, size_t lacking, std::ostream& out) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& finding : findings) {
    nlohmann::ordered_json one = {{"name", finding.name}, {"state", word(finding.state)}, {"what", finding.result}};
    if (!finding.remedy.empty()) one["remedy"] = finding.remedy;
    list.push_back(std::move(one));
  }
  const nlohmann::ordered_json all = {{"ok", lacking == 0}, {"findings", std::move(list)}};
  out << all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

uint64_t limit_of(decltype(RLIMIT_AS) resource, uint64_t unknown) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : unknown;
}

fs::path temporary() {
  const char* named = std::getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

uint64_t shared_memory() {
  struct statvfs room {};
  return ::statvfs("/dev/shm", &room) == 0 ? room.f_bavail * room.f_frsize : 0;
}

}  // namespace

int print_findings(const std::vector<Finding>& findings, bool json, std::ostream& out) {
  const auto lacking = static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.state == Finding::lacking; }));
  (json ? print_findings_json : print_findings_table)(findings, lacking, out);
  return lacking == 0 ? 0 : 1;
}

int doctor(bool json, std::ostream& out) {
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> more) { findings.insert(findings.end(), more.begin(), more.end()); };
  std::error_code none;
  const auto programs = fs::read_symlink("/proc/self/exe", none).parent_path();
  add({check_processor(this_processor())});
  add(check_machine(this_machine(), static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)))));
  add(check_limits(limit_of(RLIMIT_NOFILE, 0), shared_memory()));
  add(check_sizes(limit_of(RLIMIT_AS, UINT64_MAX), limit_of(RLIMIT_FSIZE, UINT64_MAX)));
  add({check_device("/")});
  const auto worker = check_worker(programs / "compeer-worker");
  const auto launcher = check_launcher("mpirun", ::geteuid());
  const auto fine = [](const Finding& one) { return one.state != Finding::lacking; };
  const bool works = std::all_of(worker.begin(), worker.end(), fine);
  const auto task = launched_task();  // inside a job step mpirun would hang: the step already holds the nodes
  const auto results = fs::absolute("results");
  add(worker);
  add({launcher});
  if (!task && fine(launcher) && works) add(check_ranks(programs / "compeer-worker"));
  if (const int nodes = task ? 1 : nodes_of_job(); nodes > 1 && works)
    add(interpret_hosts(run_host_tests(programs / "compeer-worker", nodes, results, {}), nodes));
  add(check_slurm());
  add({check_plugins()});
  add(check_results(results));
  add({check_temporary(temporary())});
  add({check_hdf5()});
  add(check_optional());
  if (task) {
    const auto said = run_host_tests(programs / "compeer-worker", 1, results, findings);
    if (task->rank > 0) {  // rank 0 prints
      if (said.exit != 0) std::cerr << fmt::format("compeer: rank {}: {}\n", task->rank, first_error_line(said.text));
      return said.exit == 0 ? 0 : 1;
    }
    add(interpret_hosts(said, task->size));
  }
  return print_findings(findings, json, out);
}

void add_doctor(CLI::App& command, Action& action) {
  auto as_json = std::make_shared<bool>(false);
  auto device = std::make_shared<std::string>("cpu");
  command.add_flag("--json", *as_json, "as one JSON object");
  command.add_option("--device", *device, "cuda: test the computations of a GPU, and certify the GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.callback([as_json, device, &action] {
    action = [as_json, device] {
      if (*device == "cuda") launch::exec_worker("verify_device", {{"json", *as_json}}, 0);
      return doctor(*as_json, std::cout);
    };
  });
}

}  // namespace compeer::app
