// Connects hand-written gradients to libtorch's autograd engine.
#include "kernels/graph.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/variable.h>

namespace compeer::kernels {

namespace {

class Node : public torch::autograd::Node, public BackwardRequest {
 public:
  Node(const std::vector<at::Tensor>& inputs, BackwardFunction back) : back_(std::move(back)) {
    set_next_edges(torch::autograd::collect_next_edges(inputs));
  }

  bool wants(size_t input) const override { return task_should_compute_output(input); }
  bool accumulates() const override {
    const auto* asked = torch::autograd::get_current_graph_task_exec_info();
    return (!asked || asked->empty()) && !at::GradMode::is_enabled();
  }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    TORCH_CHECK(back_, "a graph was differentiated twice");
    for (auto& g : gradients) {
      if (g.defined()) g = g.contiguous();
    }
    return back_(*this, gradients);
  }
  void release_variables() override { back_ = nullptr; }

 private:
  BackwardFunction back_;
};

using torch::autograd::variable_list;

// Calls a function after an autograd node was executed.
class CallbackHook : public torch::autograd::FunctionPostHook {
 public:
  explicit CallbackHook(std::function<void()> callback) : callback_(std::move(callback)) {}
  variable_list operator()(const variable_list& results, const variable_list&) override {
    callback_();
    return results;
  }

 private:
  std::function<void()> callback_;
};

}  // namespace

ParameterGradient::ParameterGradient(const BackwardRequest& request, size_t input, const at::Tensor& parameter) {
  if (!parameter.defined() || !request.wants(input)) return;
  in_place_ = request.accumulates() && parameter.is_leaf() && parameter.grad().defined() &&
              parameter.grad().is_contiguous() && parameter.grad().scalar_type() == at::kFloat;
  sum_ = in_place_ ? parameter.grad() : at::zeros(parameter.sizes(), at::kFloat);
}

bool graph_wanted(const std::vector<at::Tensor>& inputs) {
  if (!at::GradMode::is_enabled()) return false;
  for (const at::Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) return true;
  }
  return false;
}

void connect(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& inputs, BackwardFunction back) {
  const std::shared_ptr<torch::autograd::Node> node(new Node(inputs, std::move(back)), torch::autograd::deleteNode);
  for (const at::Tensor& result : results) torch::autograd::set_history(result, node);
}

// The parameter's gradient accumulator, the node that is executed after all others that use the parameter. The tensor
// keeps only a weak reference to it.
struct AfterPass::Hook {
  std::shared_ptr<torch::autograd::Node> node;
  uintptr_t key;
};

AfterPass::AfterPass(const at::Tensor& parameter, std::function<void()> callback) : hook_(std::make_unique<Hook>()) {
  hook_->node = torch::autograd::impl::grad_accumulator(parameter);
  TORCH_CHECK(hook_->node, "a parameter does not require a gradient");
  hook_->key = hook_->node->add_post_hook(std::make_unique<CallbackHook>(std::move(callback)));
}

AfterPass::AfterPass(AfterPass&&) noexcept = default;

AfterPass::~AfterPass() {
  if (hook_) hook_->node->del_post_hook(hook_->key);
}

}  // namespace compeer::kernels
