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

/// A model's parameters and their gradients, each as one flat array, which sums, optimizer and checkpoints work on.
/// The model's own tensors become views of them; those on another device are copies, rounded to what that multiplies.
class Parameters {
 public:
  explicit Parameters(Model& model);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  int64_t size() const { return weights_.numel(); }
  std::span<float> weights();
  /// Call after `weights` were changed: a model on another device gets them.
  void weights_changed();

  /// Is told which elements of a gradient are complete, while others are still computed.
  using Ready = std::function<void(comm::Share elements)>;

  /// All that `backward` adds to the parameters' gradients, into `gradient`, which must live as long as this object.
  struct Part {
    bool on = false;     ///< is added to what was collected last; else that is overwritten
    bool zeros = false;  ///< stand there
    bool more = false;   ///< another goes on before anybody reads it: it may stay where it is until then
  };
  void collect(std::span<float> gradient, Part part, const std::function<void()>& backward);
  /// Of a scalar, which is differentiated in one pass.
  void differentiate(const at::Tensor& loss, std::span<float> gradient, const Ready& ready = nullptr) {
    differentiate(loss, gradient, {}, ready);
  }
  void differentiate(const at::Tensor& loss, std::span<float> gradient, Part part, const Ready& ready);

  /// Gradients on another device, side by side; undefined if the model is on the host.
  const at::Tensor& there() const { return there_; }
  /// From now on they stay there: `collect` leaves its memory alone.
  void keep_there() { stay_ = true; }
  /// These elements of them, into memory that stands for this object's life.
  void bring(std::span<float> into, comm::Share elements);

  /// Whether all numbers are finite of what was collected last.
  bool finite() const { return finite_; }

  /// Called by `backward` when no parameter will be reached by more than one more pass, `ready` hears of each that was.
  /// A model whose gradient comes in several all the same is an Error.
  void last_pass(const Ready& ready);

 private:
  void passed(size_t parameter);
  void look_at(comm::Share elements);
  void pin(std::span<float> memory);
  void collect_there(std::span<float> gradient, Part part, const std::function<void()>& backward);

  std::vector<std::string> names_;
  std::vector<at::Tensor> values_, hosts_;  // the same tensors, unless the model is on another device
  std::vector<comm::Share> places_;
  std::vector<kernels::AfterPass> watches_;
  std::span<float> gradient_;  // that is collected
  bool finite_ = true;
  Ready ready_;               // while the last pass goes on
  std::vector<bool> passed_;  // by it
  at::Tensor weights_;
  at::Tensor there_;
  bool stay_ = false;
  std::map<const float*, inference::Pinned> pinned_;       // what is copied from and to it
  std::map<const float*, std::vector<at::Tensor>> views_;  // of each memory that held gradients
};

/// sum += more, by all threads.
void add(std::span<float> sum, std::span<const float> more);

/// The sum of the gradients of all leaves, in TreeSum's order: on the hosts, or, where each rank has a device and one
/// leaf at most, on the devices, and what this host needs of it comes back. The same bits.
class Gradients {
 public:
  /// Where they are added up, and how ranks are given the sum.
  struct Way {
    bool on_devices = false;
    bool at_once = true;  ///< what is ready is added up while the rest is computed
    comm::Delivery delivery;
  };
  /// With devices collective, which look whether they add up as they should. Throws Error (exit 2 or 3) if they can't.
  Gradients(comm::World& world, Parameters& parameters, int64_t leaves, Way way);
  ~Gradients();

  /// As TreeSum's.
  comm::Share mine() const { return hosts_.mine(); }
  std::span<float> room() { return hosts_.room(); }
  /// What is to be told of elements that are ready; empty where nobody wants to know.
  Parameters::Ready ready();
  void add(int64_t leaf, std::span<const float> gradient);
  std::span<float> finish();
  /// Between updates: on hosts the memory is free for something else. A device's copies know where it is.
  void forget() {
    if (!parameters_.there().defined()) hosts_.forget_vectors();
  }

 private:
  void try_devices();

  comm::World& world_;
  Parameters& parameters_;
  const int64_t leaves_;
  const bool slice_, at_once_;
  comm::TreeSum hosts_;
  std::unique_ptr<comm::DeviceMessages> devices_;
  bool added_ = false;  // this rank's leaf, on its device
};

/// Adds up the tensors that ranks hold on their devices, one leaf each, into this rank's slice of `own`, or all of it
/// if it is to be `whole`. `own` is overwritten. Queued on the device.
void add_up_there(comm::World& world, comm::DeviceMessages& devices, int64_t leaves, const at::Tensor& own, bool whole);

}  // namespace compeer::train
