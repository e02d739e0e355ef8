// Reports on which hosts, cores and devices the ranks run, and warns if they share too few.
#include "train/metrics/placement.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "inference/device.h"

namespace compeer::train {

namespace {

constexpr size_t shown_hosts = 16;

// A host and its ranks.
struct Host {
  std::string name;
  std::vector<int> ranks;
};

std::string count(size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::vector<Host> hosts_of(const std::vector<Placement>& placements) {
  std::vector<Host> hosts;
  for (size_t rank = 0; rank < placements.size(); ++rank) {
    auto host =
        std::find_if(hosts.begin(), hosts.end(), [&](const Host& one) { return one.name == placements[rank].host; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), {placements[rank].host, {}});
    host->ranks.push_back(static_cast<int>(rank));
  }
  return hosts;
}

// "  n08: rank 2 on cores 0-3, rank 3 on cores 4-7". Ranks with the same cores are listed together.
std::string line_of(const Host& host, const std::vector<Placement>& placements) {
  std::vector<std::pair<std::string, std::vector<int>>> places;
  for (const int rank : host.ranks) {
    const auto cores = core_text(placements[static_cast<size_t>(rank)].machine.cores);
    const auto same = std::find_if(places.begin(), places.end(), [&](const auto& one) { return one.first == cores; });
    if (same != places.end()) same->second.push_back(rank);
    if (same == places.end()) places.push_back({cores, {rank}});
  }
  std::vector<std::string> parts;
  for (const auto& [cores, ranks] : places) {
    const bool several = cores.find_first_of(",-") != std::string::npos;
    parts.push_back(fmt::format("rank{} {}{}{}", ranks.size() > 1 ? "s" : "", core_text(ranks),
                                cores.empty() ? ""
                                : several     ? " on cores "
                                              : " on core ",
                                cores));
  }
  return fmt::format("  {}: {}", host.name, fmt::join(parts, ", "));
}

// Number of cores that `ranks` (of one host) may use together: limited by CPU affinity and by the cgroup's quota. 0 if
// unknown.
double cores_for(const std::vector<Placement>& placements, const std::vector<int>& ranks) {
  std::set<int> cores;
  double quota = 0;
  for (const int rank : ranks) {
    const auto& machine = placements[static_cast<size_t>(rank)].machine;
    cores.insert(machine.cores.begin(), machine.cores.end());
    quota = std::max(quota, machine.quota);
  }
  const auto all = static_cast<double>(cores.size());
  return quota > 0 ? std::min(quota, all) : all;
}

void add_remarks(const Host& host, const std::vector<Placement>& placements, int64_t threads,
                 std::vector<std::string>& lines) {
  for (const int rank : host.ranks) {
    const double cores = cores_for(placements, {rank});
    if (cores == 0 || cores >= static_cast<double>(threads)) continue;
    lines.push_back(
        fmt::format("note: rank {} has {} for {:.3g} core{}: start it with mpirun --bind-to none, or srun "
                    "--cpus-per-task={}",
                    rank, count(static_cast<size_t>(threads), "thread"), cores, cores == 1 ? "" : "s", threads));
    return;  // one note is enough: other ranks are likely in the same situation
  }
  const double cores = cores_for(placements, host.ranks);
  const auto all = static_cast<size_t>(threads) * host.ranks.size();
  if (cores == 0 || cores >= static_cast<double>(all)) return;
  lines.push_back(fmt::format("note: {} runs {} on {:.3g} core{}; one thread per core is faster", host.name,
                              count(all, "thread"), cores, cores == 1 ? "" : "s"));
}

// "CPU", "NVIDIA H100 80GB HBM3 (79.2 GiB)", "8 x NVIDIA ...", "A, B"
std::string devices_text(const std::vector<Placement>& placements) {
  std::map<std::string, size_t> known;
  for (const Placement& one : placements) ++known[one.device];
  std::vector<std::string> parts;
  for (const auto& [name, number] : known)
    parts.push_back(name.empty() ? "CPU" : number > 1 ? fmt::format("{} x {}", number, name) : name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void check_own_devices(const std::vector<Placement>& placements) {
  std::map<std::pair<std::string, std::string>, size_t> taken;
  for (size_t rank = 0; rank < placements.size(); ++rank) {
    const Placement& one = placements[rank];
    if (one.device.empty()) continue;
    const auto [other, first] = taken.try_emplace({one.host, one.bus}, rank);
    if (!first)
      throw Error(fmt::format("ranks {} and {} on {}", other->second, rank, one.host),
                  fmt::format("share one device, {}", one.device),
                  "start as many ranks on a host as it has devices (sbatch --gres=gpu:N --ntasks-per-node=N)",
                  Exit::usage);
  }
}

std::vector<Placement> gather_placements(comm::World& world) {
  const auto mine = this_machine();
  nlohmann::json words = {world.host(), mine.cores, mine.quota, mine.memory, mine.free, "", ""};
  if (inference::device_in_use() != "cpu") {
    const auto gpu = inference::gpu_in_use();
    words[5] = inference::text(gpu), words[6] = gpu.bus;
  }
  std::vector<Placement> placements;
  for (const auto& text : world.gather(words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) {
    const auto read = nlohmann::json::parse(text);
    placements.push_back({read[0], {read[1], read[2], read[3], read[4], ""}, read[5], read[6]});
  }
  return placements;
}

std::vector<std::string> placements_text(const std::vector<Placement>& placements, int64_t threads,
                                         const std::string& arithmetic) {
  const auto hosts = hosts_of(placements);
  std::vector<std::string> lines{fmt::format("{} on {}, {}{}; device: {}, {}", count(placements.size(), "rank"),
                                             count(hosts.size(), "host"), count(static_cast<size_t>(threads), "thread"),
                                             placements.size() > 1 ? " each" : "", devices_text(placements),
                                             arithmetic)};
  for (size_t i = 0; i < std::min(hosts.size(), shown_hosts); ++i) lines.push_back(line_of(hosts[i], placements));
  if (hosts.size() > shown_hosts) lines.push_back(fmt::format("  and {} more", hosts.size() - shown_hosts));
  const auto plain = lines.size();
  for (const auto& host : hosts) {
    if (lines.size() < plain + 4) add_remarks(host, placements, threads, lines);
  }
  return lines;
}

void print_placements(comm::World& world, int64_t threads, const std::string& arithmetic) {
  const auto placements = gather_placements(world);
  world.run_on_all_ranks("check devices", [&] { check_own_devices(placements); });
  if (world.rank() != 0) return;
  for (const auto& line : placements_text(placements, threads, arithmetic))
    std::fprintf(stderr, "compeer: %s\n", line.c_str());
}

}  // namespace compeer::train
