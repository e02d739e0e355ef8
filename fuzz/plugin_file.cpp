// Input: the file of a plugin library, also used as the descriptor in a valid library. The descriptor is read without
// running any code, and its settings are resolved with their defaults.
#include "../tests/plugin/tiny_elf.h"
#include "input.h"
#include "plugin/descriptor.h"
#include "spec/spec.h"

namespace {

using namespace compeer;

class OnePlugin : public spec::Catalog {
 public:
  explicit OnePlugin(const plugin::Descriptor& it) : it_(it) {}
  std::vector<std::string> names(const std::string& kind) const override {
    return kind == it_.kind ? std::vector<std::string>{it_.name} : std::vector<std::string>{};
  }
  spec::PluginInfo find(const std::string&, const std::string&) const override {
    return {it_.kind, it_.name, it_.version, "probe.so", "", it_.parameters};
  }

 private:
  const plugin::Descriptor& it_;
};

void read(std::string_view library) {
  fuzz::expect_errors_only({Exit::plugin, Exit::spec}, [&] {
    const auto descriptor = plugin::read_descriptor(library, "rewards/probe.so");
    spec::Draft draft;
    draft.values = plugin::defaults(descriptor.parameters);
    draft.values["plugin"] = "probe";
    spec::resolve_plugin(draft, "rewards", OnePlugin(descriptor));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto text = fuzz::text_of(data, size);
  read(text);
  read(tiny_elf(std::string(text)));
  return 0;
}
