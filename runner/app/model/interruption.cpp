#include "app/model/interruption.h"

namespace compeer::app {

namespace {

volatile sig_atomic_t interrupted = 0;  // a signal handler can reach nothing else

void note(int) { interrupted = 1; }

}  // namespace

Interruption::Interruption(bool wanted) : wanted_(wanted) {
  interrupted = 0;
  if (!wanted_) return;
  struct sigaction action = {};
  action.sa_handler = note;  // without SA_RESTART: waiting for a line ends too
  ::sigaction(SIGINT, &action, &before_);
}

Interruption::~Interruption() {
  if (wanted_) ::sigaction(SIGINT, &before_, nullptr);
}

bool Interruption::raised() const { return interrupted != 0; }
void Interruption::clear() { interrupted = 0; }

}  // namespace compeer::app
