#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace compeer::kernels {

/// Kernels as nodes of libtorch's autograd graph. A node is a function from the gradients of its results to the
/// gradients of its inputs; it captures the tensors that it needs.

/// Tells a node which gradients one backward pass needs from it.
class BackwardRequest {
 public:
  virtual ~BackwardRequest() = default;

  /// True if the pass needs the gradient of input number `input`. If false, the node returns an undefined tensor for
  /// it.
  virtual bool wants(size_t input) const = 0;

  /// True if the pass accumulates gradients in `.grad` (Tensor::backward) instead of returning them to the caller.
  virtual bool accumulates() const = 0;
};

/// A buffer to which a node adds the gradient of a parameter: the parameter's `.grad` itself if the pass accumulates in
/// it, otherwise new zeros. The former saves a matrix of that size and two passes over it.
class ParameterGradient {
 public:
  /// `input` is the parameter's index among the node's inputs. `parameter` may be undefined.
  ParameterGradient(const BackwardRequest& request, size_t input, const at::Tensor& parameter);
  bool wanted() const { return sum_.defined(); }            ///< true if the gradient is needed
  float* data() { return sum_.mutable_data_ptr<float>(); }  ///< the buffer, of the parameter's shape; only if wanted()
  /// Returns the node's result for this input: undefined if the gradient was added to `.grad`.
  at::Tensor result() const { return in_place_ ? at::Tensor() : sum_; }

 private:
  at::Tensor sum_;         // the buffer; undefined if the gradient is not needed
  bool in_place_ = false;  // the buffer is the parameter's `.grad`
};

/// The backward function of a node: gradients of the results, in their order (undefined: zero) -> gradients of the
/// inputs, in their order (undefined: not needed). Called at most once; its captures are released afterwards.
using BackwardFunction = std::function<std::vector<at::Tensor>(const BackwardRequest&, const std::vector<at::Tensor>&)>;

/// True if an operation on these inputs must be recorded: gradients are enabled and an input requires one.
bool graph_wanted(const std::vector<at::Tensor>& inputs);

/// Records in the autograd graph that `results` were computed from `inputs`, with the backward function `back`. `back`
/// must not capture the results themselves (a reference cycle), only their `detach()`. Elements of `inputs` may be
/// undefined.
void connect(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& inputs, BackwardFunction back);

/// Calls `callback`, for the lifetime of the object, whenever a backward pass has finished the gradient of a parameter:
/// all nodes of the pass that use the parameter are done, also if kernels add to `.grad` themselves.
class AfterPass {
 public:
  /// `parameter` must require a gradient.
  AfterPass(const at::Tensor& parameter, std::function<void()> callback);
  ~AfterPass();
  AfterPass(AfterPass&&) noexcept;

 private:
  struct Hook;
  std::unique_ptr<Hook> hook_;  // the registration with the autograd graph; null after a move
};

}  // namespace compeer::kernels
