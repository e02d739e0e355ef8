#include "worker/estimate_memory.h"

#include <iostream>

#include "base/plain_file.h"
#include "base/scratch.h"
#include "comm/stop_flag.h"
#include "worker/task.h"

namespace compeer::worker {

int estimate_memory(const nlohmann::json& options) {
  const auto spec_file = nlohmann::json::parse(read_plain_file(options.at("input").get<std::string>(), 64 << 20));
  const Scratch scratch;
  comm::StopFlag stop;
  std::cout << nlohmann::json{{"mib", estimate_memory(spec_file, scratch.folder(), stop)}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::worker
