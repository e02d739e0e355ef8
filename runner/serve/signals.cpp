#include "serve/signals.h"

#include <ctime>

#include "base/stop_requests.h"

namespace compeer::serve {

EndSignals::EndSignals(std::function<bool()> told) : told_(std::move(told)) {
  sigemptyset(&both_);
  sigaddset(&both_, SIGINT);
  sigaddset(&both_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &both_, &before_);
  thread_ = std::thread([this] { wait(); });
}

EndSignals::~EndSignals() {
  over_ = true;
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndSignals::wait() {
  const timespec while_looking{0, 100'000'000};
  StopRequests requests;
  while (!over_) {
    const int signal = sigtimedwait(&both_, nullptr, &while_looking);
    if (signal <= 0) continue;
    const int before = requests.count();
    if (requests.add() == before || (before == 0 && told_())) continue;
    for (const int either : {SIGINT, SIGTERM}) std::signal(either, SIG_DFL);  // shells ignore SIGINT behind '&'
    pthread_sigmask(SIG_UNBLOCK, &both_, nullptr);
    std::raise(signal);
  }
}

}  // namespace compeer::serve
