#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/fault.h"
#include "comm/phase.h"

namespace compeer::comm {

/// The barrier at which a rank that has done its task waits for the others: one that is there too early is to blame.
inline const std::string the_end = "the end";

/// The ranks of a run, and all they say to each other. One per process, used by the main thread.
///
/// Without a launcher (mpirun, srun) it is a world of one, in which MPI is never started and every call is local.
/// Calls are collective unless they say otherwise: every rank makes them, in the same order. Each begins with one small
/// allreduce that carries the call's name, so ranks that disagree about what comes next (one returned early, one
/// skipped a call) all throw the same RankError at once instead of waiting forever. Any other error of MPI is thrown on
/// the rank that sees it, naming the call, the peers and the phase.
class World {
 public:
  /// Throws Error if the launcher started more processes than MPI can see (srun without --mpi=pmix).
  /// `largest_message` in bytes; longer ones go in pieces (tests make it small).
  explicit World(size_t largest_message = size_t{1} << 30);

  /// Finishes, if nothing has failed. With an exception in flight it aborts the job instead: a rank that walked into
  /// MPI_Finalize would leave the others waiting forever.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& host() const { return host_; }
  bool one_host() const;   ///< all ranks are on it
  int local_rank() const;  ///< among those on this host

  /// Rank 0's bytes, of any size, to everyone.
  void broadcast(std::string& bytes);
  /// The bytes of one rank; every rank has the room already.
  void broadcast(std::span<std::byte> bytes, int from = 0);

  /// Every rank's bytes, in rank order, on rank 0; nothing elsewhere.
  std::vector<std::string> gather(std::string_view bytes);

  /// True everywhere if true anywhere.
  bool any(bool mine);

  /// Throws RankError (exit 1) that names the ranks whose value differs from rank 0's.
  void agree(const std::string& what, const std::string& value);

  /// Waits for all. The name is what an error calls it.
  void barrier(const std::string& name = "barrier");

  /// Ranks fail together: runs local work in a phase of that name; if it throws on any rank, the error of the lowest
  /// such rank is thrown on all, as a RankError. `work` waits for no rank. Costs one small allreduce.
  template <typename Work>
  auto together(const std::string& phase, Work&& work) -> std::invoke_result_t<Work> {
    using Result = std::invoke_result_t<Work>;
    const Phase here(phase);
    std::exception_ptr failure;
    std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
    try {
      if constexpr (std::is_void_v<Result>) {
        work();
      } else {
        result.emplace(work());
      }
    } catch (...) {
      failure = std::current_exception();
    }
    settle(phase, failure);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }

  /// Not collective: from one rank to another, in pieces; both sides know the length.
  void send(std::span<const std::byte> bytes, int to);
  void receive(std::span<std::byte> bytes, int from);

  /// Not collective: as `send`, but goes on at once; the bytes must stay as they are until `delivered` returns.
  void post(std::span<const std::byte> bytes, int to);
  void delivered();

  /// The orderly end: meets all ranks, then MPI_Finalize. Nothing may be called afterwards.
  void finish();

  /// The agreed end with another code than 0, called by every rank: rank 0 ends the job, the others wait for that.
  [[noreturn]] void leave(int code);

  /// Not collective, from any thread: ends all ranks now, as they are.
  [[noreturn]] void abort(int code);
  [[noreturn]] void abort(Exit code) { abort(static_cast<int>(code)); }

  /// Not collective, from any thread: the call in which the main thread waits for others now, or "" if it works.
  std::string waiting_in() const;

  /// Not collective, from any thread: the other ranks of this host, as the watchdog sees them.
  struct Neighbour {
    int rank = 0;
    int pid = 0;
    Activity activity;
    std::string waiting_in;
    uint64_t progress = 0;
    char state = '?';  ///< as in /proc: R, S, D, T (stopped), Z; 'X' gone; '?' cannot be seen
  };
  std::vector<Neighbour> neighbours() const;

 private:
  friend class Messages;
  struct Mpi;
  int64_t meet(const std::string& call, int64_t value);
  [[noreturn]] void disagree(const std::string& call);
  void settle(const std::string& phase, const std::exception_ptr& failure);
  void spread(std::span<std::byte> bytes, int from);
  int piece(std::span<const std::byte> bytes) const;

  int rank_ = 0, size_ = 1;
  std::string host_;
  size_t largest_message_;
  std::unique_ptr<Mpi> mpi_;  // null in a world of one
};

/// Collective. A value on its way through all ranks, in their order: each makes `work(value)` of it. Everyone gets what
/// the last one makes, as if one rank had done it all. `work` must not throw.
template <typename T, typename Work>
T in_turn(World& world, T value, Work work) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  if (world.rank() > 0) world.receive(bytes, world.rank() - 1);
  value = work(value);
  if (world.rank() + 1 < world.size()) world.send(bytes, world.rank() + 1);
  world.broadcast(bytes, world.size() - 1);
  return value;
}

}  // namespace compeer::comm
