#pragma once
#include "tools/verify/verify.h"

// Part of `compeer verify`, which compares this program with reference files made by other libraries: tokenizers and
// chat templates. Check is one comparison with its error and tolerance.

namespace compeer::verify {

/// Checks a reference file of a tokenizer: a list of records {text, ids} (encoding), {ids, text} (decoding) or
/// {messages, text, ids} (chat template), distinguished by their fields. Ids and texts must be equal; the error of a
/// check is the number of records that differ. The tokenizer is taken from the file's own folder, otherwise from
/// `options.tokenizer`, otherwise from ../qwen2.5 or ../../data/qwen2.5. The template of records with pictures is in a
/// folder qwen2.5-vl next to it; without that folder their texts are not checked.
std::vector<Check> verify_tokenizer(const std::filesystem::path& file, const VerifyOptions& options);

/// Checks records {text, ids} or {messages, ids} with the tokenizer in `folder`, and appends the results to `checks`.
/// `prefix` begins the names of the checks; checks without records are omitted. Throws nlohmann::json::exception if the
/// records are invalid.
void check_tokenized(const std::string& prefix, const std::filesystem::path& folder,
                     const nlohmann::ordered_json& records, std::vector<Check>& checks);

}  // namespace compeer::verify
