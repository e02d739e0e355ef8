#include "emulated_device.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace compeer::emulated {

namespace {

constexpr auto device_type = c10::DeviceType::PrivateUse1;
constexpr size_t device_memory = size_t{16} << 30, allocation_unit = 512;
constexpr int nan = 0xff;  // value of every byte

struct PendingCopy {
  at::Tensor from, to;  // device tensor, host tensor
};

struct State {
  // Device addresses are in an inaccessible range; the bytes themselves are at a constant distance from it.
  std::byte* const begin = reserved();
  std::mutex mutex;
  std::map<std::byte*, size_t> used, free{{begin, device_memory}};
  Counts counts;
  int64_t bytes = 0, failing = 0, leaving = 0;
  std::vector<PendingCopy> pending;

  static std::byte* reserved() {
    void* all = ::mmap(nullptr, 2 * device_memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK(all != MAP_FAILED, "no addresses for an emulated device");
    auto* first = static_cast<std::byte*>(all);
    TORCH_CHECK(::mprotect(first + device_memory, device_memory, PROT_READ | PROT_WRITE) == 0,
                "no memory for an emulated device");
    return first;
  }
};
State& state() {
  static State all;
  return all;
}

std::byte* bytes_at(const void* address) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(address)) + device_memory;
}
bool is_byte_of_device(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= state().begin + device_memory && at < state().begin + 2 * device_memory;
}

void give_back(void* address) {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  const auto one = s.used.find(static_cast<std::byte*>(address));
  std::memset(bytes_at(address), nan, one->second);
  s.bytes -= static_cast<int64_t>(one->second);
  auto next = s.free.emplace(one->first, one->second).first;
  s.used.erase(one);
  if (const auto after = std::next(next); after != s.free.end() && next->first + next->second == after->first)
    next->second += after->second, s.free.erase(after);
  if (next != s.free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == next->first) before->second += next->second, s.free.erase(next);
  }
}

class Memory : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    if (size == 0) return {nullptr, nullptr, &nothing, device()};
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    ++s.counts.allocations;
    const size_t whole = (size + allocation_unit - 1) / allocation_unit * allocation_unit;
    auto place = s.free.begin();
    while (place != s.free.end() && place->second < whole) ++place;
    if (place == s.free.end() || (s.failing > 0 && --s.failing == 0))
      TORCH_CHECK_WITH(OutOfMemoryError, false, "the emulated device is out of memory: ", size,
                       " bytes were asked for");
    const auto [address, room] = *place;
    s.free.erase(place);
    if (room > whole) s.free.emplace(address + whole, room - whole);
    s.used.emplace(address, whole);
    s.bytes += static_cast<int64_t>(whole);
    std::memset(bytes_at(address), nan, whole);
    return {address, address, &give_back, c10::Device(device_type, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, size_t count) const override {
    std::memcpy(bytes_at(to), bytes_at(from), count);
  }

 private:
  static void nothing(void*) {}
};
Memory memory;
REGISTER_ALLOCATOR(device_type, &memory)

// One device with one stream.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return device_type; }
  c10::Device exchangeDevice(c10::Device) const override { return {device_type, 0}; }
  c10::Device getDevice() const override { return {device_type, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return c10::Stream(c10::Stream::DEFAULT, {device_type, 0}); }
  c10::Stream exchangeStream(c10::Stream) const override { return getStream({device_type, 0}); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void synchronizeStream(const c10::Stream&) const override { synchronize(); }
  void synchronizeDevice(c10::DeviceIndex) const override { synchronize(); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static const at::Generator generator = at::detail::createCPUGenerator();
    return generator;
  }
  at::Device getDeviceFromPtr(void*) const override { return {device_type, 0}; }
};

bool on_device(const at::Tensor& tensor) { return tensor.defined() && tensor.device().type() == device_type; }

// Returns a CPU tensor with the same memory, for the CPU's kernels.
at::Tensor on_host(const at::Tensor& tensor) {
  const auto options = tensor.options().device(at::kCPU).requires_grad(false);
  if (!tensor.storage().data()) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  const size_t offset = static_cast<size_t>(tensor.storage_offset()) * tensor.element_size();
  return at::from_blob(bytes_at(tensor.storage().data()) + offset, tensor.sizes(), tensor.strides(), options);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
  const auto size = static_cast<size_t>(at::detail::computeStorageNbytes(sizes, strides, c10::elementSize(type)));
  at::Storage storage(at::Storage::use_byte_size_t(), size, memory.allocate(size), &memory, true);
  auto made = at::detail::make_tensor<at::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), c10::scalarTypeToTypeMeta(type));
  made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return made;
}

// Wraps the result of a CPU kernel: a view of an argument's memory, or a new tensor.
at::Tensor on_device(const at::Tensor& result, const std::vector<at::Tensor>& given) {
  if (!result.defined()) return result;
  const auto* data = result.storage().data();
  if (!is_byte_of_device(data)) {
    auto made = empty_strided(result.sizes(), result.strides(), result.scalar_type());
    on_host(made).copy_(result);
    return made;
  }
  const auto* first = static_cast<const std::byte*>(result.const_data_ptr());
  for (const at::Tensor& one : given) {
    const auto* begin = bytes_at(one.storage().data());
    if (first < begin || first >= begin + std::max<size_t>(one.storage().nbytes(), 1)) continue;
    auto view = at::detail::make_tensor<at::TensorImpl>(
        at::Storage(one.storage()), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), result.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides(),
                                                      (first - begin) / static_cast<int64_t>(result.element_size()));
    return view;
  }
  TORCH_CHECK(false, "a result lies in memory of the emulated device that no argument has");
}

// An operator call with its arguments replaced by CPU tensors.
class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack) : op_(op), stack_(stack) {}

  void run() {
    const auto count = op_.schema().arguments().size();
    for (size_t i = stack_.size() - count; i < stack_.size(); ++i) stack_[i] = moved(stack_[i]);
    TORCH_CHECK(given_.empty() || strange_ == 0, op_.schema().name(), ": ", strange_,
                " tensors of the host beside those of the emulated device");
    {
      const at::AutoDispatchBelowAutograd below;
      op_.callBoxed(&stack_);
    }
    ++state().counts.launches;
    for (auto& value : stack_) value = returned(value);
  }

 private:
  at::Tensor moved(const at::Tensor& tensor) {
    if (!on_device(tensor)) {
      if (tensor.defined() && tensor.dim() > 0) ++strange_;
      return tensor;
    }
    given_.push_back(tensor);
    aliases_.push_back(on_host(tensor));
    return aliases_.back();
  }
  c10::IValue moved(const c10::IValue& value) {
    if (value.isTensor()) return moved(value.toTensor());
    if (value.isDevice()) return value.toDevice().type() == device_type ? c10::IValue(c10::Device(at::kCPU)) : value;
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& one : value.toTensorVector()) list.push_back(moved(one));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const auto& one : value.toOptionalTensorVector())
        list.push_back(one ? std::optional(moved(*one)) : std::nullopt);
      return list;
    }
    return value;
  }
  at::Tensor returned(const at::Tensor& tensor) {
    for (size_t i = 0; i < aliases_.size(); ++i) {
      if (!aliases_[i].is_same(tensor)) continue;
      if (given_[i].sizes() != tensor.sizes()) enlarge(given_[i], tensor);
      return given_[i];
    }
    return on_device(tensor, given_);
  }
  // Resizes an empty tensor as the operator did.
  static void enlarge(const at::Tensor& given, const at::Tensor& like) {
    TORCH_CHECK(!given.storage().data(), "a tensor of the emulated device that isn't empty gets another size");
    const auto fresh = empty_strided(like.sizes(), like.strides(), like.scalar_type());
    given.unsafeGetTensorImpl()->set_storage_keep_dtype(fresh.storage());
    given.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides());
    on_host(given).copy_(like);
  }
  c10::IValue returned(const c10::IValue& value) {
    if (value.isTensor()) return returned(value.toTensor());
    if (!value.isTensorList()) return value;
    c10::List<at::Tensor> list;
    for (const at::Tensor& one : value.toTensorVector()) list.push_back(returned(one));
    return list;
  }

  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  std::vector<at::Tensor> given_, aliases_;
  int64_t strange_ = 0;
};

void any_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack) { Call(op, *stack).run(); }

at::Tensor empty_memory_format(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                               std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat>) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return empty_strided(sizes, strides, type.value_or(at::kFloat));
}

at::Tensor empty_with_strides(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                              std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return empty_strided(sizes, strides, type.value_or(at::kFloat));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool without_waiting) {
  const bool down = on_device(from) && !on_device(to);
  if (!down) {
    ++state().counts.launches;
    (on_device(to) ? on_host(to) : to).copy_(on_device(from) ? on_host(from) : from);
  } else if (without_waiting) {
    to.fill_(NAN);
    state().pending.push_back({from, to});
  } else {
    synchronize();
    to.copy_(on_host(from));
  }
  return to;
}

at::Scalar number_of(const at::Tensor& tensor) {
  synchronize();
  return on_host(tensor).item();
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&any_operator>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty_memory_format);
  m.impl("empty_strided", empty_with_strides);
  m.impl("_copy_from", copy_from);
  m.impl("_local_scalar_dense", number_of);
}

// For some operators libtorch uses a CPU kernel, but a decomposition into others on other devices, which rounds
// differently. Uses the CPU kernels.
void prefer_kernels() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  auto& all = c10::Dispatcher::singleton();
  for (const auto& name : all.getAllOpNames()) {
    const auto op = all.findOp(name);
    const auto has = [&](c10::DispatchKey key) { return op->hasKernelForDispatchKey(key); };
    if (name.getNamespace() == "aten" && has(c10::DispatchKey::CPU) && !has(c10::DispatchKey::PrivateUse1) &&
        has(c10::DispatchKey::CompositeImplicitAutograd))
      library.impl(c10::toString(name).c_str(), torch::CppFunction::makeFromBoxedFunction<&any_operator>());
  }
}

}  // namespace

c10::Device device() {
  static const bool registered = [] {
    prefer_kernels();
    c10::register_privateuse1_backend("emulated");
    static Hooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
    return true;
  }();
  (void)registered;
  return {device_type, 0};
}

Counts counts() { return state().counts; }
void forget() { state().counts = {}; }
int64_t in_use() { return state().bytes; }
void* bytes_behind(const void* address) { return bytes_at(address); }
void fail_allocation(int64_t which) { state().failing = which; }
void disappear(int64_t wait) { state().leaving = wait; }

void synchronize() {
  auto& leaving = state().leaving;
  if (leaving > 0 && --leaving == 0) leaving = -1;
  if (leaving < 0) throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 100, "the emulated device is gone");
  ++state().counts.waits;
  for (auto& [from, to] : std::exchange(state().pending, {})) to.copy_(on_host(from));
}

}  // namespace compeer::emulated
