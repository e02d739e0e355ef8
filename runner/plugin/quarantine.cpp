#include "plugin/quarantine.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::plugin {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr uint64_t longest_list = 16 << 20;

// One file, by whatever way it is reached.
fs::path whole(const fs::path& path) {
  std::error_code code;
  const auto canonical = fs::weakly_canonical(fs::absolute(path), code);
  return code ? fs::absolute(path).lexically_normal() : canonical;
}

json as_json(const Quarantine::QuarantinedFile& entry) {
  return {{"path", entry.path.string()},
          {"size", entry.size},
          {"modified", entry.modified},
          {"sha256", entry.sha256},
          {"reason", entry.reason}};
}

Quarantine::QuarantinedFile as_entry(const json& text) {
  return {text.at("path").get<std::string>(), compeer::whole<uint64_t>(text.at("size")),
          compeer::whole<int64_t>(text.at("modified")), text.at("sha256"), text.at("reason")};
}

std::vector<Quarantine::QuarantinedFile> read(const fs::path& file) {
  std::vector<Quarantine::QuarantinedFile> entries;
  const json list = json::parse(read_file(file, longest_list));
  if (list.at("format") != 1) throw std::runtime_error("is of another version of compeer");
  for (const json& one : list.at("plugins")) entries.push_back(as_entry(one));
  return entries;
}

}  // namespace

fs::path Quarantine::usual_file() {
  const auto cache = cache_folder();
  return cache.empty() ? cache : cache / "quarantine.json";
}

Quarantine::Quarantine(fs::path file) : file_(std::move(file)) {
  std::error_code code;
  if (file_.empty() || !fs::exists(file_, code)) return;
  try {
    entries_ = read(file_);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    problem_ = std::string(error.what()) + ", and is ignored";
  } catch (const std::exception&) {
    problem_ = file_.string() + ": is no list of quarantined plugins, and is ignored";
  }
}

std::string Quarantine::reason(const fs::path& path, const std::string& sha256) const {
  const auto one = std::find_if(entries_.begin(), entries_.end(), [&](const QuarantinedFile& entry) {
    return entry.sha256 == sha256 && entry.path == whole(path);
  });
  return one == entries_.end() ? "" : one->reason;
}

void Quarantine::refuse(const std::string& title, const fs::path& path, const std::string& sha256) const {
  const auto why = reason(path, sha256);
  if (why.empty()) return;
  throw Error(
      path.string(), "plugin " + title + " is quarantined: when it was checked it " + why,
      "mend it and build it again, or lift it by a check that it passes: compeer plugins check " + path.string(),
      Exit::plugin);
}

void Quarantine::add(const fs::path& path, const std::string& sha256, const std::string& reason) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  std::erase_if(entries_, [&](const QuarantinedFile& entry) { return entry.path == whole(path); });
  entries_.push_back(
      {whole(path), static_cast<uint64_t>(status.st_size), int64_t{status.st_mtim.tv_sec}, sha256, reason});
  write();
}

void Quarantine::remove(const fs::path& path) {
  if (std::erase_if(entries_, [&](const QuarantinedFile& entry) { return entry.path == whole(path); }) > 0) write();
}

void Quarantine::write() const {
  if (file_.empty()) {
    throw Error("", "neither XDG_CACHE_HOME nor HOME says where a list of quarantined plugins could be kept",
                "set one of them", Exit::data);
  }
  std::error_code code;
  fs::create_directories(file_.parent_path(), code);
  json list = {{"format", 1}, {"plugins", json::array()}};
  for (const QuarantinedFile& entry : entries_) {
    if (fs::exists(entry.path, code)) list["plugins"].push_back(as_json(entry));
  }
  write_file(file_, list.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace compeer::plugin
