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

int64_t host_interface_number() { return COMPEER_INTERFACE_host; }
std::string torch_version() { return COMPEER_TORCH_VERSION; }
int64_t cxx_abi() { return _GLIBCXX_USE_CXX11_ABI; }

std::string misfit(const Descriptor& plugin) {
  if (const auto ours = interface_number(plugin.kind); plugin.interface != ours)
    return fmt::format("was built for plugin interface {}, this program has interface {}", plugin.interface, ours);
  if (const auto ours = host_interface_number(); plugin.host > ours)
    return fmt::format("asks for host interface {}, this program has host interface {}", plugin.host, ours);
  if (!plugin.torch.empty() && plugin.torch != torch_version())
    return fmt::format("was built for libtorch {}, this program uses libtorch {}", plugin.torch, torch_version());
  if (plugin.cxx_abi != cxx_abi())
    return fmt::format("was built with _GLIBCXX_USE_CXX11_ABI={}, this program with {}", plugin.cxx_abi, cxx_abi());
  return "";
}

std::string misfit_help(const Descriptor& plugin) {
  const std::string rebuild = "rebuild it with this installation's compeer::sdk and libtorch";
  const auto interface = interface_number(plugin.kind);
  if (plugin.interface < interface) return rebuild + "; docs/plugins.md lists under Porting what has changed";
  const bool newer_host = plugin.interface == interface && plugin.host > host_interface_number();
  return newer_host ? "run it with the newer Compeer that it was built with, or " + rebuild : rebuild;
}

}  // namespace compeer::plugin
