#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// compeer verify: reference files, made with other people's libraries, against what we compute. tests/golden/README.md
/// says what such files hold.
namespace compeer::verify {

/// One comparison.
struct Check {
  std::string name;       ///< what was compared, as the reference file calls it: "right.logits"
  double error = 0;       ///< the largest found
  double tolerance = 0;   ///< the largest allowed
  bool passed = false;    ///< error <= tolerance
  std::string note = "";  ///< how much was compared, or where the largest error is
};

/// An error that is no number fails.
Check check(std::string name, double error, double tolerance, std::string note = "");

struct VerifyOptions {
  std::filesystem::path tokenizer =
      {};  ///< folder of the tokenizer that the files of tokenizer/ were made with; or empty
  std::map<std::string, std::filesystem::path> models = {};  ///< of files whose weights are elsewhere, by `model_name`
};

/// The most bytes that a file of reference values may have.
constexpr uint64_t largest_reference = uint64_t{1} << 30;

/// What knows one kind of reference file. Throws Error (exit 4) if a file can't be read or is not what it should be.
using Checker = std::vector<Check> (*)(const std::filesystem::path& where, const VerifyOptions& options);

std::vector<Check> verify_sampling(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_sums(const std::filesystem::path& file, const VerifyOptions&);    ///< SHA256SUMS
std::vector<Check> verify_text(const std::filesystem::path& folder, const VerifyOptions&);  ///< golden.json of a model
std::vector<Check> verify_lora(const std::filesystem::path& file, const VerifyOptions&);    ///< of a model's adapters
std::vector<Check> verify_vl(const std::filesystem::path& folder, const VerifyOptions&);    ///< of qwen2_5_vl
std::vector<Check> verify_gguf(const std::filesystem::path& file, const VerifyOptions&);    ///< beside GGUF files
std::vector<Check> verify_pretrained(const std::filesystem::path& file, const VerifyOptions&);  ///< a published model
std::vector<Check> verify_sentences(const std::filesystem::path& file, const VerifyOptions&);   ///< an encoder of such

std::vector<Check> verify_grpo_loss(const std::filesystem::path& folder, const VerifyOptions&);
std::vector<Check> verify_grpo_advantages(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_grpo_step(const std::filesystem::path& file, const VerifyOptions&);

std::vector<Check> verify_classification(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_agreement(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_kmeans(const std::filesystem::path& file, const VerifyOptions&);
std::vector<Check> verify_correlation(const std::filesystem::path& file, const VerifyOptions&);

/// A reference file, or a folder of files that belong together, and who checks it: null if nobody does yet.
struct VerifyCase {
  std::filesystem::path where;
  std::string name;  ///< relative to the folder searched
  std::string kind;  ///< text, vl, sampling, tokenizer, sums, ...
  Checker checker;

  bool asks_for_model() const;  ///< of `VerifyOptions::models`
};

/// What `VerifyOptions::models` calls the model of a reference file: its folder's name.
std::string model_name(const std::filesystem::path& file);

/// The folder of that model. A GGUF file in its place, or a folder with one, is imported to `scratch`.
std::filesystem::path model_folder(const std::filesystem::path& file, const VerifyOptions& options,
                                   const std::filesystem::path& scratch);

/// All that stand in `folder` and below, in order of their names. They are known by their content, so folders may have
/// any name.
std::vector<VerifyCase> find_cases(const std::filesystem::path& folder);

/// {"folder", "tokenizer", "models", "json"}: runs all of them and prints case, check, largest error, tolerance, pass
/// or FAIL. 0 if all pass, 1 if one fails; 4 if a file can't be read (the others are checked all the same) or nothing
/// is found.
int verify(const nlohmann::json& options);

}  // namespace compeer::verify
