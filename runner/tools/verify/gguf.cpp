// GGUF files: metadata, dequantized blocks, vocabularies, and imported models. An imported folder with reference values
// is checked like any other of its kind.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/disk.h"
#include "base/files.h"
#include "gguf/import.h"
#include "tools/verify/tokenizer.h"
#include "tools/verify/values.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;
using gguf::GgufFile;
using nlohmann::json;

constexpr double one_ulp = 1.2e-7;  // relative: a fused multiply-add may change the last bit

bool same(const gguf::MetadataValue& ours, const json& reference) {
  if (ours.type == "float32") return ours.value.get<float>() == reference.get<float>();
  if (ours.type == "float64") return std::abs(ours.value.get<double>() / reference.get<double>() - 1) < 1e-12;
  return ours.value == reference;
}

Check compare_metadata(const GgufFile& file, const json& reference) {
  size_t different = file.metadata().size() != reference.size();
  for (const json& one : reference) {
    const auto found = file.metadata().find(one.at("key").get<std::string>());
    different += found == file.metadata().end() || !same(found->second, one.at("value"));
  }
  return check("quants.metadata", static_cast<double>(different), 0, fmt::format("{} keys", reference.size()));
}

void compare_quants(const fs::path& folder, const json& reference, std::vector<Check>& checks) {
  const auto file = GgufFile::open(folder / reference.at("file").get<std::string>());
  const auto values = record::Safetensors::open(folder / "quants.safetensors");
  checks.push_back(compare_metadata(file, reference.at("metadata")));
  for (const auto& tensor : file.tensors()) {
    std::vector<float> ours(static_cast<size_t>(tensor.elements()));
    gguf::unpack(*tensor.format, tensor.bytes, ours);
    const auto theirs = values_of(values.tensor(tensor.name));
    if (theirs.size() != ours.size())
      throw Error(values.path().string(), fmt::format("tensor '{}' has a different size", tensor.name), "", Exit::data);
    Largest largest;
    for (size_t i = 0; i < ours.size(); ++i)
      largest.take(ours[i] == theirs[i] ? 0 : std::abs((double{ours[i]} - theirs[i]) / theirs[i]));
    checks.push_back(largest.check(fmt::format("quants.{}", tensor.format->name), one_ulp));
  }
}

void take(const std::string& prefix, const std::vector<Check>& from, std::vector<Check>& into) {
  for (const Check& one : from) into.push_back({prefix + one.name, one.error, one.tolerance, one.passed, one.note});
}

// Checks the imported model against values in the format of text models.
void compare_text(const fs::path& folder, const fs::path& imported, const json& reference, std::vector<Check>& checks) {
  json golden{{"model", {{"stored_dtype", "float32"}}}};
  for (const char* key : {"sequences", "loss_float64", "reference_rounding", "greedy"}) golden[key] = reference.at(key);
  for (const char* key : {"input_ids", "attention_mask", "counted", "logprobs", "entropy"})
    golden["right"][key] = reference.at(key);
  write_file(imported / "golden.json", golden.dump());
  const auto file = record::Safetensors::open(folder / "golden.safetensors");
  auto logits = file.tensor("logits");
  logits.name = "right.logits";
  record::write_safetensors(imported / "golden.safetensors", {logits});
  take("model.", verify_text(imported, {}), checks);
}

// Checks a file made from a model that is available next to the folder, against that model's reference values.
void compare_origin(const fs::path& folder, const fs::path& imported, const json& reference,
                    std::vector<Check>& checks) {
  const auto origin = folder / reference.at("same_model_as").get<std::string>();
  if (!fs::exists(origin / "golden.json")) return;
  for (const char* name : {"golden.json", "golden.safetensors"}) fs::copy_file(origin / name, imported / name);
  take("llama3_rope.", verify_text(imported, {}), checks);
}

}  // namespace

std::vector<Check> verify_gguf(const fs::path& file, const VerifyOptions&) {
  const json golden = read_reference(file);
  const fs::path folder = fs::absolute(file).parent_path();
  const Scratch scratch;
  const auto imported = [&](const json& reference) {
    const auto name = reference.at("file").get<std::string>();
    gguf::import_model({.source = folder / name, .folder = scratch.folder() / name});
    return scratch.folder() / name;
  };
  return reading(file, [&] {
    std::vector<Check> checks;
    compare_quants(folder, golden.at("quants"), checks);
    for (const auto& [pre, reference] : golden.at("tokenizer").at("by_pre").items())
      check_tokenized("tokenizer." + pre + ".", imported(reference), reference.at("encode"), checks);
    const auto model = imported(golden.at("model"));
    check_sums("model.", model, golden.at("model").at("tensors"), checks);
    check_tokenized("model.chat.", model, golden.at("model").at("chat"), checks);
    compare_text(folder, model, golden.at("model"), checks);
    if (golden.contains("llama3_rope"))
      compare_origin(folder, imported(golden.at("llama3_rope")), golden.at("llama3_rope"), checks);
    return checks;
  });
}

}  // namespace compeer::verify
