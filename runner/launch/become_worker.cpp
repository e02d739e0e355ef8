#include "launch/become_worker.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/error.h"
#include "launch/worker_program.h"

namespace compeer::launch {

void become_worker(const std::string& name, const nlohmann::json& options, int threads) {
  const std::string program = find_worker(), text = options.dump();
  for (const std::string& variable : arithmetic_environment(threads)) {
    const auto end = variable.find('=');
    ::setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
  }
  std::signal(SIGPIPE, SIG_DFL);  // a reader that goes away ends the program
  std::cout.flush();
  ::execl(program.c_str(), program.c_str(), "model", name.c_str(), text.c_str(), nullptr);
  throw Error(program, std::string("can't be started: ") + std::strerror(errno), "", Exit::failure);
}

}  // namespace compeer::launch
