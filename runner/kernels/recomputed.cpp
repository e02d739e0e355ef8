#include "kernels/recomputed.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using Work = std::function<at::Tensor(const at::Tensor&)>;

struct Repeated : torch::CustomClassHolder {
  explicit Repeated(Work kept) : work(std::move(kept)) {}
  Work work;
};

// `anchor` requires grad, so that weights learn even if x needs no gradient.
struct Recomputed : torch::autograd::Function<Recomputed> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& /*anchor*/,
                            const c10::intrusive_ptr<Repeated>& kept) {
    context->save_for_backward({x});
    context->saved_data["work"] = c10::IValue::make_capsule(kept);
    return kept->work(x);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto kept = c10::static_intrusive_pointer_cast<Repeated>(context->saved_data["work"].toCapsule());
    const auto x = context->get_saved_variables()[0].detach().set_requires_grad(true);
    {
      const at::AutoGradMode with_graph(true);
      kept->work(x).backward(gradients[0]);
    }
    return {x.grad(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor recomputed(const at::Tensor& x, std::function<at::Tensor(const at::Tensor&)> work) {
  if (!at::GradMode::is_enabled()) return work(x);
  const auto anchor = at::empty({0}, x.options()).set_requires_grad(true);
  return Recomputed::apply(x, anchor, c10::make_intrusive<Repeated>(std::move(work)));
}

}  // namespace compeer::kernels
