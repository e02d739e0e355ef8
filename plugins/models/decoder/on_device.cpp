#include "on_device.h"

#include <c10/util/intrusive_ptr.h>

#include <map>
#include <mutex>
#include <utility>

namespace compeer::decoder {

namespace {

using WeakTensor = c10::weak_intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>;

/// Copies that somebody has, and the tensors that they are of.
struct Copies {
  struct Copy {
    WeakTensor of, there;
  };
  std::mutex mutex;
  std::map<std::pair<const void*, at::ScalarType>, Copy> known;

  at::Tensor find(const at::Tensor& host, at::Device device, at::ScalarType type) {
    const std::lock_guard lock(mutex);
    std::erase_if(known,
                  [](const auto& one) { return one.second.there.use_count() == 0 || one.second.of.use_count() == 0; });
    const auto key = std::pair(static_cast<const void*>(host.unsafeGetTensorImpl()), type);
    if (const auto found = known.find(key); found != known.end()) {
      if (auto there = found->second.there.lock()) return at::Tensor(std::move(there));
    }
    const auto there = host.to(device, type);
    known.insert_or_assign(key, Copy{WeakTensor(host.getIntrusivePtr()), WeakTensor(there.getIntrusivePtr())});
    return there;
  }
};

}  // namespace

std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs) {
  static Copies copies;
  if (device.is_cpu()) return parameters;
  for (Parameter& p : parameters) {
    const auto type = pairs && p.value.dim() > 1 ? at::kBFloat16 : p.value.scalar_type();
    if (!p.value.requires_grad()) {
      p.host = p.value;  // the very tensor that others on this base get
      p.value = copies.find(p.host, device, type);
      continue;
    }
    p.host = p.value.detach();
    p.value = p.host.to(device, type).set_requires_grad(true);
    p.value.set_grad_dtype(at::kFloat);
  }
  return parameters;
}

}  // namespace compeer::decoder
