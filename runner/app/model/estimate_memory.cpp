#include "app/model/estimate_memory.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/plain_file.h"
#include "comm/stop_flag.h"
#include "train/task.h"

namespace compeer::app {

namespace {

class Scratch {
 public:
  Scratch() : name_((std::filesystem::temp_directory_path() / "compeer-memory-XXXXXX").string()) {
    if (!::mkdtemp(name_.data()))
      throw Error(name_, std::string("can't be made: ") + std::strerror(errno), "", Exit::failure);
  }
  ~Scratch() {
    std::error_code none;
    std::filesystem::remove_all(name_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& folder() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

int estimate_memory(const nlohmann::json& options) {
  const auto spec_file = nlohmann::json::parse(read_plain_file(options.at("spec").get<std::string>(), 64 << 20));
  const Scratch scratch;
  comm::StopFlag stop;
  std::cout << nlohmann::json{{"mib", train::estimate_memory(spec_file, scratch.folder(), stop)}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::app
