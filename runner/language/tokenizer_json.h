#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "language/tokenizer_pipeline.h"

namespace compeer::language {

/// GPT-2's regular expression for words, the default of the pre-tokenizer ByteLevel.
extern const char* const byte_level_pattern;

// Parsers of the steps "normalizer", "pre_tokenizer" and "decoder" of tokenizer.json. `file`: the whole file.
// They throw Error (exit code 4: invalid data), located at `where`, for a step that is not supported, and exceptions of
// nlohmann::json for a malformed one.

/// Parses "normalizer"; empty if it is null.
Normalizer read_normalizer(const nlohmann::ordered_json& file, const std::string& where);

/// Parses "pre_tokenizer". Sets `byte_level` if its last step is ByteLevel: words are then spelled as GPT-2 does,
/// with a printable character for each byte (`spell_bytes`).
PreTokenizer read_pre_tokenizer(const nlohmann::ordered_json& file, const std::string& where, bool& byte_level);

/// Parses "decoder". `byte_level`: result of `read_pre_tokenizer`; byte-level tokenizers need no decoder in the file,
/// others do.
TokenDecoder read_decoder(const nlohmann::ordered_json& file, const std::string& where, bool byte_level);

/// Throws Error (exit code 4): `what` is not supported.
[[noreturn]] void unsupported_tokenizer(const std::string& where, const std::string& what);

}  // namespace compeer::language
