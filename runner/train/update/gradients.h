#pragma once
#include <memory>
#include <span>

#include "comm/device_messages.h"
#include "comm/tree_sum.h"
#include "train/update/parameters.h"

namespace compeer::train {

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
