// The list of quarantined plugins made of anything: never a reason to stop, and what is added to it is there.
#include "plugin/quarantine.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const auto file = folder.write("quarantine.json", fuzz::text_of(data, size));
  static const auto library = folder.write("length.so", "bytes");
  plugin::Quarantine list(file);
  list.reason(library, "00");
  list.add(library, "00", "crashed");
  fuzz::expect(plugin::Quarantine(file).reason(library, "00") == "crashed");
  return 0;
}
