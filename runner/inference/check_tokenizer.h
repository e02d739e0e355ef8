#pragma once
#include <nlohmann/json.hpp>

// Part of the checks before a run: a model that is given another model's tokenizer would compute nonsense silently.

namespace compeer::inference {

/// Throws Error (exit code 3: invalid spec) if a run would use a tokenizer other than the one that its model was
/// trained with. `model`: the table "model" of a spec; `foreign_tokenizer = true` in it turns the check off.
///
/// The tokenizer used is that in the folder `tokenizer`, otherwise in `path`. The model's own tokenizer is that in
/// `adapter.path`, otherwise in `path`, otherwise in the adapter's base. Another tokenizer is accepted if every id that
/// both have is the same token, and neither has more than twice as many tokens. If none of these folders has a
/// tokenizer, the one used must fill at least half of the rows of the model's embedding. Weights are not read. Nothing
/// is checked if the model is newly initialized, or a model folder does not exist yet.
void check_tokenizer(const nlohmann::json& model);

}  // namespace compeer::inference
