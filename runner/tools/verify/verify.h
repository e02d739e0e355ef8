#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// `compeer verify`: compares reference files, made with other libraries, with our results. tests/golden/README.md
/// describes the files.
namespace compeer::verify {

/// One comparison.
struct Check {
  std::string name;       ///< what is compared, named as in the reference file: "right.logits"
  double error = 0;       ///< largest error found
  double tolerance = 0;   ///< largest error allowed
  bool passed = false;    ///< error <= tolerance
  std::string note = "";  ///< number of values compared, or place of the largest error
};

/// Returns a check. A NaN error fails.
Check check(std::string name, double error, double tolerance, std::string note = "");

struct VerifyOptions {
  /// Folder of the tokenizer that the files of tokenizer/ were made with; may be empty.
  std::filesystem::path tokenizer = {};
  /// Model folders by `model_name`, for reference files without weights.
  std::map<std::string, std::filesystem::path> models = {};
};

/// Maximum size of a file of reference values, in bytes.
constexpr uint64_t largest_reference = uint64_t{1} << 30;

/// Checks one kind of reference file. Throws Error (exit 4) if a file can't be read or is invalid.
using Checker = std::vector<Check> (*)(const std::filesystem::path& where, const VerifyOptions& options);

std::vector<Check> verify_sampling(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_sums(const std::filesystem::path& file, const VerifyOptions&);  ///< SHA256SUMS
/// golden.json of a text model.
std::vector<Check> verify_text(const std::filesystem::path& folder, const VerifyOptions&);
/// golden.json of a model with adapters.
std::vector<Check> verify_lora(const std::filesystem::path& file, const VerifyOptions&);
/// golden.json of qwen2_5_vl.
std::vector<Check> verify_vl(const std::filesystem::path& folder, const VerifyOptions&);
/// Reference values of GGUF files.
std::vector<Check> verify_gguf(const std::filesystem::path& file, const VerifyOptions&);
/// Reference values of a published model.
std::vector<Check> verify_pretrained(const std::filesystem::path& file, const VerifyOptions&);
/// Reference values of a sentence encoder.
std::vector<Check> verify_sentences(const std::filesystem::path& file, const VerifyOptions&);

std::vector<Check> verify_grpo_loss(const std::filesystem::path& folder, const VerifyOptions&);
std::vector<Check> verify_grpo_advantages(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_grpo_step(const std::filesystem::path& file, const VerifyOptions&);

std::vector<Check> verify_classification(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_agreement(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_kmeans(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_correlation(const std::filesystem::path& file, const VerifyOptions&);

/// A reference file, or a folder of files that belong together, and its checker (null: there is none).
struct VerifyCase {
  std::filesystem::path where;
  std::string name;  ///< path relative to the folder searched
  std::string kind;  ///< text, vl, sampling, tokenizer, sums, ...
  Checker checker;

  bool asks_for_model() const;  ///< needs an entry of `VerifyOptions::models`
};

/// Returns the name of a reference file's model in `VerifyOptions::models`: the name of the file's folder.
std::string model_name(const std::filesystem::path& file);

/// Returns the folder of that model. A GGUF file, or a folder that contains one, is imported to `scratch`.
std::filesystem::path model_folder(const std::filesystem::path& file, const VerifyOptions& options,
                                   const std::filesystem::path& scratch);

/// Returns all cases in `folder` and below, sorted by name. Files are recognized by content, so folders may have any
/// name.
std::vector<VerifyCase> find_cases(const std::filesystem::path& folder);

/// Runs all cases and prints case, check, largest error, tolerance, pass or FAIL. `options`: {"folder", "tokenizer",
/// "models", "json"}. Returns 0 if all pass, 1 if one fails, 4 if a file can't be read (the others are still checked).
/// Throws Error (exit 4) if there is nothing to check.
int verify(const nlohmann::json& options);

}  // namespace compeer::verify
