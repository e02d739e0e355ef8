// Implements the guard around calls of plugins: exceptions become PluginErrors, and changed state is restored and
// reported.
#include "plugin/guard.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <typeinfo>

#include "base/device_error.h"
#include "base/disk.h"
#include "base/files.h"
#include "spec/text.h"

namespace compeer::plugin {

namespace {

std::string place(const Identity& identity, const char* method) {
  return identity.title() + " (" + identity.path.string() + "), in " + method + "()";
}

std::string joined(const std::string& subject, const std::string& more) {
  return more.empty() ? subject : subject + ", " + more;
}

std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : type.name();
}

constexpr size_t longest_place = 500;

// For exceptions that are not std::exception: names the thrown type.
std::string thrown_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type ? "a value of type " + readable(*type) : "something from outside C++";
}

std::string described(const std::exception& error) {
  const std::string text = error.what();
  return text.empty() ? "threw " + readable(typeid(error)) + " without a message" : text;
}

// Truncates long messages: they go to the terminal, to every rank and into files.
std::string cut(const std::string& text) {
  constexpr size_t most = 4000;
  if (text.size() <= most) return text;
  return text.substr(0, most) + "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

PluginError::PluginError(const Identity& identity, const char* method, const std::string& what, const std::string& help,
                         Exit exit)
    : Error(place(identity, method), cut(what), cut(help), exit), plugin_(identity.title()), call_(where()) {}

PluginError::PluginError(const std::string& subject, const PluginError& failure)
    : Error(joined(subject, failure.subject_) + ": " + failure.call_, failure.problem(), failure.help(),
            failure.exit()),
      plugin_(failure.plugin_),
      call_(failure.call_),
      subject_(joined(subject, failure.subject_)) {}

void rethrow(const Identity& identity, const char* method) {
  try {
    throw;
  } catch (const PluginError&) {
    throw;  // one plugin called another through the host: the inner one is at fault
  } catch (const Error& error) {
    const std::string what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
    throw PluginError(identity, method, what, error.help(), error.exit());
  } catch (const c10::Error& error) {
    const auto remedy = remedy_of_device(error);
    throw PluginError(identity, method, error.what_without_backtrace(), remedy,
                      remedy.empty() ? Exit::plugin : Exit::failure);
  } catch (const std::filesystem::filesystem_error& error) {
    throw PluginError(identity, method, described(error), write_error_help(error.code().value()),
                      is_system_failure(error.code().value()) ? Exit::failure : Exit::plugin);
  } catch (const std::exception& error) {
    throw PluginError(identity, method, described(error));
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled, which must not be caught
  } catch (...) {
    throw PluginError(identity, method, "threw " + thrown_type());
  }
}

void refuse(const Identity& identity, const char* method, const std::string& what, const std::string& help) {
  throw PluginError(identity, method, what, help);
}

void leave_as_before(const ThreadStateGuard& before, const Identity& identity, const char* method) {
  const auto changed = before.restore();
  if (!changed.empty()) refuse(identity, method, "left " + in_words(changed) + " changed", leave_as_it_was);
}

void tell_left_processes(const ProcessWatch& processes, const Identity& identity, const char* method) {
  const auto here = place(identity, method);
  if (processes.in_copy()) {
    fmt::print(stderr, "compeer: warning: {}: {}, too, which was ended\n", spec::printable(here, longest_place),
               forked_in_call);
    std::fflush(stderr);
    ::_exit(static_cast<int>(Exit::plugin));
  }
  const auto left = processes.left();
  if (left.empty()) return;
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(here).second) return;
  std::vector<std::string> titles;
  for (const pid_t one : left) titles.push_back(process_title(one));
  fmt::print(stderr, "compeer: warning: {}: left {} running; wait for a process before the call ends\n",
             spec::printable(here, longest_place), spec::printable(fmt::format("{}", fmt::join(titles, ", ")), 200));
}

}  // namespace compeer::plugin
