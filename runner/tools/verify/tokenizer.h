#pragma once
#include "tools/verify/verify.h"

namespace compeer::verify {

/// Checks a file of tokenizer/ (encode.json, decode.json, chat.json or vl_chat.json, distinguished by the fields of
/// their records). Ids and texts must be equal; the error is the number of records that differ. The tokenizer is taken
/// from the file's own folder, otherwise `options.tokenizer`, otherwise ../qwen2.5 or ../../data/qwen2.5. The template
/// of multimodal records is in the folder qwen2.5-vl next to it; without it their texts are not checked.
std::vector<Check> verify_tokenizer(const std::filesystem::path& file, const VerifyOptions& options);

/// Checks records {text, ids} or {messages, ids} with the tokenizer in `folder`. `prefix` begins the names of the
/// checks; checks without records are omitted. Throws nlohmann::json::exception if the records are invalid.
void check_tokenized(const std::string& prefix, const std::filesystem::path& folder,
                     const nlohmann::ordered_json& records, std::vector<Check>& checks);

}  // namespace compeer::verify
