// Calls NCCL through function pointers, because it exists only where libtorch was built for CUDA.
#include "comm/device_messages.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "base/error.h"

// Declared as in nccl.h.
struct ncclUniqueId {
  char internal[128];
};

namespace compeer::comm {

namespace {

constexpr const char* help = "set sums = \"host\"; NCCL_DEBUG=INFO prints details";

constexpr int float32 = 7;  // ncclFloat32 of nccl.h

[[noreturn]] void refuse(const std::string& problem, Exit exit) {
  throw Error("sums", "is 'device', but " + problem, help, exit);
}

// Returns the NCCL function `name`. Throws Error (exit 2) if it is not loaded.
template <class Function>
Function* nccl(const char* name) {
  auto* const found = ::dlsym(RTLD_DEFAULT, name);
  if (!found) refuse(fmt::format("this libtorch was built without NCCL: {} is missing", name), Exit::usage);
  return reinterpret_cast<Function*>(found);
}

void check(int code, Exit exit = Exit::failure) {
  if (code == 0) return;
  refuse(fmt::format("NCCL reports: {} (error {})", nccl<const char*(int)>("ncclGetErrorString")(code), code), exit);
}

}  // namespace

DeviceMessages::DeviceMessages(World& world) {
  ncclUniqueId id{};
  world.run_on_all_ranks("open NCCL", [&] {
    auto* const get_id = nccl<int(ncclUniqueId*)>("ncclGetUniqueId");
    if (world.rank() == 0) check(get_id(&id), Exit::usage);
  });
  world.broadcast(std::as_writable_bytes(std::span(id.internal)));
  world.run_on_all_ranks("open NCCL", [&] {
    auto* const join = nccl<int(void**, int, ncclUniqueId, int)>("ncclCommInitRank");
    check(join(&group_, world.size(), id, world.rank()), Exit::usage);
  });
}

DeviceMessages::~DeviceMessages() {
  if (group_) nccl<int(void*)>("ncclCommAbort")(group_);  // unlike ncclCommDestroy, does not wait for other ranks
}

void DeviceMessages::exchange(const std::vector<Part>& sent, const std::vector<Part>& received) {
  static auto* const send = nccl<int(const void*, size_t, int, int, void*, void*)>("ncclSend");
  static auto* const receive = nccl<int(void*, size_t, int, int, void*, void*)>("ncclRecv");
  constexpr void* stream = nullptr;  // CUDA's default stream, which libtorch uses
  check(nccl<int()>("ncclGroupStart")());
  for (const Part& part : sent) {
    if (part.count > 0) check(send(part.numbers, static_cast<size_t>(part.count), float32, part.rank, group_, stream));
  }
  for (const Part& part : received) {
    if (part.count > 0)
      check(receive(part.numbers, static_cast<size_t>(part.count), float32, part.rank, group_, stream));
  }
  check(nccl<int()>("ncclGroupEnd")());
}

}  // namespace compeer::comm
