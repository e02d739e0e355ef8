#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "language/tokenizer_pipeline.h"

namespace compeer::language {

/// GPT-2's split pattern, the default of the pre-tokenizer ByteLevel.
extern const char* const byte_level_pattern;

// Parsers of the steps "normalizer", "pre_tokenizer" and "decoder" of tokenizer.json. They throw Error (exit 4),
// located at `where`, for a step that is not supported, and exceptions of nlohmann::json for a malformed one.

Normalizer read_normalizer(const nlohmann::ordered_json& file, const std::string& where);

/// Sets `byte_level` if the last step is ByteLevel, so that words are spelled as GPT-2 does.
PreTokenizer read_pre_tokenizer(const nlohmann::ordered_json& file, const std::string& where, bool& byte_level);

/// Byte-level tokenizers need no decoder in the file; others do.
TokenDecoder read_decoder(const nlohmann::ordered_json& file, const std::string& where, bool byte_level);

/// Throws Error (exit 4): `what` is not supported.
[[noreturn]] void unsupported_tokenizer(const std::string& where, const std::string& what);

}  // namespace compeer::language
