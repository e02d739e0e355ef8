#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/world.h"

namespace compeer::comm {

/// Messages between ranks that travel while both sides do other things. Not collective; nothing waits but `wait`.
///
/// Each message bears one of `marks` numbers, so that it does not matter in which order different ones are posted and
/// expected; those of the same mark arrive in order. Objects of this class never see each other's messages, as long as
/// all ranks make them in the same order.
class Messages {
 public:
  Messages(World& world, int64_t marks);
  ~Messages();  ///< with nothing under way
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// The bytes belong to the message until `under_way` is back where it was: it counts parts that are not through yet.
  void post(std::span<const std::byte> bytes, int to, int64_t mark, int& under_way);
  void expect(std::span<std::byte> bytes, int from, int64_t mark, int& under_way);

  void look();  ///< counts what is through by now
  void wait();  ///< the same, but for at least one more part, if any is under way

  bool none() const;

  /// Gives up all that is under way, after a failure. MPI may still read or write `memory`: it is kept as long as the
  /// world stands.
  void abandon(std::shared_ptr<void> memory);

 private:
  struct UnderWay;
  int tag(int64_t mark) const { return static_cast<int>(first_tag_ + mark); }
  void count(bool wait);

  World& world_;
  int64_t first_tag_ = 0;
  std::unique_ptr<UnderWay> under_way_;
};

}  // namespace compeer::comm
