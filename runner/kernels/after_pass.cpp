#include "kernels/after_pass.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace compeer::kernels {

namespace {

using torch::autograd::variable_list;

class Teller : public torch::autograd::FunctionPostHook {
 public:
  explicit Teller(std::function<void()> tell) : tell_(std::move(tell)) {}
  variable_list operator()(const variable_list& results, const variable_list&) override {
    tell_();
    return results;
  }

 private:
  std::function<void()> tell_;
};

}  // namespace

// The parameter's own node of the graph, which comes last in a pass. Its tensor does not keep it alive.
struct AfterPass::Hook {
  std::shared_ptr<torch::autograd::Node> node;
  uintptr_t key;
};

AfterPass::AfterPass(const at::Tensor& parameter, std::function<void()> tell) : hook_(std::make_unique<Hook>()) {
  hook_->node = torch::autograd::impl::grad_accumulator(parameter);
  TORCH_CHECK(hook_->node, "a parameter that needs no gradient is passed by");
  hook_->key = hook_->node->add_post_hook(std::make_unique<Teller>(std::move(tell)));
}

AfterPass::AfterPass(AfterPass&&) noexcept = default;

AfterPass::~AfterPass() {
  if (hook_) hook_->node->del_post_hook(hook_->key);
}

}  // namespace compeer::kernels
