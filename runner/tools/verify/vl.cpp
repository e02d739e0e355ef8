// Checks a small Qwen2.5-VL model against values computed by transformers (tests/golden/README.md describes
// golden.json).
#include "tools/verify/vl.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "base/disk.h"
#include "plugin/open.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;

// A temporary copy (by links) of a model folder with another config.json.
class LinkedModelFolder {
 public:
  LinkedModelFolder(const fs::path& folder, const fs::path& config) : path_(make_temporary_folder()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto name = entry.path().filename();
      if (name != "config.json" && entry.is_regular_file())
        fs::create_symlink(fs::absolute(entry.path()), path_ / name);
    }
    fs::create_symlink(fs::absolute(config), path_ / "config.json");
  }
  ~LinkedModelFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  LinkedModelFolder(const LinkedModelFolder&) = delete;
  LinkedModelFolder& operator=(const LinkedModelFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void check_model(const VlCase& vl, const fs::path& folder, std::vector<Check>& checks) {
  inference::OpenModel trainable({.folder = folder, .precision = "float32", .frozen = false, .merger = true});
  {
    const at::NoGradGuard no_grad;
    check_sight(vl, trainable.policy->model, checks);
  }
  check_runs(vl, *trainable.policy, checks);
  const at::NoGradGuard no_grad;
  inference::OpenModel read({.folder = folder});
  check_vl_greedy(vl, *read.policy, checks);
}

}  // namespace

VlCase::VlCase(const fs::path& folder)
    : golden(read_reference(folder / "golden.json")),
      tensors(record::Safetensors::open(folder / "golden.safetensors")),
      settings(language::PictureSettings::load(folder)) {
  for (const auto& image : golden.at("images"))
    pictures.push_back(language::read_picture({folder / image.at("file").get<std::string>()}, settings));
}

std::vector<std::string> runs_of(const VlCase& vl) {
  std::vector<std::string> runs;
  for (const auto& [name, value] : vl.golden.items()) {
    if (value.is_object() && value.contains("input_ids")) runs.push_back(name);
  }
  return runs;
}

std::vector<VlRow> rows_of(const VlCase& vl, const std::string& run) {
  const auto& reference = vl.golden.at(run);
  std::vector<VlRow> rows;
  for (size_t b = 0; b < reference.at("input_ids").size(); ++b) {
    VlRow row;
    const auto ids = reference.at("input_ids").at(b).get<std::vector<int32_t>>();
    for (size_t t = 0; t < ids.size(); ++t) {
      if (reference.at("attention_mask").at(b).at(t) == 0) continue;
      row.tokens.push_back(ids[t]);
      row.places.push_back(t);
    }
    const auto& sequence = vl.golden.at("sequences").at(reference.at("sequences").at(b).get<size_t>());
    row.pictures = sequence.at("images").get<std::vector<size_t>>();
    if (sequence.at("ids") != nlohmann::json(row.tokens))
      throw Error(run, fmt::format("row {} is not the sequence it names", b), "", Exit::data);
    rows.push_back(std::move(row));
  }
  return rows;
}

VisionModel& vision_model(Model& model) {
  return plugin::optional_interface<VisionModel>(model, "this model does not support pictures");
}

std::shared_ptr<const VisionFeatures> encode(const VlCase& vl, const VlRow& row, Model& model) {
  if (row.pictures.empty()) return nullptr;
  std::vector<Picture> pictures;
  for (const size_t i : row.pictures) pictures.push_back(vl.pictures.at(i));
  return vision_model(model).encode(row.tokens, 0, pictures);
}

std::vector<Check> verify_vl(const fs::path& folder, const VerifyOptions&) {
  return reading(folder / "golden.json", [&] {
    const VlCase vl(folder);
    std::vector<Check> checks;
    check_pictures(vl, checks);
    check_model(vl, folder, checks);
    if (const auto nested = folder / "config.nested.json"; fs::exists(nested)) {
      const LinkedModelFolder relinked(folder, nested);
      std::vector<Check> more;
      check_model(vl, relinked.path(), more);
      for (Check& one : more) {
        one.name = "nested: " + one.name;
        checks.push_back(std::move(one));
      }
    }
    return checks;
  });
}

}  // namespace compeer::verify
