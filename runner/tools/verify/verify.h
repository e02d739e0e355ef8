#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// `compeer verify FOLDER`: compares this program with reference files, whose values were computed with other libraries.
// Their format is described in tests/golden/README.md. A case is one reference file, or a folder of files that belong
// together. A check is one comparison; a case has several.
namespace compeer::verify {

/// One comparison.
struct Check {
  std::string name;       ///< what is compared, named as in the reference file: "right.logits"
  double error = 0;       ///< largest difference found, absolute or relative; or the number of differing items
  double tolerance = 0;   ///< largest error allowed
  bool passed = false;    ///< error <= tolerance
  std::string note = "";  ///< number of values compared, or place of the largest error
};

/// Returns a check with `passed` computed. A NaN error fails.
Check check(std::string name, double error, double tolerance, std::string note = "");

/// Options of the command.
struct VerifyOptions {
  /// Folder of the tokenizer for reference files of tokenizers; empty: searched for near the file.
  std::filesystem::path tokenizer = {};
  /// Name of a model, as returned by model_name() -> its folder or GGUF file, for reference files without weights.
  std::map<std::string, std::filesystem::path> models = {};
};

/// Maximum size of a file of reference values, in bytes.
constexpr uint64_t largest_reference = uint64_t{1} << 30;

/// Function that checks one kind of reference file and returns its checks. `where`: the file, or the folder of a case
/// with several files. Throws Error (exit code 4: invalid data) if a file can't be read or is invalid.
using Checker = std::vector<Check> (*)(const std::filesystem::path& where, const VerifyOptions& options);

// The checkers, one for each kind of reference values.

/// Filters of next-token distributions: temperature, top-k, top-p, min-p, repetition penalty.
std::vector<Check> verify_sampling(const std::filesystem::path& file, const VerifyOptions&);
/// A file SHA256SUMS: the hashes of the files that it lists.
std::vector<Check> verify_sums(const std::filesystem::path& file, const VerifyOptions&);
/// golden.json of a small text model: forward pass, training steps, greedy decoding.
std::vector<Check> verify_text(const std::filesystem::path& folder, const VerifyOptions&);
/// golden.json of a small text model with LoRA adapters.
std::vector<Check> verify_lora(const std::filesystem::path& file, const VerifyOptions&);
/// golden.json of a small Qwen2.5-VL model: pictures and text.
std::vector<Check> verify_vl(const std::filesystem::path& folder, const VerifyOptions&);
/// GGUF files: dequantized weights, tokenizer and model.
std::vector<Check> verify_gguf(const std::filesystem::path& file, const VerifyOptions&);
/// A published model, which is not part of the reference files: weights, tokenizer, continuations.
std::vector<Check> verify_pretrained(const std::filesystem::path& file, const VerifyOptions&);
/// A sentence encoder: embeddings and cosines.
std::vector<Check> verify_sentences(const std::filesystem::path& file, const VerifyOptions&);

// GRPO: policy losses with their gradients, advantages, and whole training steps.
std::vector<Check> verify_grpo_loss(const std::filesystem::path& folder, const VerifyOptions&);
std::vector<Check> verify_grpo_advantages(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_grpo_step(const std::filesystem::path& file, const VerifyOptions&);

// Metrics of evaluations.
std::vector<Check> verify_classification(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_agreement(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_kmeans(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_correlation(const std::filesystem::path& file, const VerifyOptions&);

/// A reference file, or a folder of files that belong together.
struct VerifyCase {
  std::filesystem::path where;  ///< the file or folder
  std::string name;             ///< its path relative to the folder searched
  std::string kind;             ///< text, vl, sampling, tokenizer, sums, ...
  Checker checker;              ///< null if no checker exists for this kind

  bool asks_for_model() const;  ///< true if the weights must be named with an entry of `VerifyOptions::models`
};

/// Returns the name of a reference file's model in `VerifyOptions::models`: the name of the file's folder.
std::string model_name(const std::filesystem::path& file);

/// Returns the folder of the model of a reference file. A GGUF file, or a folder that contains one, is first converted
/// to a model folder in the folder `scratch`.
std::filesystem::path model_folder(const std::filesystem::path& file, const VerifyOptions& options,
                                   const std::filesystem::path& scratch);

/// Returns all cases in `folder` and below, sorted by name. Files are recognized by content, so folders may have any
/// name.
std::vector<VerifyCase> find_cases(const std::filesystem::path& folder);

/// Runs all cases and prints case, check, largest error, tolerance, pass or FAIL. `options`: {"folder", "tokenizer",
/// "models": {name: folder}, "json": true to print JSON}. Returns the exit code: 0 if all pass, 1 if one fails, 4 if a
/// file can't be read (the others are still checked). Throws Error (exit code 4) if there is nothing to check, or (exit
/// code 2: wrong command line) if no reference file needs a given model.
int verify(const nlohmann::json& options);

}  // namespace compeer::verify
