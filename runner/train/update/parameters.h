#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/device_messages.h"
#include "comm/share.h"
#include "comm/tree_sum.h"
#include "compeer/model.h"
#include "inference/device.h"
#include "kernels/graph.h"

namespace compeer::train {

/// A model's parameters and their gradients as flat float32 arrays in host memory, for reductions, optimizer and
/// checkpoints. For a model on the host, the constructor replaces its tensors with views of the weights array. For a
/// model on another device, the tensors remain copies on that device, in the type in which it computes.
class Parameters {
 public:
  /// Throws Error (exit 3) if the model has a parameter that is not trainable.
  explicit Parameters(Model& model);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  int64_t size() const { return weights_.numel(); }  ///< number of trainable weights
  std::span<float> weights();                        ///< the weights in host memory; call weights_changed after writing
  /// Copies `weights` to a model on another device; overwrites the gradient there. Does nothing for a model on the
  /// host.
  void weights_changed();

  /// Callback that receives a range of elements whose gradient is final, while others are still being computed.
  using OnReady = std::function<void(comm::ElementRange elements)>;

  /// How a gradient is collected.
  struct AccumulateOptions {
    bool add = false;      ///< add to the gradient collected last instead of overwriting it
    bool is_zero = false;  ///< the destination is known to be zeros and need not be cleared
    bool partial = false;  ///< more will be added before the gradient is read: it may remain on the device until then
  };
  /// Runs `backward`, which must accumulate the parameters' gradients by autograd, and writes them to `gradient`
  /// (`size()` elements; the memory must outlive this object). Throws Error (exit 1) if a device fails, such as out of
  /// memory.
  void collect(std::span<float> gradient, AccumulateOptions part, const std::function<void()>& backward);
  /// The same for the gradient of the scalar `loss`, in a single backward pass. `ready`: see begin_last_pass.
  void differentiate(const at::Tensor& loss, std::span<float> gradient, const OnReady& ready = nullptr) {
    differentiate(loss, gradient, {}, ready);
  }
  void differentiate(const at::Tensor& loss, std::span<float> gradient, AccumulateOptions part, const OnReady& ready);

  /// The flat gradient on the model's device; undefined if the model is on the host.
  const at::Tensor& device_gradients() const { return device_gradients_; }
  /// After this call `collect` no longer copies gradients to the host; use `copy_to_host`.
  void keep_on_device() { keep_on_device_ = true; }
  /// Copies `elements` of the device's gradient to `into`, whose memory must outlive this object (it is pinned).
  void copy_to_host(std::span<float> into, comm::ElementRange elements);

  /// True if the last gradient that was collected without AccumulateOptions::partial is finite.
  bool finite() const { return finite_; }

  /// To be called by `backward` (see collect) before its last autograd pass. From then on `ready`, if set, is called
  /// for each parameter whose gradient is final. A parameter that receives gradient twice in that pass is an Error
  /// (exit 5). `ready` is never called for a model on another device.
  void begin_last_pass(const OnReady& ready);

 private:
  // Called when autograd has finished the gradient of a parameter (an index) in the last pass.
  void passed(size_t parameter);
  // Sets `finite_` to false if any of these elements of `gradient_` is not finite.
  void look_at(comm::ElementRange elements);
  // Pins memory for fast copies from and to the device; does nothing if it is already pinned.
  void pin(std::span<float> memory);
  // Implements `collect` for a model on another device.
  void collect_on_device(std::span<float> gradient, AccumulateOptions part, const std::function<void()>& backward);

  std::vector<std::string> names_;           // by parameter, like the next three lines
  std::vector<at::Tensor> values_, hosts_;   // parameters as the model uses them, and their float32 copies on the host;
                                             // the same tensors if the model is on the host
  std::vector<comm::ElementRange> places_;   // elements of each parameter in the flat arrays
  std::vector<kernels::AfterPass> watches_;  // call `passed`
  std::span<float> gradient_;                // destination of the current `collect`
  bool finite_ = true;                       // result of finite()
  OnReady ready_;                            // callback of the last pass, while it runs
  std::vector<bool> passed_;                 // parameters that received their gradient in the last pass
  at::Tensor weights_;                       // float32 [size()] in host memory
  at::Tensor device_gradients_;              // float32 [size()] on the device; undefined for a model on the host
  bool keep_on_device_ = false;
  std::map<const float*, inference::Pinned> pinned_;       // host memory for copies from and to the device
  std::map<const float*, std::vector<at::Tensor>> views_;  // by gradient buffer: one view per parameter
};

/// sum += more, with all threads.
void add(std::span<float> sum, std::span<const float> more);

/// Reduction of the gradients of all leaves over ranks, in the order of TreeSum. It runs on the hosts, or, if each rank
/// has a device and at most one leaf, on the devices, from which each host then copies the part it needs. The results
/// are bitwise identical. For each update: `next_leaf_buffer`, write the gradient, `add`, for every leaf of this rank;
/// then `finish`.
class Gradients {
 public:
  /// How the sum is computed and delivered.
  struct ReductionOptions {
    bool on_devices = false;  ///< reduce on the devices by NCCL
    bool overlap = true;      ///< add gradients to the sum while others are still being computed; not on devices
    comm::Delivery delivery;
  };
  /// Keeps references to `world` and `parameters`. `leaves`: number of leaves of all ranks. Collective if sums are on
  /// devices, which are then tested: throws Error (exit 3) if a rank has several leaves, (exit 2) if NCCL sums wrongly.
  Gradients(comm::World& world, Parameters& parameters, int64_t leaves, ReductionOptions way);
  ~Gradients();

  /// Leaves of this rank.
  comm::ElementRange mine() const { return hosts_.mine(); }
  /// Buffer for the gradient of the next leaf (see TreeSum::next_leaf_buffer).
  std::span<float> next_leaf_buffer() { return hosts_.next_leaf_buffer(); }
  /// Callback for `Parameters::differentiate` that adds final elements to the sum early; null if this is not wanted.
  Parameters::OnReady early_adder();
  /// Local. Adds a leaf of this rank, in ascending order. Throws std::logic_error for another leaf.
  void add(int64_t leaf, std::span<const float> gradient);
  /// Collective. Returns the sum, or this rank's slice of it with `delivery.slice`; valid until the next call of
  /// `next_leaf_buffer`, `add` or `finish`.
  std::span<float> finish();
  /// Frees the buffers on the host until the next use. Does nothing for a model on a device, which has pinned them.
  void free_buffers() {
    if (!parameters_.device_gradients().defined()) hosts_.forget_vectors();
  }

 private:
  void try_devices();  // throws if NCCL's sums differ from those of the hosts

  comm::World& world_;
  Parameters& parameters_;
  const int64_t leaves_;
  const bool slice_, overlap_;                     // comm::Delivery::slice, ReductionOptions::overlap
  comm::TreeSum hosts_;                            // the sum on the hosts
  std::unique_ptr<comm::DeviceMessages> devices_;  // NCCL; null: sums are on the hosts
  bool added_ = false;                             // on devices: this rank's leaf was added
};

/// Collective. Sums device tensors over ranks, in the order of TreeSum. `own`: the gradient of this rank's leaf, with
/// the same length on every rank; overwritten with the sum: all of it if `whole`, otherwise only this rank's slice is
/// valid. Asynchronous: the work is queued on the device.
void sum_on_devices(comm::World& world, comm::DeviceMessages& devices, int64_t leaves, const at::Tensor& own,
                    bool whole);

}  // namespace compeer::train
