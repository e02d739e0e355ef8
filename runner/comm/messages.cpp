// Asynchronous messages by MPI_Isend and MPI_Irecv, with a counter for each group of messages.
#include "comm/messages.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "comm/mpi.h"

namespace compeer::comm {

struct Messages::UnderWay {
  std::vector<MPI_Request> requests;
  struct MessagePart {
    int* left;  // the caller's counter of incomplete parts
    int peer;
    bool incoming;
  };
  std::vector<MessagePart> parts;  // parts[i] belongs to requests[i]
  std::vector<int> through;        // output of MPI_Waitsome: indices of complete requests
  std::vector<MPI_Status> states;  // output of MPI_Waitsome

  // Adds a part and increments its counter. Returns the place for its request.
  MPI_Request* begin(MessagePart part) {
    parts.push_back(part);
    ++*part.left;
    return &requests.emplace_back();
  }
};

// Takes the next `marks` tags. Tag 0 is used by `World`. A range that would exceed MPI's largest tag wraps around to 1,
// where earlier messages are complete by then.
Messages::Messages(World& world, int64_t marks) : world_(world), under_way_(std::make_unique<UnderWay>()) {
  if (!world.mpi_) return;
  int* most = nullptr;
  int known = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known), "MPI_Comm_get_attr");
  if (marks >= *most) throw std::length_error("Messages: MPI has " + std::to_string(*most) + " tags");
  int64_t& next = world.mpi_->next_tag;
  if (next + marks > *most) next = 1;
  first_tag_ = next;
  next += marks;
}

Messages::~Messages() = default;

void Messages::send_async(std::span<const std::byte> bytes, int to, int64_t mark, int& under_way) {
  for (; !bytes.empty(); bytes = bytes.subspan(static_cast<size_t>(world_.piece(bytes)))) {
    check(MPI_Isend(bytes.data(), world_.piece(bytes), MPI_BYTE, to, tag(mark), world_.mpi_->ranks,
                    under_way_->begin({&under_way, to, false})),
          "MPI_Isend", [&] { return "to " + world_.mpi_->name(to); });
  }
}

void Messages::receive_async(std::span<std::byte> bytes, int from, int64_t mark, int& under_way) {
  for (; !bytes.empty(); bytes = bytes.subspan(static_cast<size_t>(world_.piece(bytes)))) {
    check(MPI_Irecv(bytes.data(), world_.piece(bytes), MPI_BYTE, from, tag(mark), world_.mpi_->ranks,
                    under_way_->begin({&under_way, from, true})),
          "MPI_Irecv", [&] { return "from " + world_.mpi_->name(from); });
  }
}

bool Messages::none() const { return under_way_->requests.empty(); }

void Messages::poll() { count(false); }

void Messages::wait() {
  const Waiting waiting("messages of other ranks");
  count(true);
}

void Messages::count(bool wait) {
  if (none()) return;
  auto& [requests, parts, through, states] = *under_way_;
  through.resize(requests.size()), states.resize(requests.size());
  int done = 0;
  const int code = (wait ? MPI_Waitsome : MPI_Testsome)(static_cast<int>(requests.size()), requests.data(), &done,
                                                        through.data(), states.data());
  const char* const call = wait ? "MPI_Waitsome" : "MPI_Testsome";
  for (size_t i = 0; i < static_cast<size_t>(done); ++i) {
    const auto& part = parts[static_cast<size_t>(through[i])];
    if (code == MPI_ERR_IN_STATUS && states[i].MPI_ERROR != MPI_SUCCESS)
      fail(states[i].MPI_ERROR, call, (part.incoming ? "from " : "to ") + world_.mpi_->name(part.peer));
    --*part.left;
  }
  check(code, call);
  size_t kept = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    requests[kept] = requests[i], parts[kept++] = parts[i];
  }
  requests.resize(kept), parts.resize(kept);
}

void Messages::abandon(std::shared_ptr<void> memory) {
  for (size_t i = 0; i < under_way_->requests.size(); ++i) {
    if (under_way_->parts[i].incoming) MPI_Cancel(&under_way_->requests[i]);
    MPI_Request_free(&under_way_->requests[i]);
  }
  under_way_->requests.clear(), under_way_->parts.clear();
  if (world_.mpi_) world_.mpi_->kept.push_back(std::move(memory));
}

}  // namespace compeer::comm
