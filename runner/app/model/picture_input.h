#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/model/open_model.h"
#include "language/picture_parts.h"

namespace compeer::app {

/// Pictures among the tokens of a prompt.
class PictureInput {
 public:
  PictureInput(const std::filesystem::path& folder, OpenModel& model);

  /// Reads the pictures that `line` names (language/picture_parts.h; beside "ids" or "text" in a list "images"),
  /// repeats each placeholder in `tokens` as often as its picture needs (among "ids" it stands so often already) and
  /// lets the model look. `first` is the rotary position of the first token. Null if there are neither pictures nor
  /// placeholders. Throws Error (exit 4) with `where`.
  std::shared_ptr<const Sight> look(std::vector<int32_t>& tokens, const nlohmann::ordered_json& line, int64_t first,
                                    const std::string& where) const;

 private:
  OpenModel& model_;
  std::vector<int32_t> placeholders_;  // of pictures and videos; none: the model sees nothing
  std::optional<language::PictureSettings> settings_;
};

}  // namespace compeer::app
