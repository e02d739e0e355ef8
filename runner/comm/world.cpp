#include "comm/world.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

}  // namespace

World::World(size_t largest_message) : host_(host_name()), largest_message_(largest_message) {
  const auto launched = launched_ranks();
  if (launched == 1) {
    move_main_slot(nullptr);
    return;
  }
  // A rank that waits should leave its core to ranks that work: without this, two ranks beside any other load are
  // several times slower. Open MPI does it of itself only with more ranks than cores.
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
  bytes.resize(static_cast<size_t>(meet("broadcast", rank_ == 0 ? static_cast<int64_t>(bytes.size()) : 0)));
  spread(std::as_writable_bytes(std::span(bytes)), 0);
}

void World::broadcast(std::span<std::byte> bytes, int from) {
  if (!mpi_) return;
  const Waiting waiting("broadcast");
  meet("broadcast of " + std::to_string(bytes.size()) + " bytes", 0);
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
  meet("gather", 0);
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
  const Waiting waiting("delivery of what was sent");
  check(MPI_Waitall(static_cast<int>(mpi_->posted.size()), mpi_->posted.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  mpi_->posted.clear();
}

}  // namespace compeer::comm
