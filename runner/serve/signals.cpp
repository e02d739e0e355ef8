#include "serve/signals.h"

#include <ctime>

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
  bool told = false;
  while (!over_) {
    if (told) {
      nanosleep(&while_looking, nullptr);
    } else if (const int signal = sigtimedwait(&both_, nullptr, &while_looking); signal > 0) {
      told = true;
      const bool heard = told_();
      for (const int either : {SIGINT, SIGTERM}) std::signal(either, SIG_DFL);  // shells ignore SIGINT behind '&'
      pthread_sigmask(SIG_UNBLOCK, &both_, nullptr);
      if (!heard) std::raise(signal);
    }
  }
}

}  // namespace compeer::serve
