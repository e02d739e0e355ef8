#pragma once
#include "tools/verify/verify.h"

namespace compeer::verify {

/// A file of tokenizer/: encode.json, decode.json, chat.json or vl_chat.json, told apart by what their records hold.
/// Ids and texts must be equal: the error is the number of records that differ. The tokenizer is `options.tokenizer`;
/// else the file's own folder, ../qwen2.5 or ../../data/qwen2.5 from there. The template of the multimodal records is
/// beside it, as qwen2.5-vl; without one their texts are taken as given.
std::vector<Check> verify_tokenizer(const std::filesystem::path& file, const VerifyOptions& options);

/// Records {text, ids} or {messages, ids} against the tokenizer in `folder`, as checks whose names begin with `prefix`;
/// those that compare nothing are left out. Throws nlohmann::json::exception if they are none.
void check_tokenized(const std::string& prefix, const std::filesystem::path& folder,
                     const nlohmann::ordered_json& records, std::vector<Check>& checks);

}  // namespace compeer::verify
