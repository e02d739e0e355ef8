// Input: a Lua script. It runs in the sandbox with the module `compeer` and fake runs.
#include "../tests/script/fake_actions.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder empty;  // folder for the script's modules
  lua::Limits limits;
  limits.memory = size_t{32} << 20;
  limits.block = size_t{8} << 20;
  limits.instructions = 300'000;
  lua::Sandbox sandbox({limits, [](std::string_view) {}});
  script::add_compeer(sandbox, std::make_shared<script::FakeActions>());
  fuzz::expect_errors_only({Exit::spec, Exit::failure}, [&] {
    sandbox.run_text(std::string(fuzz::text_of(data, size)), "script.lua", empty.path());
  });
  return 0;
}
