// Finds reference files by content and assigns their checkers. Also checks SHA256SUMS.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "tools/verify/tokenizer.h"
#include "tools/verify/verify.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<Check> refuse_broken(const fs::path& file, const VerifyOptions&) {
  throw Error(file.string(), "is not valid JSON", "", Exit::data);
}

// One line per kind.
const std::map<std::string, Checker> checkers{{"sums", verify_sums},
                                              {"text", verify_text},
                                              {"lora", verify_lora},
                                              {"vl", verify_vl},
                                              {"gguf", verify_gguf},
                                              {"pretrained", verify_pretrained},
                                              {"sentences", verify_sentences},
                                              {"sampling", verify_sampling},
                                              {"tokenizer", verify_tokenizer},
                                              {"broken", refuse_broken},
                                              {"grpo_loss", verify_grpo_loss},
                                              {"grpo_step", verify_grpo_step},
                                              {"grpo_advantages", verify_grpo_advantages},
                                              {"classification", verify_classification},
                                              {"agreement", verify_agreement},
                                              {"correlation", verify_correlation},
                                              {"kmeans", verify_kmeans}};

// True if the object has lists or tables under these names. (A vocabulary may have them as words, with numbers.)
bool has(const json& object, std::initializer_list<const char*> keys) {
  return object.is_object() && std::all_of(keys.begin(), keys.end(), [&](const char* key) {
           return object.contains(key) && object.at(key).is_structured();
         });
}

// True for the records of tokenizer/*.json: texts or conversations with their ids.
bool is_tokenized(const json& value) {
  return value.is_array() && !value.empty() && has(value[0], {"ids"}) && value[0].contains("text");
}

std::string kind_of_model(const fs::path& config_file) {
  const json config = parse_json(read_file(config_file));
  const bool named = config.is_object() && config.contains("model_type") && config.at("model_type").is_string();
  if (!named) return "no model_type";
  const auto type = config.at("model_type").get<std::string>();
  static const std::set<std::string> text{"llama", "mistral", "qwen2", "qwen3"};
  if (text.contains(type)) return "text";
  return type == "qwen2_5_vl" ? "vl" : "model_type " + type;
}

// Returns "" for files without reference values.
std::string kind_of_file(const fs::path& file) {
  const json value = parse_json(read_file(file));
  if (value.is_discarded()) return "broken";
  if (is_tokenized(value)) return "tokenizer";
  if (has(value, {"quants", "tokenizer", "model"})) return "gguf";
  if (has(value, {"encode", "continuations", "weights"})) return "pretrained";
  if (has(value, {"sentences", "cosine", "wordpiece"})) return "sentences";
  if (has(value, {"order", "logits", "cases"})) return "sampling";
  if (has(value, {"settings", "inputs", "outputs"})) return "grpo_loss";
  if (has(value, {"base_logprobs", "cases"})) return "lora";
  if (has(value, {"common", "runs"})) return "grpo_step";
  if (has(value, {"cases"}) && value.contains("epsilon")) return "grpo_advantages";
  if (has(value, {"multiclass", "multilabel"})) return "classification";
  if (has(value, {"cohen", "fleiss"})) return "agreement";
  if (has(value, {"points", "runs"})) return "kmeans";
  if (value.is_array() && !value.empty() && has(value[0], {"x", "y"})) return "correlation";
  return "";
}

// Parses "<64 digits>  name" or "<64 digits> *name".
std::pair<std::string, fs::path> parse(const fs::path& file, const std::string& line) {
  const fs::path name = line.size() > 66 ? line.substr(66) : "";
  const bool inside = name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
  if (name.empty() || !inside || line.substr(0, 64).find_first_not_of("0123456789abcdef") != std::string::npos)
    throw Error(file.string(), fmt::format("has the line '{}'", line),
                "write a SHA-256, two spaces and the path of a file on each line", Exit::data);
  return {line.substr(0, 64), name};
}

}  // namespace

bool VerifyCase::asks_for_model() const { return kind == "pretrained" || kind == "sentences"; }

std::string model_name(const fs::path& file) { return fs::absolute(file).parent_path().filename().string(); }

std::vector<VerifyCase> find_cases(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw Error(folder.string(), "is not a folder", "", Exit::data);
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  std::map<fs::path, std::string> kinds;  // of files, or of folders that contain many files of a kind
  for (const auto& file : files) {
    const fs::path config = file.parent_path() / "config.json";
    if (file.filename() == "SHA256SUMS") {
      kinds[file] = "sums";
    } else if (file.filename() == "golden.json" && files.contains(config)) {
      kinds[file.parent_path()] = kind_of_model(config);
    } else if (file.extension() == ".json") {
      const auto kind = kind_of_file(file);
      if (!kind.empty()) kinds[kind == "grpo_loss" ? file.parent_path() : file] = kind;
    }
  }
  std::vector<VerifyCase> cases;
  for (const auto& [where, kind] : kinds) {
    const auto checker = checkers.find(kind);
    cases.push_back({where, where == folder ? "." : where.lexically_relative(folder).string(), kind,
                     checker == checkers.end() ? nullptr : checker->second});
  }
  return cases;
}

std::vector<Check> verify_sums(const fs::path& file, const VerifyOptions&) {
  std::istringstream lines(read_file(file));
  std::string line, wrong;
  size_t files = 0, different = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    const auto [sum, name] = parse(file, line);
    ++files;
    const bool there = fs::exists(file.parent_path() / name);
    if (there && sha256_file(file.parent_path() / name) == sum) continue;
    ++different;
    wrong += fmt::format("{}{} {}", wrong.empty() ? "" : ", ", name.string(), there ? "differs" : "is missing");
  }
  return {check("files", static_cast<double>(different), 0, wrong.empty() ? fmt::format("{} files", files) : wrong)};
}

}  // namespace compeer::verify
