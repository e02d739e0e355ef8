#include <algorithm>
#include <array>

#include "comm/mpi.h"

namespace compeer::comm {

namespace {

// Calls are compared by a number: FNV-1a, without its top bits so that its negative exists.
int64_t number_of(const std::string& call) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : call) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int64_t>(hash >> 2);
}

// What a rank says of itself when ranks turn out to be in different calls.
struct Whereabouts {
  int64_t number;
  char call[64], phase[longest_phase], plugin[longest_plugin];
};

}  // namespace

int64_t World::meet(const std::string& call, int64_t value) {
  const int64_t number = number_of(call);
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
  // To blame is a rank that has left its task, else one with the rarest call, the last of these since rank 0 leads.
  const auto weight = [&](const Whereabouts& one) {
    if (the_end == one.call) return std::ptrdiff_t{0};
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
      (the_end == all[odd].call ? "has left its task " : "is at '" + std::string(all[odd].call) + "' ") + there;
  fault.help = "a rank has caught an error of its own, returned early or taken another branch";
  throw RankError(fault, size_);
}

bool World::any(bool mine) {
  if (!mpi_) return mine;
  const Waiting waiting("any");
  return meet("any", mine) != 0;
}

void World::barrier(const std::string& name) {
  if (!mpi_) return;
  const Waiting waiting(name);
  meet(name, 0);
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

void World::settle(const std::string& phase, const std::exception_ptr& failure) {
  if (!mpi_) {
    if (failure) throw RankError(fault_of(failure, rank_, host_), size_);
    return;
  }
  const Waiting waiting("together '" + phase + "'");
  // The largest value wins, so lower ranks count more; 0: nobody has failed.
  const int64_t worst = meet("together '" + phase + "'", failure ? size_ - rank_ : 0);
  if (worst == 0) return;
  const int culprit = size_ - static_cast<int>(worst);
  std::string text = rank_ == culprit ? to_json(fault_of(failure, rank_, host_)) : "";
  int64_t length = static_cast<int64_t>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT64_T, culprit, mpi_->ranks), "MPI_Bcast");
  text.resize(static_cast<size_t>(length));
  check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, culprit, mpi_->ranks), "MPI_Bcast");
  throw RankError(fault_from_json(text), size_);
}

}  // namespace compeer::comm
