// Checks and loads plugin libraries.
#include "plugin/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "base/disk.h"
#include "base/files.h"
#include "base/hash.h"
#include "plugin/allow_list.h"
#include "plugin/caller_state.h"
#include "plugin/descriptor.h"

namespace compeer::plugin {

namespace {

[[noreturn]] void fail(const PluginFile& chosen, const std::string& what, const std::string& help,
                       Exit exit = Exit::plugin) {
  throw Error(chosen.path.string(), "plugin " + chosen.kind + "/" + chosen.name + " " + what, help, exit);
}

std::string bytes_of(const PluginFile& chosen) {
  try {
    return read_file(chosen.path, largest_library);
  } catch (const Error& error) {
    fail(chosen, error.problem(), error.help(), error.exit() == Exit::failure ? Exit::failure : Exit::plugin);
  }
}

void check_same_file(const PluginFile& chosen, const std::string& actual) {
  if (chosen.sha256.empty() || chosen.sha256 == actual) return;
  fail(chosen,
       "is not the file this run was made with: its SHA-256 is " + actual.substr(0, 16) + "..., the spec says " +
           chosen.sha256.substr(0, 16) + "...",
       "restore the old library, or continue with the new one and record the change: compeer resume RUN_DIR --changed");
}

// Extracts the loader's message from "...load() failed (dlerror system message: /x.so: undefined symbol: f): Bad file
// descriptor". The last part is errno and unrelated.
std::string loader_message(const std::string& text, const std::string& path) {
  constexpr std::string_view before = "system message: ";
  const size_t start = text.find(before), end = text.rfind("): ");
  if (start == std::string::npos || end == std::string::npos) return text;
  std::string message = text.substr(start + before.size(), end - start - before.size());
  if (message.starts_with(path + ": ")) message = message.substr(path.size() + 2);
  return message;
}

std::shared_ptr<boost::dll::shared_library> load_as_it_is(const PluginFile& chosen, const std::filesystem::path& file) {
  try {
    auto library = std::make_shared<boost::dll::shared_library>(
        file.string(), boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    // Prevents unloading, even if the library was linked without -z nodelete. Boost.DLL has no flag for that.
    ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    return library;
  } catch (const std::exception& error) {
    const auto message = loader_message(error.what(), file.string());
    if (const int cause = cause_in(message); cause != 0 && is_system_failure(cause))
      fail(chosen, "can't be loaded: " + message, write_error_help(cause), Exit::failure);
    fail(chosen, "can't be loaded: " + message,
         "rebuild it: it was built against other libraries than this program uses");
  }
}

// Loading a library that was linked with -ffast-math makes this thread flush denormal numbers to zero. The author may
// not know that, so the mode is restored without an error.
std::shared_ptr<boost::dll::shared_library> load(const PluginFile& chosen, const std::filesystem::path& file) {
  const ThreadStateGuard before;
  auto library = load_as_it_is(chosen, file);
  auto changed = before.restore();
  std::erase(changed, ThreadStateGuard::denormals);
  if (!changed.empty()) fail(chosen, "changed " + in_words(changed) + " when it was loaded", leave_as_it_was);
  return library;
}

// With allow lists in force, loads a sealed copy, so that the file can't be replaced between hashing and loading.
std::filesystem::path to_load(const PluginFile& chosen, const std::string& bytes, const std::string& hash) {
  const AllowLists lists;
  lists.refuse(chosen.kind, chosen.name, chosen.path, hash);
  if (!lists.in_force()) return chosen.path;
  try {
    return sealed_copy(chosen.name + ".so", bytes, hash);
  } catch (const std::runtime_error& error) {
    fail(chosen, error.what(), "");
  }
}

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

int sealed_file(const std::string& name, const std::string& bytes) {
  const int file = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) fail("can't be copied into memory");
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("can't be copied into memory");
    done += static_cast<size_t>(n);
  }
  if (::fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("can't be sealed against changes");
  return file;
}

}  // namespace

Library::Library(const PluginFile& chosen, const std::string& kind) {
  if (chosen.kind != kind) fail(chosen, "is not of the kind " + kind, "");
  const std::string bytes = bytes_of(chosen);
  const std::string hash = sha256(bytes);
  check_same_file(chosen, hash);
  descriptor_ = read_descriptor(bytes, chosen.path);
  if (descriptor_.kind != kind) fail(chosen, "is of the kind " + descriptor_.kind, "");
  if (const auto why = incompatibility(descriptor_); !why.empty()) fail(chosen, why, incompatibility_help(descriptor_));
  identity_ = {chosen.kind, descriptor_.name, descriptor_.version, chosen.path};
  const auto library = load(chosen, to_load(chosen, bytes, hash));
  if (!library->has("compeer_make")) fail(chosen, "exports no factory", "end its source with COMPEER_PLUGIN");
  factory_ = library->get<void*>("compeer_make");
  handle_ = library;
}

std::filesystem::path sealed_copy(const std::string& name, const std::string& bytes, const std::string& sha256) {
  // Keeps all files open: the loader identifies a library by its name, so a descriptor number must not be reused.
  static std::map<std::string, int> files;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto known = files.find(sha256);
  if (known == files.end()) known = files.emplace(sha256, sealed_file(name, bytes)).first;
  return "/proc/self/fd/" + std::to_string(known->second);
}

}  // namespace compeer::plugin
