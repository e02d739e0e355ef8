#pragma once
#include <c10/util/Exception.h>

#include <string>

#include "base/error.h"

/// Error messages for device (GPU) failures in libtorch. Include this header only from code that links libtorch.
namespace compeer {

/// Returns advice for the user about an error of a device: out of memory, or device failure. Empty for any other error.
inline std::string remedy_of_device(const c10::Error& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error))
    return "use less device memory: set model.recompute_above = 0, lower sampling.concurrent or shorten groups; "
           "compeer resume continues from the newest checkpoint";
  if (dynamic_cast<const c10::AcceleratorError*>(&error))
    return "check nvidia-smi and the system log; compeer resume continues from the newest checkpoint, with "
           "model.device = \"auto\" also on the CPU";
  return "";
}

/// Returns work(). Converts a device error that it throws to an Error (exit code 1: a failure) with advice; `where` is
/// the location in its message, such as "inference". Other exceptions pass through.
template <class Work>
decltype(auto) with_remedy(const char* where, Work work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const auto remedy = remedy_of_device(error);
    if (remedy.empty()) throw;
    throw Error(where, error.what_without_backtrace(), remedy, Exit::failure);
  }
}

}  // namespace compeer
