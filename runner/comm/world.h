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

/// Name of the barrier of World::finish, which a rank enters after its work. If ranks are in different calls, a rank
/// that is already in this barrier is reported as the cause.
inline const std::string final_barrier = "the end";

/// The ranks of a run and the communication between them. A rank is one of the run's processes. One object per process,
/// used by the main thread.
///
/// Without a launcher (mpirun, srun) it is a world of one rank: MPI is never started and every call is local. Calls are
/// collective unless marked as local: every rank makes them, in the same order. Each of them, except `leave`, begins
/// with one small all-reduce of the call's name. If ranks are in different calls (one returned early or skipped a
/// call), all of them throw the same RankError at once instead of waiting forever. If an MPI call fails, Error (exit
/// code 1: other failure) is thrown on the rank where it failed; it names the call, the peers and the phase.
class World {
 public:
  /// Starts MPI if the process was started by a launcher. Collective. Throws Error (exit code 2: wrong command line or
  /// machine) if the launcher's number of processes differs from MPI's (srun without --mpi=pmix). Messages longer than
  /// `largest_message` bytes are sent in pieces; tests use a small value.
  explicit World(size_t largest_message = size_t{1} << 30);

  /// Calls finish(). With an exception in flight it aborts the job instead: a rank in MPI_Finalize would leave the
  /// others waiting forever.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& host() const { return host_; }  ///< name of this rank's host
  bool one_host() const;                             ///< true if all ranks are on the same host
  int local_rank() const;                            ///< index of this rank among the ranks of its host

  /// Sends rank 0's `bytes` to all ranks; resizes the string on the others.
  void broadcast(std::string& bytes);
  /// Sends the bytes of rank `from` to all ranks. `bytes` has the same size on every rank.
  void broadcast(std::span<std::byte> bytes, int from = 0);

  /// Returns every rank's bytes, in rank order, on rank 0; an empty vector on the other ranks.
  std::vector<std::string> gather(std::string_view bytes);

  /// Returns true on every rank if `mine` is true on any rank (logical or).
  bool any(bool mine);

  /// Throws RankError (exit code 1), naming the ranks and values, if `value` is not the same on all ranks. `what` names
  /// the value in the message.
  void agree(const std::string& what, const std::string& value);

  /// Waits until all ranks have called it. `name` identifies the barrier in error messages.
  void barrier(const std::string& name = "barrier");

  /// Runs `work` on every rank inside phase `phase` and returns its result. If `work` throws on any rank, every rank
  /// throws the error of the lowest failing rank as a RankError. `work` must not communicate. Costs one small
  /// all-reduce.
  template <typename Work>
  auto run_on_all_ranks(const std::string& phase, Work&& work) -> std::invoke_result_t<Work> {
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
    throw_on_all_ranks(phase, failure);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }

  /// Local. Sends bytes to rank `to`, or receives them from rank `from`, which must receive or send the same number of
  /// bytes. Blocks. Not in a world of one rank, like `post`.
  void send(std::span<const std::byte> bytes, int to);
  void receive(std::span<std::byte> bytes, int from);

  /// Local. Like `send`, but does not block: `bytes` must stay valid and unchanged until `delivered` returns.
  void post(std::span<const std::byte> bytes, int to);
  /// Local. Waits until all messages of `post` are sent.
  void delivered();

  /// Ends communication in order: a barrier, then MPI_Finalize. No call may follow.
  void finish();

  /// Ends the job with an exit code other than 0 that all ranks have agreed on. Every rank calls it: rank 0 aborts the
  /// job once all ranks have arrived, or after 5 s; the others wait to be ended.
  [[noreturn]] void leave(int code);

  /// Local, thread-safe. Ends the processes of all ranks immediately. `code`: exit code of the job.
  [[noreturn]] void abort(int code);
  [[noreturn]] void abort(Exit code) { abort(static_cast<int>(code)); }

  /// Local, thread-safe. Returns the name of the call in which the main thread waits for other ranks; empty if it does
  /// not wait.
  std::string waiting_in() const;

  /// State of another rank on this host, for the watchdog, which looks for hanging or dead ranks.
  struct Neighbour {
    int rank = 0;
    int pid = 0;
    Activity activity;       ///< phase and plugin of its main thread
    std::string waiting_in;  ///< communication call that it waits in; empty if it does not wait
    uint64_t progress = 0;   ///< counter that the rank increments while it works
    char state = '?';        ///< process state as in /proc: R, S, D, T (stopped), Z; 'X': gone, '?': not visible
  };
  /// Local, thread-safe. Returns the other ranks of this host.
  std::vector<Neighbour> neighbours() const;

 private:
  friend class Messages;
  struct Mpi;
  // Collective, one all-reduce. Checks that all ranks are in the call named `call`, and returns the maximum of their
  // values.
  int64_t check_same_call(const std::string& call, int64_t value);
  // Collective. Throws the RankError for ranks in different calls; `call` is this rank's.
  [[noreturn]] void disagree(const std::string& call);
  // Second half of run_on_all_ranks(): throws on all ranks if `failure` is set on any.
  void throw_on_all_ranks(const std::string& phase, const std::exception_ptr& failure);
  // Collective. Broadcasts from rank `from` without the check that all ranks are in this call.
  void spread(std::span<std::byte> bytes, int from);
  // Returns the number of bytes at the front of `bytes` to be sent as one message.
  int piece(std::span<const std::byte> bytes) const;

  int rank_ = 0, size_ = 1;
  std::string host_;
  size_t largest_message_;    // in bytes
  std::unique_ptr<Mpi> mpi_;  // MPI's state; null in a world of one rank
};

/// Collective. Passes a value through all ranks in rank order, each of which replaces it by `work(value)`, and returns
/// the last rank's result on every rank: a sequential fold over the ranks. `work` must not throw, and T must be
/// trivially copyable.
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
