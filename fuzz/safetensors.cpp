// Input: a safetensors file. Reads its header and every byte of every tensor.
#include "record/safetensors.h"

#include "input.h"

namespace {

namespace record = compeer::record;

void touch(const record::Safetensors& file) {
  unsigned sum = 0;
  for (const auto& name : file.names()) {
    const auto& tensor = file.tensor(name);
    size_t elements = 1;
    for (const int64_t extent : tensor.shape) elements *= static_cast<size_t>(extent);
    if (elements * record::element_size(tensor.dtype) != tensor.bytes.size()) __builtin_trap();
    for (const std::byte byte : tensor.bytes) sum += std::to_integer<unsigned>(byte);
  }
  [[maybe_unused]] const volatile unsigned result = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const compeer::fuzz::FileInMemory bytes(compeer::fuzz::text_of(data, size));
  try {
    const auto file = record::Safetensors::open(bytes.path());
    touch(file);
    file.release();
    touch(file);
  } catch (const compeer::Error& error) {
    if (error.exit() != compeer::Exit::data) __builtin_trap();
  }
  return 0;
}
