// Reads CPU and memory limits from /proc and the control groups (versions 1 and 2) of this process.
#include "base/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace compeer {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t no_limit = uint64_t{1} << 62;  // larger memory limits mean "no limit" in version 1

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the rest of the line that starts with `name`, for example "MemTotal:" in /proc/meminfo; empty if there is
// none.
std::string field(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return line.substr(std::min(line.size(), line.find_first_not_of(" \t", name.size())));
  }
  return "";
}

// Parses the number at the beginning of `text`. Returns nullopt for "max" and for the empty text of a missing file.
std::optional<int64_t> number(const std::string& text) {
  int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// Returns the value in bytes of a field that is given in KiB; 0 if it is missing.
uint64_t kibibytes(const std::string& text, const std::string& name) {
  return static_cast<uint64_t>(number(field(text, name)).value_or(0)) * 1024;
}

// Returns the folders of control group `name` and its ancestors, innermost first, as far as they are visible below
// `mount`.
std::vector<fs::path> groups_of(const fs::path& mount, const std::string& name) {
  std::vector<fs::path> groups;
  for (auto path = fs::path(name).relative_path();; path = path.parent_path()) {
    std::error_code none;
    if (fs::is_directory(mount / path, none)) groups.push_back(mount / path);
    if (path.empty()) return groups;
  }
}

// Returns the control groups of this process for `controller`, innermost first. A line of proc/self/cgroup is
// "4:memory:/a/b" in version 1, "0::/a/b" in version 2; version 1 takes precedence.
std::vector<fs::path> groups_with(const fs::path& root, const std::string& controller) {
  std::istringstream lines(text_of(root / "proc/self/cgroup"));
  std::vector<fs::path> second;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':'), next = line.find(':', colon + 1);
    if (colon == std::string::npos || next == std::string::npos) continue;
    const auto controllers = "," + line.substr(colon + 1, next - colon - 1) + ",", name = line.substr(next + 1);
    if (controllers.find("," + controller + ",") != std::string::npos) {
      return groups_of(root / "sys/fs/cgroup" / line.substr(colon + 1, next - colon - 1), name);
    }
    if (controllers == ",,") second = groups_of(root / "sys/fs/cgroup", name);
  }
  return second;
}

// Lowers `machine.memory` and `machine.free` to the limit of a control group, if it has one.
void limit_memory(Machine& machine, const fs::path& group) {
  const bool second = fs::exists(group / "memory.max");
  const auto most = number(text_of(group / (second ? "memory.max" : "memory.limit_in_bytes")));
  const auto used = number(text_of(group / (second ? "memory.current" : "memory.usage_in_bytes"))).value_or(0);
  if (!most || *most < 0 || static_cast<uint64_t>(*most) > no_limit) return;
  // The group's usage includes page cache, which the kernel reclaims when memory is needed.
  const auto files = number(field(text_of(group / "memory.stat"), second ? "inactive_file " : "total_inactive_file "));
  const auto left = std::max<int64_t>(0, *most - used + files.value_or(0));
  machine.free = std::min(machine.free, static_cast<uint64_t>(left));
  if (static_cast<uint64_t>(*most) >= machine.memory) return;
  machine.memory = static_cast<uint64_t>(*most);
  machine.limited_by = group.string();
}

// Returns the CPU time limit of a control group, in CPUs; 0 if it has none. Version 2 has "QUOTA PERIOD" in one file
// ("200000 100000", "max 100000"), version 1 has one file for each.
double quota_of(const fs::path& group) {
  std::istringstream second(text_of(group / "cpu.max"));
  std::string most;
  double period = 0;
  if (!(second >> most >> period)) {
    most = text_of(group / "cpu.cfs_quota_us");
    period = static_cast<double>(number(text_of(group / "cpu.cfs_period_us")).value_or(0));
  }
  const auto quota = number(most);
  return quota && *quota > 0 && period > 0 ? static_cast<double>(*quota) / period : 0;
}

}  // namespace

Machine this_machine(const fs::path& root) {
  Machine machine;
  machine.cores = core_list(field(text_of(root / "proc/self/status"), "Cpus_allowed_list:"));
  const auto memory = text_of(root / "proc/meminfo");
  machine.memory = kibibytes(memory, "MemTotal:");
  machine.free = kibibytes(memory, "MemAvailable:");
  for (const auto& group : groups_with(root, "memory")) limit_memory(machine, group);
  for (const auto& group : groups_with(root, "cpu")) {
    const double quota = quota_of(group);
    if (quota > 0) machine.quota = machine.quota > 0 ? std::min(machine.quota, quota) : quota;
  }
  return machine;
}

std::vector<int> core_list(const std::string& text) {
  std::vector<int> cores;
  std::istringstream parts(text.substr(0, text.find_first_of(" \t\n")));
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const auto first = number(part), last = dash == std::string::npos ? first : number(part.substr(dash + 1));
    constexpr int64_t most = 1 << 16;
    if (!first || !last || *first < 0 || *last < *first || *last > most) return {};
    for (int64_t core = *first; core <= *last; ++core) cores.push_back(static_cast<int>(core));
  }
  return cores;
}

std::string core_text(const std::vector<int>& cores) {
  std::string text;
  for (size_t i = 0; i < cores.size();) {
    size_t end = i;
    while (end + 1 < cores.size() && cores[end + 1] == cores[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == i ? std::to_string(cores[i]) : fmt::format("{}-{}", cores[i], cores[end]);
    i = end + 1;
  }
  return text;
}

std::string host_name() {
  char name[256] = "?";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace compeer
