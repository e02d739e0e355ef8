// Implements the search path for plugins, and the checks of files and folders before a library is read.
#include "plugin/search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "plugin/allow_list.h"
#include "plugin/descriptor.h"

namespace compeer::plugin {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path this_program() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code);
}

void append(std::vector<fs::path>& folders, const fs::path& folder) {
  if (folder.empty()) return;
  fs::path whole = fs::absolute(folder).lexically_normal();
  if (!whole.has_filename() && whole.has_relative_path()) whole = whole.parent_path();  // "/x/" is "/x"
  if (std::find(folders.begin(), folders.end(), whole) == folders.end()) folders.push_back(whole);
}

void append_list(std::vector<fs::path>& folders, const std::string& list) {
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(':', start), list.size());
    append(folders, list.substr(start, end - start));  // an empty part does not mean the current folder
    start = end + 1;
  }
}

fs::path data_home() {
  const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (data.starts_with('/')) return data;
  return home.empty() ? fs::path() : fs::path(home) / ".local" / "share";
}

bool valid_name(const std::string& name) {
  constexpr auto ok = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(ok) == std::string::npos;
}

// Returns the libraries <folder>/<kind>/<name>.so that are regular files or symbolic links.
std::vector<fs::path> libraries(const fs::path& folder, const std::string& kind) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator it(folder / kind, code), end; !code && it != end; it.increment(code)) {
    const fs::path& path = it->path();
    std::error_code ignored;
    const bool file = it->is_regular_file(ignored) || it->is_symlink(ignored);
    if (file && path.extension() == ".so" && valid_name(path.stem().string())) files.push_back(path);
  }
  if (code && is_system_failure(code.value())) throw read_error(folder / kind, code.value());
  std::sort(files.begin(), files.end());
  return files;
}

void check_owners(const fs::path& file) {
  struct stat program {};
  const uid_t owner = ::stat(this_program().c_str(), &program) == 0 ? program.st_uid : 0;
  const fs::path kind = file.parent_path();
  for (const fs::path& path : {file, kind, kind.parent_path()}) {
    if (const auto reason = distrust(path, ::geteuid(), owner); !reason.empty()) {
      throw Error(file.string(), "is not loaded as root: " + path.string() + " " + reason,
                  "chown it to root and chmod o-w it, or run as an ordinary user", Exit::plugin);
    }
  }
}

std::string read_library(const fs::path& file) {
  if (const auto why = why_no_file(file); !why.empty()) throw Error(file.string(), why, "", Exit::plugin);
  try {
    return read_file(file, largest_library);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    throw Error(file.string(), error.problem(), error.help(), Exit::plugin);
  }
}

Found open_found(const std::string& kind, const fs::path& file) {
  check_owners(file);
  const std::string bytes = read_library(file);
  Found found{.kind = kind, .name = file.stem().string(), .path = file, .sha256 = {}, .descriptor = {}, .problem = {}};
  found.descriptor = read_descriptor(bytes, file);
  found.sha256 = sha256(bytes);
  return found;
}

Found look_at(const std::string& kind, const fs::path& file) {
  try {
    return open_found(kind, file);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    Found found{
        .kind = kind, .name = file.stem().string(), .path = file, .sha256 = {}, .descriptor = {}, .problem = {}};
    found.problem = error.problem();
    return found;
  }
}

}  // namespace

std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  append_list(folders, variable("COMPEER_PLUGIN_PATH"));
  if (const auto data = data_home(); !data.empty()) append(folders, data / "compeer" / "plugins");
  if (const auto program = this_program(); !program.empty()) {
    const fs::path prefix = program.parent_path().parent_path();
    append(folders, prefix / "plugins");
    append(folders, prefix / "lib" / "compeer" / "plugins");
  }
  return folders;
}

std::string distrust(const fs::path& path, uid_t user, uid_t program_owner) {
  struct stat status {};
  if (user != 0 || ::stat(path.c_str(), &status) != 0) return "";
  if (status.st_mode & S_IWOTH) return "can be written by every user";
  if (status.st_uid == 0 || status.st_uid == program_owner) return "";
  return "belongs to user " + std::to_string(status.st_uid);
}

Finder::Finder(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

std::vector<std::string> Finder::names(const std::string& kind) const {
  std::set<std::string> names;
  for (const auto& folder : folders_) {
    for (const auto& file : libraries(folder, kind)) names.insert(file.stem().string());
  }
  return {names.begin(), names.end()};
}

spec::PluginInfo Finder::find(const std::string& kind, const std::string& name) const {
  Found found = get(kind, name);
  if (const auto why = incompatibility(found.descriptor); !why.empty())
    throw Error(found.path.string(), why, incompatibility_help(found.descriptor), Exit::plugin);
  AllowLists().refuse(kind, name, found.path, found.sha256);
  return {.kind = kind,
          .name = name,
          .version = found.descriptor.version,
          .path = found.path.string(),
          .sha256 = found.sha256,
          .parameters = std::move(found.descriptor.parameters)};
}

Found Finder::get(const std::string& kind, const std::string& name) const {
  const auto& known = kinds();
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    throw Error(kind + "/" + name, "no kind of plugin '" + kind + "'", suggest(kind, known));
  }
  for (const auto& folder : folders_) {
    for (const auto& file : libraries(folder, kind)) {
      if (file.stem() == name) return open_found(kind, file);
    }
  }
  throw Error(kind + "/" + name, "no such plugin",
              suggest(name, names(kind), "compeer plugins list " + kind) + searched(kind));
}

std::string Finder::searched(const std::string& kind) const {
  std::string text = "\n  searched:";
  for (const auto& folder : folders_) text += "\n    " + (folder / kind).string();
  return text + "\n  use --plugin-dir DIR to search DIR first, a folder that contains " + kind + "/NAME.so";
}

bool Finder::covers(const std::string& kind, const fs::path& library) const {
  const auto real = [](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path)); };
  const bool named = library.extension() == ".so" && valid_name(library.stem().string());
  return named && std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
           return real(folder / kind) == real(library.parent_path());
         });
}

std::vector<Found> Finder::all() const {
  std::vector<Found> found;
  for (const auto& kind : kinds()) {
    std::vector<Found> of_kind;
    std::set<std::string> seen;
    for (const auto& folder : folders_) {
      for (const auto& file : libraries(folder, kind)) {
        of_kind.push_back(look_at(kind, file));
        of_kind.back().shadowed = !seen.insert(of_kind.back().name).second;
      }
    }
    std::stable_sort(of_kind.begin(), of_kind.end(), [](const Found& a, const Found& b) { return a.name < b.name; });
    found.insert(found.end(), std::make_move_iterator(of_kind.begin()), std::make_move_iterator(of_kind.end()));
  }
  return found;
}

}  // namespace compeer::plugin
