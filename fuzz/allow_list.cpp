// Input: an allow list of plugins. It is refused, or writing and reading it again gives the same list.
#include "plugin/allow_list.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const auto file = folder.write("compeer.lock", fuzz::text_of(data, size));
  fuzz::expect_errors_only({Exit::plugin}, [&] {
    const plugin::AllowLists lists({file});
    const auto plugins = plugin::read_allow_list(file);
    for (const auto& one : plugins) fuzz::expect(lists.reason(one.kind, one.name, one.sha256).empty());
    fuzz::expect(!lists.reason("rewards", "length", "00").empty());
    const plugin::AllowLists again({folder.write("again.lock", plugin::allow_list_text(plugins))});
    fuzz::expect(again.hash() == lists.hash());
  });
  return 0;
}
