// Checks of several ranks on this host, of Slurm, and of several hosts (one task on each, started by srun or mpirun).
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/doctor/doctor.h"
#include "base/error.h"
#include "launch/worker_program.h"

namespace compeer::app {

using nlohmann::json;

namespace {

constexpr double test_seconds = 60;  // time limit in seconds for the tests of ranks or hosts; MPI that works is fast

bool lists_pmix(const std::string& kinds) {
  std::istringstream words(kinds);
  for (std::string word; words >> word;) {
    if (word.starts_with("pmix")) return true;
  }
  return false;
}

constexpr double largest_clock_difference = 1;  // seconds

std::optional<int> environment_number(const char* variable) {
  const char* text = std::getenv(variable);
  char* end = nullptr;
  const long value = text ? std::strtol(text, &end, 10) : 0;
  return text && end != text && !*end ? std::optional(static_cast<int>(value)) : std::nullopt;
}

json findings_json(const std::vector<Finding>& findings) {
  json list = json::array();
  for (const auto& one : findings) list.push_back({one.name, static_cast<int>(one.state), one.result, one.remedy});
  return list;
}

// Appends the findings of `host` that are not good, with the host's name.
void add_findings(const json& host, std::vector<Finding>& out) {
  for (const json& one : host.at("findings")) {
    const auto state = static_cast<Finding::State>(one.at(1).get<int>());
    if (state != Finding::good)
      out.push_back(
          {host.at("host").get<std::string>() + ": " + one.at(0).get<std::string>(), state, one.at(2), one.at(3)});
  }
}

// Returns `good` unless `wrong(host)` returns a problem; then a finding with the state `bad` for the first such host.
template <class Wrong>
Finding compared(Finding good, const json& hosts, Finding::State bad, const std::string& remedy, Wrong wrong) {
  for (const json& host : hosts) {
    const std::string what = wrong(host);
    if (!what.empty()) return {good.name, bad, host.at("host").get<std::string>() + " " + what, remedy};
  }
  return good;
}

std::vector<Finding> interpret_programs(const json& hosts) {
  const json& first = hosts[0];
  const std::string at_first = " than " + first.at("host").get<std::string>();
  return {compared(
      {"versions", Finding::good, "all hosts have the same worker, libtorch and MPI", ""}, hosts, Finding::lacking,
      "install the same build on all hosts, or one in a shared folder", [&](const json& host) -> std::string {
        for (const auto& [key, name] : {std::pair{"mpi", "MPI"}, {"torch", "libtorch"}}) {
          if (host.at(key) != first.at(key))
            return fmt::format("has a different {}: {}, not {}", name, host.at(key).get<std::string>(),
                               first.at(key).get<std::string>());
        }
        return host.at("program") == first.at("program") ? "" : "has a different compeer-worker" + at_first;
      })};
}

Finding interpret_clocks(const json& hosts) {
  double most = 0;
  for (const json& host : hosts) most = std::max(most, std::abs(host.at("clock").get<double>()));
  return compared({"clocks", Finding::good, fmt::format("differ by at most {:.3f} s", most), ""}, hosts,
                  Finding::remark,
                  "synchronise the clocks (chrony, ntpd): otherwise logs and times of files can't be compared",
                  [&](const json& host) -> std::string {
                    const double ahead = host.at("clock");
                    if (std::abs(ahead) <= largest_clock_difference) return "";
                    return fmt::format("is {:.1f} s {} {}", std::abs(ahead), ahead > 0 ? "ahead of" : "behind",
                                       hosts[0].at("host").get<std::string>());
                  });
}

std::vector<Finding> interpret_folder(const json& told) {
  const auto folder = told.at("folder").get<std::string>();
  const char* elsewhere = "start runs in a folder that all hosts share, or write to one with --results DIR";
  if (const auto problem = told.at("problem").get<std::string>(); !problem.empty())
    return {{"shared folder", Finding::lacking, fmt::format("nothing can be written in {}: {}", folder, problem),
             elsewhere}};
  const json& hosts = told.at("hosts");
  const auto shared = compared(
      {"shared folder", Finding::good, folder, ""}, hosts, Finding::lacking, elsewhere,
      [&](const json& host) -> std::string {
        if (!host.value("problem", "").empty()) return "can't write in " + folder + ": " + host.value("problem", "");
        if (!host.value("reads", false))
          return "can't see a file that " + hosts[0].at("host").get<std::string>() + " writes in " + folder;
        return host.value("seen", false)
                   ? ""
                   : "writes a file in " + folder + " that " + hosts[0].at("host").get<std::string>() + " can't see";
      });
  if (shared.state != Finding::good) return {shared};
  return {shared, compared({"shared locks", Finding::good, "a lock excludes other hosts", ""}, hosts, Finding::remark,
                           "two hosts could write to the same run: start each run only once",
                           [](const json& host) -> std::string {
                             return host.value("locked_out", true) ? "" : "ignores a lock of another host";
                           })};
}

}  // namespace

std::string first_error_line(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("-*= \t") != std::string::npos) return line;
  }
  return "without output";
}

std::vector<Finding> check_ranks(const std::filesystem::path& worker) {
  std::vector<std::string> command;
  try {
    command = launch::rank_launcher(2, 1);
  } catch (const Error&) {
    return {};  // no launcher: check_launcher reports it
  }
  for (const auto& word : {worker.string(), std::string("model"), std::string("about"), std::string("{}")})
    command.push_back(word);
  return interpret_ranks(launch::run_program(command, launch::rank_environment(2, 1), test_seconds));
}

std::vector<Finding> interpret_ranks(const launch::ProgramOutput& output) {
  const auto begin = output.text.find('{');
  const auto told = begin == std::string::npos
                        ? nlohmann::json()
                        : nlohmann::json::parse(first_line(output.text.substr(begin)), nullptr, false);
  if (output.exit != 0 || !told.is_object() || told.value("ranks", 0) != 2) {
    return {{"MPI", Finding::lacking,
             fmt::format("two ranks can't communicate (exit {}): {}", output.exit, first_error_line(output.text)),
             "use --ranks 1; to find the cause, run mpirun -n 2 compeer-worker model about '{}'"}};
  }
  const auto blas = told.value("blas", "");
  Finding arithmetic{"BLAS", Finding::good, blas.empty() ? "unknown" : blas, ""};
  if (blas == "generic" || blas.empty()) {
    arithmetic.state = Finding::remark;
    arithmetic.remedy = "some operations of libtorch are slow without MKL or OpenBLAS; runs use kernels of their own";
  }
  return {{"MPI", Finding::good, told.value("mpi", "") + ", two ranks can communicate", ""}, arithmetic};
}

std::vector<Finding> check_slurm() {
  const auto version = launch::run_program({"sbatch", "--version"});
  if (version.exit != 0) return interpret_slurm(version, {}, {});
  return interpret_slurm(version, launch::run_program({"scontrol", "ping"}),
                         launch::run_program({"srun", "--mpi=list"}));
}

std::vector<Finding> interpret_slurm(const launch::ProgramOutput& version, const launch::ProgramOutput& ping,
                                     const launch::ProgramOutput& kinds) {
  const char* dry = "compeer submit --dry-run prints job scripts for a cluster with Slurm";
  if (version.exit == 127) return {{"Slurm", Finding::remark, "not found (optional)", dry}};
  if (version.exit != 0)
    return {{"Slurm", Finding::remark, "sbatch doesn't work here: " + first_error_line(version.text), dry}};
  Finding slurm{"Slurm", Finding::good, first_line(version.text), ""};
  if (ping.exit != 0 || ping.text.find(" UP") == std::string::npos) {
    slurm.state = Finding::remark;
    slurm.result += ", its controller doesn't answer: " + first_error_line(ping.text);
    slurm.remedy = "jobs can't be submitted from here now; is this a machine of the cluster?";
    return {slurm};
  }
  Finding pmix{"PMIx", Finding::good, "srun --mpi=pmix", ""};
  if (kinds.exit != 0 || !lists_pmix(kinds.text)) {
    pmix.state = Finding::remark;
    pmix.result = "not supported by srun";
    pmix.remedy =
        "use compeer submit --mpi KIND with a kind that your MPI supports (srun --mpi=list), or mpirun in a batch "
        "script";
  }
  return {slurm, pmix};
}

std::optional<LaunchedTask> launched_task() {
  for (const auto& [size, rank] :
       {std::pair{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}) {
    const auto tasks = environment_number(size), own = environment_number(rank);
    if (tasks && own) return *tasks > 1 ? std::optional(LaunchedTask{*own, *tasks}) : std::nullopt;
  }
  return std::nullopt;
}

int nodes_of_job() {
  const auto step = environment_number("SLURM_STEP_ID");  // negative as an int in the shell of salloc
  return step && *step >= 0 ? 1 : environment_number("SLURM_JOB_NUM_NODES").value_or(1);
}

launch::ProgramOutput run_host_tests(const std::filesystem::path& worker, int nodes,
                                     const std::filesystem::path& folder, const std::vector<Finding>& findings) {
  std::vector<std::string> command;
  if (nodes > 1) {
    const char* kind = std::getenv("SLURM_MPI_TYPE");
    command = {"srun",
               fmt::format("--mpi={}", kind && *kind ? kind : "pmix"),
               "--export=ALL",
               "--kill-on-bad-exit=1",
               fmt::format("--nodes={}", nodes),
               fmt::format("--ntasks={}", nodes),
               "--ntasks-per-node=1",
               "--time=2"};
  }
  const json options = {{"folder", folder.string()}, {"findings", findings_json(findings)}};
  for (const auto& word : {worker.string(), std::string("model"), std::string("check_hosts"),
                           options.dump(-1, ' ', false, json::error_handler_t::replace)})
    command.push_back(word);
  return launch::run_program(command, launch::arithmetic_environment(1), test_seconds);
}

std::vector<Finding> interpret_hosts(const launch::ProgramOutput& output, int ranks) {
  const json told = launch::last_line(output.text, "hosts");
  if (output.exit != 0 || told.is_null() || static_cast<int>(told.at("hosts").size()) != ranks) {
    const json at = launch::last_line(output.text, "testing");
    return {{"MPI between hosts", Finding::lacking,
             at.is_null() ? fmt::format("{} ranks can't communicate (exit {}): {}", ranks, output.exit,
                                        first_error_line(output.text))
                          : fmt::format("{} ranks can communicate, but fail the test of {} (exit {})", ranks,
                                        at.at("testing").get<std::string>(), output.exit),
             "start it with srun --mpi=pmix --ntasks-per-node=1 compeer doctor; check for a firewall between the "
             "hosts, or a "
             "network that only some of them have (OMPI_MCA_btl_tcp_if_include)"}};
  }
  const json& hosts = told.at("hosts");
  std::set<std::string> names;
  std::vector<Finding> findings;
  for (const json& host : hosts) {
    if (names.insert(host.at("host")).second && &host != &hosts[0]) add_findings(host, findings);
  }
  Finding met{"MPI between hosts", Finding::good,
              fmt::format("{} ranks on {} ({}); 4 MiB from each take {:.3f} s", ranks, fmt::join(names, ", "),
                          hosts[0].at("mpi").get<std::string>(), told.at("seconds").get<double>()),
              ""};
  if (names.size() == 1) {
    met.state = Finding::remark;
    met.remedy = "all ranks are on one host: srun --mpi=pmix --nodes=2 --ntasks-per-node=1 compeer doctor";
  }
  findings.push_back(met);
  for (const auto& more : {interpret_programs(hosts), {interpret_clocks(hosts)}, interpret_folder(told)})
    findings.insert(findings.end(), more.begin(), more.end());
  return findings;
}

}  // namespace compeer::app
