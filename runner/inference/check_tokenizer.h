#pragma once
#include <nlohmann/json.hpp>

namespace compeer::inference {

/// Throws Error (exit 3) if a run would use another tokenizer than the one that its model was trained with. `model`:
/// the table "model" of a spec; `foreign_tokenizer = true` in it allows any. The model's own tokenizer is that of
/// `adapter.path`, else of `path`, else of an adapter's base. Another folder's is the same if no id is another token in
/// it, and neither has more than twice as many tokens. If no folder holds a tokenizer, `tokenizer` must fill at least
/// half of the rows of the model's embedding. Weights are not read. Folders that do not exist are not checked.
void check_tokenizer(const nlohmann::json& model);

}  // namespace compeer::inference
