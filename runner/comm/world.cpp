// Collectives and the ways to end a job, by MPI. A world of one rank does not use MPI.
#include "comm/world.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "comm/launcher.h"
#include "comm/mpi.h"

namespace compeer::comm {

namespace {

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// Returns a hash of a call's name (FNV-1a), by which ranks compare their calls. Without the top bits, so that it can be
// negated.
int64_t number_of(const std::string& call) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : call) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int64_t>(hash >> 2);
}

// The state that each rank sends when ranks are in different calls.
struct Whereabouts {
  int64_t number;
  char call[64], phase[longest_phase], plugin[longest_plugin];
};

constexpr unsigned patience = 10;  // seconds that MPI may take to end a job

// Ends this process after that time if MPI has not ended it before.
void exit_after(unsigned seconds, int code) {
  static std::atomic<int> exit_code;
  exit_code = code;
  struct sigaction action = {};
  action.sa_handler = [](int) { ::_exit(exit_code); };
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(seconds);
}

// Waits until all ranks are here, so that they have closed their files, but at most half of `patience`, in case one of
// them never arrives.
void wait_for_all(MPI_Comm ranks) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience / 2);
  MPI_Request all_here;
  if (MPI_Ibarrier(ranks, &all_here) != MPI_SUCCESS) return;
  int done = 0;
  while (!done && std::chrono::steady_clock::now() < until) {
    if (MPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    ::sched_yield();
  }
}

}  // namespace

World::World(size_t largest_message) : host_(host_name()), largest_message_(largest_message) {
  const auto launched = launched_ranks();
  if (launched == 1) {
    move_main_slot(nullptr);
    return;
  }
  // Makes a waiting rank yield its core: otherwise two ranks become several times slower as soon as there is any other
  // load. Open MPI yields by default only if there are more ranks than cores.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int threads = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  mpi_ = std::make_unique<Mpi>();
  mpi_->threads = threads == MPI_THREAD_MULTIPLE;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &mpi_->ranks), "MPI_Comm_dup");
  MPI_Comm_rank(mpi_->ranks, &rank_);
  MPI_Comm_size(mpi_->ranks, &size_);
  if (launched && *launched != size_) {
    throw Error("",
                "the launcher started " + std::to_string(*launched) + " ranks, but MPI sees " + std::to_string(size_),
                "start with the mpirun of the Open MPI that compeer was built with, or srun --mpi=pmix", Exit::usage);
  }
  std::vector<char> names(static_cast<size_t>(size_) * MPI_MAX_PROCESSOR_NAME);
  std::array<char, MPI_MAX_PROCESSOR_NAME> mine = {};
  host_.copy(mine.data(), mine.size() - 1);
  check(MPI_Allgather(mine.data(), mine.size(), MPI_CHAR, names.data(), mine.size(), MPI_CHAR, mpi_->ranks),
        "MPI_Allgather");
  for (int i = 0; i < size_; ++i) mpi_->hosts.emplace_back(&names[static_cast<size_t>(i) * mine.size()]);
  mpi_->share_board(rank_);
}

World::~World() {
  if (!mpi_) return;
  if (std::uncaught_exceptions() > 0) abort(Exit::failure);
  try {
    finish();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "compeer: %s\n", e.what());
    abort(Exit::failure);
  }
}

int World::local_rank() const {
  if (!mpi_) return 0;
  return static_cast<int>(std::count(mpi_->hosts.begin(), mpi_->hosts.begin() + rank_, host_));
}

bool World::one_host() const {
  return !mpi_ || std::ranges::all_of(mpi_->hosts, [&](const std::string& host) { return host == host_; });
}

void World::broadcast(std::string& bytes) {
  if (!mpi_) return;
  const Waiting waiting("broadcast");
  bytes.resize(static_cast<size_t>(check_same_call("broadcast", rank_ == 0 ? static_cast<int64_t>(bytes.size()) : 0)));
  spread(std::as_writable_bytes(std::span(bytes)), 0);
}

void World::broadcast(std::span<std::byte> bytes, int from) {
  if (!mpi_) return;
  const Waiting waiting("broadcast");
  check_same_call("broadcast of " + std::to_string(bytes.size()) + " bytes", 0);
  spread(bytes, from);
}

void World::spread(std::span<std::byte> bytes, int from) {
  for (; !bytes.empty(); bytes = bytes.subspan(piece(bytes))) {
    check(MPI_Bcast(bytes.data(), piece(bytes), MPI_BYTE, from, mpi_->ranks), "MPI_Bcast",
          [&] { return "from " + mpi_->name(from); });
  }
}

int World::piece(std::span<const std::byte> bytes) const {
  constexpr size_t most = std::numeric_limits<int>::max();
  return static_cast<int>(std::min({bytes.size(), largest_message_, most}));
}

std::vector<std::string> World::gather(std::string_view bytes) {
  if (!mpi_) return {std::string(bytes)};
  const Waiting waiting("gather");
  check_same_call("gather", 0);
  const int64_t length = static_cast<int64_t>(bytes.size());
  std::vector<int64_t> lengths(rank_ == 0 ? size_ : 0);
  check(MPI_Gather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, 0, mpi_->ranks), "MPI_Gather");
  if (rank_ != 0) {
    send(std::as_bytes(std::span(bytes)), 0);
    return {};
  }
  std::vector<std::string> all{std::string(bytes)};
  for (int i = 1; i < size_; ++i) {
    receive(std::as_writable_bytes(std::span(all.emplace_back(lengths[i], '\0'))), i);
  }
  return all;
}

void World::send(std::span<const std::byte> bytes, int to) {
  const Waiting waiting("send to rank " + std::to_string(to));
  for (; !bytes.empty(); bytes = bytes.subspan(piece(bytes))) {
    check(MPI_Send(bytes.data(), piece(bytes), MPI_BYTE, to, 0, mpi_->ranks), "MPI_Send",
          [&] { return "to " + mpi_->name(to); });
  }
}

void World::receive(std::span<std::byte> bytes, int from) {
  const Waiting waiting("receive from rank " + std::to_string(from));
  for (; !bytes.empty(); bytes = bytes.subspan(piece(bytes))) {
    check(MPI_Recv(bytes.data(), piece(bytes), MPI_BYTE, from, 0, mpi_->ranks, MPI_STATUS_IGNORE), "MPI_Recv",
          [&] { return "from " + mpi_->name(from); });
  }
}

void World::post(std::span<const std::byte> bytes, int to) {
  for (; !bytes.empty(); bytes = bytes.subspan(piece(bytes))) {
    check(MPI_Isend(bytes.data(), piece(bytes), MPI_BYTE, to, 0, mpi_->ranks, &mpi_->posted.emplace_back()),
          "MPI_Isend", [&] { return "to " + mpi_->name(to); });
  }
}

void World::delivered() {
  if (!mpi_) return;
  const Waiting waiting("delivery of sent messages");
  check(MPI_Waitall(static_cast<int>(mpi_->posted.size()), mpi_->posted.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  mpi_->posted.clear();
}

int64_t World::check_same_call(const std::string& call, int64_t value) {
  const int64_t number = number_of(call);
  // The maximum of `number` and of `-number` gives its maximum and minimum over ranks, which are equal if all agree.
  std::array<int64_t, 3> told{number, -number, value};
  check(MPI_Allreduce(MPI_IN_PLACE, told.data(), told.size(), MPI_INT64_T, MPI_MAX, mpi_->ranks), "MPI_Allreduce");
  if (told[0] != -told[1]) disagree(call);
  return told[2];
}

void World::disagree(const std::string& call) {
  Whereabouts mine = {};
  mine.number = number_of(call);
  call.copy(mine.call, sizeof mine.call - 1);
  copy_activity(mine.phase, mine.plugin);
  std::vector<Whereabouts> all(size_);
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, mpi_->ranks), "MPI_Allgather");
  // Blames a rank that has left its task, otherwise one in the least frequent call. Of several it blames the highest
  // rank, because rank 0 takes the lead in collectives.
  const auto weight = [&](const Whereabouts& one) {
    if (final_barrier == one.call) return std::ptrdiff_t{0};
    return std::count_if(all.begin(), all.end(), [&](const auto& other) { return one.number == other.number; });
  };
  int odd = size_ - 1, other = 0;
  for (int i = size_ - 1; i >= 0; --i) {
    if (weight(all[i]) < weight(all[odd])) odd = i;
  }
  while (all[other].number == all[odd].number) ++other;
  const std::string there = "while " + mpi_->name(other) + " is at '" + all[other].call + "'";
  Fault fault{odd, mpi_->hosts[odd], all[odd].phase, all[odd].plugin, "", "", "", static_cast<int>(Exit::failure)};
  fault.what =
      (final_barrier == all[odd].call ? "has left its task " : "is at '" + std::string(all[odd].call) + "' ") + there;
  fault.help = "a rank has caught an error of its own, returned early or taken another branch";
  throw RankError(fault, size_);
}

bool World::any(bool mine) {
  if (!mpi_) return mine;
  const Waiting waiting("any");
  return check_same_call("any", mine) != 0;
}

void World::barrier(const std::string& name) {
  if (!mpi_) return;
  const Waiting waiting(name);
  check_same_call(name, 0);
}

void World::agree(const std::string& what, const std::string& value) {
  if (!mpi_) return;
  const auto values = gather(value);
  Fault fault;
  std::string verdict;
  if (rank_ == 0) {
    for (int i = size_ - 1; i > 0; --i) {
      if (values[i] == value) continue;
      fault.rank = i;
      fault.what = mpi_->name(i) + " has " + values[i] + (fault.what.empty() ? "" : ", ") + fault.what;
    }
    fault.what = "the " + what + " differs between ranks: " + mpi_->name(0) + " has " + value + ", " + fault.what;
    fault.host = mpi_->hosts[fault.rank];
    fault.phase = activity().phase;
    fault.help = "every rank needs the same files, program and plugins";
    if (fault.rank != 0) verdict = to_json(fault);
  }
  broadcast(verdict);
  if (!verdict.empty()) throw RankError(fault_from_json(verdict), size_);
}

void World::throw_on_all_ranks(const std::string& phase, const std::exception_ptr& failure) {
  if (!mpi_) {
    if (failure) throw RankError(fault_of(failure, rank_, host_), size_);
    return;
  }
  const Waiting waiting("barrier of phase '" + phase + "'");
  // The maximum selects the lowest failing rank; 0 means that no rank has failed.
  const int64_t worst = check_same_call("barrier of phase '" + phase + "'", failure ? size_ - rank_ : 0);
  if (worst == 0) return;
  const int culprit = size_ - static_cast<int>(worst);
  std::string text = rank_ == culprit ? to_json(fault_of(failure, rank_, host_)) : "";
  int64_t length = static_cast<int64_t>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT64_T, culprit, mpi_->ranks), "MPI_Bcast");
  text.resize(static_cast<size_t>(length));
  check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, culprit, mpi_->ranks), "MPI_Bcast");
  throw RankError(fault_from_json(text), size_);
}

void fail(int code, const char* call, const std::string& with) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  const Activity at = activity();
  throw Error(at.phase.empty() ? "communication" : "phase '" + at.phase + "'",
              std::string(call) + " " + with + " failed: " + text, "another rank or its host has probably died",
              Exit::failure);
}

void World::finish() {
  if (!mpi_) return;
  barrier(final_barrier);
  mpi_->close_board();
  MPI_Comm_free(&mpi_->ranks);
  MPI_Finalize();
  mpi_.reset();
}

void World::leave(int code) {
  std::fflush(nullptr);
  if (mpi_) wait_for_all(mpi_->ranks);
  if (rank_ == 0) abort(code);
  exit_after(patience, code);
  for (;;) ::pause();
}

void World::abort(int code) {
  if (!mpi_) ::_exit(code);
  exit_after(patience, code);
  const bool allowed = mpi_->threads || on_main_thread();
  if (allowed) MPI_Abort(MPI_COMM_WORLD, code);
  ::_exit(code);
}

}  // namespace compeer::comm
