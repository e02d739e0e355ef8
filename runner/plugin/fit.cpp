#include "plugin/fit.h"

#include <fmt/format.h>

#include <map>

#include "compeer/plugin.h"

namespace compeer::plugin {

int64_t interface_number(const std::string& kind) {
  static const std::map<std::string, int64_t> numbers{
      {"datasets", COMPEER_INTERFACE_datasets},     {"models", COMPEER_INTERFACE_models},
      {"rewards", COMPEER_INTERFACE_rewards},       {"reweighting", COMPEER_INTERFACE_reweighting},
      {"similarity", COMPEER_INTERFACE_similarity}, {"chat", COMPEER_INTERFACE_chat},
      {"stages", COMPEER_INTERFACE_stages},
  };
  return numbers.at(kind);
}

std::string torch_version() { return COMPEER_TORCH_VERSION; }
int64_t cxx_abi() { return _GLIBCXX_USE_CXX11_ABI; }

std::string misfit(const Descriptor& plugin) {
  if (const auto ours = interface_number(plugin.kind); plugin.interface != ours)
    return fmt::format("was built for plugin interface {}, this program has interface {}", plugin.interface, ours);
  if (plugin.torch != torch_version())
    return fmt::format("was built for libtorch {}, this program uses libtorch {}", plugin.torch, torch_version());
  if (plugin.cxx_abi != cxx_abi())
    return fmt::format("was built with _GLIBCXX_USE_CXX11_ABI={}, this program with {}", plugin.cxx_abi, cxx_abi());
  return "";
}

}  // namespace compeer::plugin
