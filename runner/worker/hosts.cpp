// Tests of a cluster's hosts for `compeer doctor`, and versions of the worker's libraries.
#include "worker/hosts.h"

#include <ATen/Version.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <torch/version.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <regex>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "comm/mpi_library.h"
#include "comm/world.h"

namespace compeer::worker {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr size_t message_bytes = 4 << 20;  // larger than MPI's eager messages
constexpr int clock_rounds = 5;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void print(const comm::World& world, const json& line) {
  if (world.rank() == 0) std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

// Collective. Gathers one JSON value of each rank on rank 0; other ranks get an empty list.
std::vector<json> gather(comm::World& world, const json& mine) {
  std::vector<json> all;
  for (const auto& text : world.gather(mine.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)))
    all.push_back(json::parse(text));
  return all;
}

double time_of_messages(comm::World& world) {
  const auto start = std::chrono::steady_clock::now();
  world.gather(std::string(message_bytes, 'x'));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Collective. Returns by how many seconds each rank's clock is ahead of rank 0's: the smallest difference of several
// rounds, because ranks leave a barrier at different times.
std::vector<double> clocks(comm::World& world) {
  std::vector<double> ahead(static_cast<size_t>(world.size()), std::numeric_limits<double>::infinity());
  for (int round = 0; round < clock_rounds; ++round) {
    world.barrier("clocks");
    const auto all = gather(world, seconds_since_1970());
    for (size_t rank = 0; rank < all.size(); ++rank) {
      const double now = all[rank].get<double>() - all[0].get<double>();
      if (std::abs(now) < std::abs(ahead[rank])) ahead[rank] = now;
    }
  }
  return ahead;
}

// An open file of the tested folder; closed by the destructor.
class LockableFile {
 public:
  explicit LockableFile(const fs::path& file) : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~LockableFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  LockableFile(const LockableFile&) = delete;
  LockableFile& operator=(const LockableFile&) = delete;
  /// Returns false if another process holds the lock. On file systems without locks it returns true.
  bool lock() const { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

 private:
  int fd_;
};

bool holds(const fs::path& file, const std::string& text) {
  try {
    return read_file(file, 4096) == text;
  } catch (const Error&) {
    return false;
  }
}

// Collective. Sets "folder", "problem" and "seen" in `result`, and "reads" and "locked_out" in `mine`. See check_hosts.
void check_folder(comm::World& world, fs::path near, json& result, json& mine) {
  std::error_code none;
  while (!fs::exists(near, none) && near.has_relative_path()) near = near.parent_path();
  std::string name = (near / ".compeer-doctor-XXXXXX").string();
  const bool made = world.rank() == 0 && ::mkdtemp(name.data());
  result["folder"] = near.string();
  result["problem"] = made ? "" : std::strerror(errno);
  if (world.rank() == 0 && !made) name.clear();
  world.broadcast(name);
  if (name.empty()) return;
  const fs::path folder = name;
  const auto file_of = [&](size_t rank) { return folder / ("rank-" + std::to_string(rank)); };
  const LockableFile lock(world.rank() == 0 ? folder / "lock" : fs::path("/dev/null"));
  try {
    if (world.rank() == 0) write_file(folder / "token", name), lock.lock();
  } catch (const Error& error) {
    mine["problem"] = error.problem();
  }
  world.barrier("shared folder");
  try {
    mine["reads"] = holds(folder / "token", name);
    mine["locked_out"] = world.rank() == 0 || !LockableFile(folder / "lock").lock();
    if (mine["reads"]) write_file(file_of(static_cast<size_t>(world.rank())), world.host());
  } catch (const Error& error) {
    mine["problem"] = error.problem();
  }
  const auto hosts = gather(world, world.host());
  for (size_t rank = 0; rank < hosts.size(); ++rank)
    result["seen"].push_back(holds(file_of(rank), hosts[rank].get<std::string>()));
  if (made) fs::remove_all(folder, none);
}

// The name of libtorch's BLAS, from its build configuration: "... BLAS_INFO=mkl, BUILD_TYPE=Release, ..."
std::string blas() {
  const auto text = at::show_config();
  std::smatch match;
  static const std::regex name("BLAS_INFO=([A-Za-z0-9_]+)");
  return std::regex_search(text, match, name) ? match[1].str() : "";
}

}  // namespace

int check_hosts(const json& options) {
  comm::World world;
  json result = json::object();
  json mine = {{"host", world.host()},
               {"program", sha256_file("/proc/self/exe")},
               {"torch", TORCH_VERSION},
               {"mpi", comm::library_version()},
               {"findings", options.value("findings", json::array())}};
  print(world, {{"testing", "messages"}});
  result["seconds"] = time_of_messages(world);
  print(world, {{"testing", "clocks"}});
  const auto ahead = clocks(world);
  print(world, {{"testing", "the shared folder"}});
  check_folder(world, options.at("folder").get<std::string>(), result, mine);
  const auto all = gather(world, mine);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    auto one = all[rank];
    one["clock"] = ahead[rank];
    if (result.contains("seen")) one["seen"] = result["seen"][rank];
    result["hosts"].push_back(one);
  }
  result.erase("seen");
  print(world, result);
  world.finish();
  return 0;
}

int about(const nlohmann::json&) {
  comm::World world;
  const auto hosts = world.gather(world.host());
  if (world.rank() == 0) {
    const nlohmann::ordered_json line = {{"torch", TORCH_VERSION},
                                         {"blas", blas()},
                                         {"mpi", comm::library_version()},
                                         {"ranks", world.size()},
                                         {"hosts", hosts}};
    std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
  world.finish();
  return 0;
}

}  // namespace compeer::worker
