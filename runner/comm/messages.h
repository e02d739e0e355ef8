#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/world.h"

namespace compeer::comm {

/// Asynchronous point-to-point messages between ranks (MPI_Isend, MPI_Irecv). All functions are local, that is, other
/// ranks need not call them at the same time, and only `wait` blocks. For the main thread only.
///
/// Every message has a mark, a tag in [0, marks). Between two ranks, messages with different marks may be sent and
/// received in any order; messages with the same mark arrive in order. Objects of this class do not receive each
/// other's messages, as long as all ranks construct them in the same order.
class Messages {
 public:
  /// Keeps a reference to `world`. Throws std::length_error if MPI has fewer than `marks` tags.
  Messages(World& world, int64_t marks);
  /// All messages must be complete, or abandoned.
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Start sending a message to rank `to`, and receiving one from rank `from`, which has as many bytes. Long messages
  /// are split into parts: each part increments the caller's counter `under_way`, and `poll` or `wait` decrements it
  /// when the part is complete. `bytes` and `under_way` must stay valid, and `bytes` untouched, until then.
  void send_async(std::span<const std::byte> bytes, int to, int64_t mark, int& under_way);
  void receive_async(std::span<std::byte> bytes, int from, int64_t mark, int& under_way);

  /// Updates the counters of parts that are complete by now.
  void poll();
  /// Blocks until at least one more part is complete, and updates the counters. Returns at once if no message is under
  /// way.
  void wait();

  /// True if no message is under way.
  bool none() const;

  /// Cancels all messages under way, after a failure. MPI may still read or write `memory`, which is therefore kept
  /// until the `World` is finished.
  void abandon(std::shared_ptr<void> memory);

 private:
  struct UnderWay;  // the MPI requests of incomplete parts, with their counters
  int tag(int64_t mark) const { return static_cast<int>(first_tag_ + mark); }  // the MPI tag for a mark
  void count(bool wait);  // decrements counters of complete parts; wait: first blocks until one more is complete

  World& world_;
  int64_t first_tag_ = 0;  // MPI tag of mark 0
  std::unique_ptr<UnderWay> under_way_;
};

}  // namespace compeer::comm
