#include "worker/about.h"

#include <ATen/Version.h>
#include <torch/version.h>

#include <iostream>
#include <regex>

#include "comm/library_version.h"
#include "comm/world.h"

namespace compeer::worker {

namespace {

// libtorch tells how it was built in one long text: "... BLAS_INFO=mkl, BUILD_TYPE=Release, ..."
std::string blas() {
  const auto text = at::show_config();
  std::smatch match;
  static const std::regex name("BLAS_INFO=([A-Za-z0-9_]+)");
  return std::regex_search(text, match, name) ? match[1].str() : "";
}

}  // namespace

int about(const nlohmann::json&) {
  comm::World world;
  const auto hosts = world.gather(world.host());
  if (world.rank() == 0) {
    const nlohmann::ordered_json line = {{"torch", TORCH_VERSION},
                                         {"blas", blas()},
                                         {"mpi", comm::library_version()},
                                         {"ranks", world.size()},
                                         {"hosts", hosts}};
    std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
  world.finish();
  return 0;
}

}  // namespace compeer::worker
