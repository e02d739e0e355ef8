// A stub of the NCCL functions in use, between processes with one emulated device each. A message is a file in a folder
// that the id names. COMPEER_NCCL=wrong doubles the numbers; COMPEER_NCCL=N lets the N-th call fail.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "device/emulated_device.h"

struct ncclUniqueId {
  char internal[128];  // name of a folder
};

namespace {

namespace fs = std::filesystem;

struct Group {
  fs::path folder;
  int rank = 0;
  std::map<std::pair<int, int>, int> messages;  // number of messages from one rank to another

  fs::path member() const { return folder / std::to_string(rank); }  // exists while this rank does
  fs::path next(int from, int to) { return folder / fmt::format("{}-{}-{}", from, to, messages[{from, to}]++); }
};

struct Message {
  Group* group;
  const void* numbers;
  size_t bytes;
  int rank;
};
std::vector<Message> sent, received;
int calls = 0;

std::string fault() {
  const char* what = std::getenv("COMPEER_NCCL");
  return what ? what : "";
}

constexpr int system_error = 2;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int ncclGetUniqueId(ncclUniqueId* id) {
  std::string folder = (fs::temp_directory_path() / "compeer-nccl.XXXXXX").string();
  if (!::mkdtemp(folder.data()) || folder.size() >= sizeof(ncclUniqueId)) return system_error;
  *id = {};
  folder.copy(id->internal, folder.size());
  return 0;
}

int ncclCommInitRank(void** group, int, ncclUniqueId id, int rank) {
  *group = new Group{id.internal, rank, {}};
  std::ofstream(static_cast<Group*>(*group)->member());
  return 0;
}

int ncclCommAbort(void* known) {
  auto* const group = static_cast<Group*>(known);
  std::error_code none;
  fs::remove(group->member(), none);
  fs::remove(group->folder, none);  // succeeds for the last rank, when the folder is empty
  delete group;
  return 0;
}

const char* ncclGetErrorString(int) { return "unhandled system error"; }

int ncclGroupStart() { return 0; }

int ncclSend(const void* numbers, size_t count, int, int rank, void* group, void*) {
  sent.push_back({static_cast<Group*>(group), numbers, count * sizeof(float), rank});
  return 0;
}

int ncclRecv(void* numbers, size_t count, int, int rank, void* group, void*) {
  received.push_back({static_cast<Group*>(group), numbers, count * sizeof(float), rank});
  return 0;
}

int ncclGroupEnd() {
  if (fault() == std::to_string(++calls)) return system_error;
  for (const Message& one : sent) {
    std::string bytes(static_cast<const char*>(compeer::emulated::bytes_behind(one.numbers)), one.bytes);
    if (fault() == "wrong") bytes[3] = static_cast<char>(bytes[3] + 1);
    const auto file = one.group->next(one.group->rank, one.rank), begun = fs::path(file.string() + "-begun");
    std::ofstream(begun, std::ios::binary) << bytes;
    fs::rename(begun, file);
  }
  for (const Message& one : received) {
    const auto file = one.group->next(one.rank, one.group->rank);
    while (!fs::exists(file)) std::this_thread::yield();
    std::ifstream(file, std::ios::binary)
        .read(static_cast<char*>(compeer::emulated::bytes_behind(one.numbers)),
              static_cast<std::streamsize>(one.bytes));
    fs::remove(file);
  }
  sent.clear(), received.clear();
  return 0;
}
}
#pragma GCC visibility pop
