#include "app/model/become_worker.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "app/launch/worker_program.h"
#include "base/error.h"

namespace compeer::app {

void become_worker(const std::string& name, const nlohmann::json& options, int threads) {
  const std::string program = find_worker(), text = options.dump();
  if (threads > 0) {
    for (const char* variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
      ::setenv(variable, std::to_string(threads).c_str(), 1);
  }
  std::signal(SIGPIPE, SIG_DFL);  // a reader that goes away ends the program
  std::cout.flush();
  ::execl(program.c_str(), program.c_str(), "model", name.c_str(), text.c_str(), nullptr);
  throw Error(program, std::string("can't be started: ") + std::strerror(errno), "", Exit::failure);
}

}  // namespace compeer::app
