#include "inference/interruption.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"

namespace compeer::inference {

namespace {

// A signal handler can reach nothing else.
volatile sig_atomic_t interrupted = 0;
int event = -1;

void note(int) {
  const int before = errno;
  interrupted = 1;
  ::eventfd_write(event, 1);
  errno = before;
}

}  // namespace

Interruption::Interruption(bool wanted) : wanted_(wanted) {
  interrupted = 0;
  if (!wanted_) return;
  event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event < 0)
    throw Error("", std::string("can't install the Ctrl-C handler: eventfd failed: ") + std::strerror(errno),
                "raise the limit on open files (ulimit -n)", Exit::failure);
  struct sigaction action = {};
  action.sa_handler = note;
  ::sigaction(SIGINT, &action, &before_);
}

Interruption::~Interruption() {
  if (!wanted_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  ::close(event);
  event = -1;
}

bool Interruption::raised() const { return interrupted != 0; }

void Interruption::clear() {
  eventfd_t count = 0;
  if (wanted_) ::eventfd_read(event, &count);
  interrupted = 0;
}

int Interruption::descriptor() const { return event; }

}  // namespace compeer::inference
