#include "report/runs/load.h"

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "spec/dotted.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t most_used = 64;
constexpr uint64_t longest_spec = uint64_t{64} << 20;

using Visit = std::function<void(const std::string&, json&)>;

void visit_texts(json& value, const std::string& path, const Visit& visit) {
  if (value.is_string()) return visit(path, value);
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) visit_texts(value[i], spec::join(path, i), visit);
  } else if (value.is_object()) {
    for (auto& [name, inner] : value.items()) visit_texts(inner, spec::join(path, name), visit);
  }
}

/// The spec of the run in this folder; null if there is none to be read. Paths in specs are relative to where the run
/// was started, which is usually the folder that holds results/.
json spec_in(const fs::path& folder, const RunData& run) {
  for (const auto& place : {folder, run.folder.parent_path().parent_path() / folder}) {
    std::error_code code;
    if (!fs::is_regular_file(place / "spec.json", code)) continue;
    try {
      const auto file = parse_json(read_plain_file(place / "spec.json", longest_spec));
      if (file.is_object() && file.contains("spec") && file["spec"].is_object()) return file["spec"];
    } catch (const Error&) {
    }
  }
  return nullptr;
}

void find_used(json spec, RunData& run) {
  each_text(spec, [&](const std::string&, json& text) {
    const auto path = text.get<std::string>();
    if (path.find('/') == path.npos || run.used.count(path) || run.used.size() >= most_used) return;
    if (json found = spec_in(run_folder(path), run); found.is_object()) {
      run.used[path] = found;
      find_used(std::move(found), run);
    }
  });
}

}  // namespace

fs::path run_folder(const fs::path& path) {
  for (fs::path inside = path; inside.has_relative_path(); inside = inside.parent_path()) {
    if (inside.filename() == "checkpoints" || inside.filename() == "stages") return inside.parent_path();
  }
  return path;
}

void each_text(json& spec, const Visit& visit) { visit_texts(spec, "", visit); }

void load_used(RunData& run) {
  if (run.spec.is_object()) find_used(run.spec, run);
}

}  // namespace compeer::report
