#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace compeer::kernels {

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
