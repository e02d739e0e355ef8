#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace compeer::kernels {

/// What links kernels to libtorch's graph: a node is a function from gradients to gradients that keeps what it needs.

/// What a node's way back is asked for, this time.
class Demand {
 public:
  virtual ~Demand() = default;

  /// False for inputs that need no gradient: give an undefined one.
  virtual bool wants(size_t input) const = 0;

  /// True where gradients end in `.grad`, as Tensor::backward has it, and are not handed to a caller.
  virtual bool accumulates() const = 0;
};

/// The gradient of a parameter, to be added to: zeros, or, if that is where it ends anyway, its `.grad` itself, which
/// saves a matrix of that size and two passes over it.
class ParameterGradient {
 public:
  ParameterGradient(const Demand& demand, size_t input, const at::Tensor& parameter);
  bool wanted() const { return sum_.defined(); }
  float* data() { return sum_.mutable_data_ptr<float>(); }
  at::Tensor result() const { return in_place_ ? at::Tensor() : sum_; }  ///< what the node gives for this input

 private:
  at::Tensor sum_;
  bool in_place_ = false;
};

/// Gradients of the results (undefined: zero) -> gradients of the inputs. What it captures is let go after use.
using WayBack = std::function<std::vector<at::Tensor>(const Demand&, const std::vector<at::Tensor>&)>;

/// Whether a graph is to be made: an input needs a gradient, and gradients are on.
bool graph_wanted(const std::vector<at::Tensor>& inputs);

/// Makes `results` depend on `inputs`. `back` must not capture results, only what `detach` makes of them.
void connect(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& inputs, WayBack back);

/// While it lives, `tell` is called whenever a backward pass has done with a parameter: all that uses it there has been
/// differentiated, also if kernels add to its gradient themselves, and the pass goes on with others.
class AfterPass {
 public:
  AfterPass(const at::Tensor& parameter, std::function<void()> tell);
  ~AfterPass();
  AfterPass(AfterPass&&) noexcept;

 private:
  struct Hook;
  std::unique_ptr<Hook> hook_;
};

}  // namespace compeer::kernels
