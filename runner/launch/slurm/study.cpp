#include "launch/slurm/study.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/plain_file.h"

namespace compeer::launch {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* file_name = "study.json";
constexpr uint64_t longest = 1 << 20;

bool free_for(const fs::path& folder, const std::string& file_text) {
  std::error_code code;
  if (!fs::exists(folder, code)) return true;
  if (!fs::is_directory(folder, code)) return false;
  if (!fs::exists(folder / file_name, code)) return fs::is_empty(folder, code);
  try {
    return read_plain_file(folder / file_name, longest) == file_text;
  } catch (const Error&) {  // can't be read: not ours, then
    return false;
  }
}

}  // namespace

std::string SubmittedScript::file_text() const {
  const ordered_json all = {{"script", script.string()}, {"changes", changes}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

fs::path jobs_folder(const SubmittedScript& study, const fs::path& results) {
  const auto stem = study.script.stem().string(), text = study.file_text();
  const auto first = results / (stem + ".jobs");
  return free_for(first, text) ? first : results / fmt::format("{}-{}.jobs", stem, sha256(text).substr(0, 8));
}

void claim_jobs_folder(const fs::path& folder, const std::string& file_text) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(folder.string(), "can't be made: " + code.message(), "", Exit::failure);
  if (!free_for(folder, file_text))
    throw Error(folder.string(), "is not this study's folder", "submit it again, or use --results", Exit::failure);
  write_file(folder / file_name, file_text);
}

}  // namespace compeer::launch
