#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "compeer/model.h"
#include "language/chat.h"
#include "language/pictures.h"
#include "plugin/open.h"

namespace compeer::inference {

/// How a model gets to see pictures: which tokens stand for them, how they are cut, and what it sees in them. A model
/// that takes no pictures has one too, which refuses them. Errors are those of data (exit 4) and begin with `where`.
class VisionInput {
 public:
  /// `folder`: the model's, with config.json and preprocessor_config.json; empty if it was made from nothing. `model`
  /// must outlive it.
  VisionInput(std::filesystem::path folder, plugin::Plugin<Model>& model);

  /// How pictures are cut; the usual way if the folder doesn't say.
  const language::PictureSettings& settings() const;
  /// Whether a token stands for a picture.
  bool placeholder(int32_t token) const;

  /// Throws if the model sees nothing, or a file is missing or damaged.
  std::vector<Picture> read(const std::vector<language::PictureFiles>& files, const std::string& where) const;
  /// Of files in memory.
  std::vector<Picture> read(std::span<const std::string> files, const std::string& where) const;
  /// Those that turns show, in order.
  std::vector<Picture> read(const std::vector<Turn>& turns, const std::string& where) const;

  /// Repeats each placeholder among the tokens as often as its picture needs; or, if they are `repeated`, counts them.
  void fit(std::vector<int32_t>& tokens, std::span<const Picture> pictures, bool repeated,
           const std::string& where) const;

  /// Turns as tokens, ready for the assistant to answer. `pictures` begin with those that they show.
  std::vector<int32_t> prompt(const language::Chat& chat, const std::vector<Turn>& turns,
                              std::span<const Picture> pictures, const std::string& where) const;
  /// The same of lines, which show all of the pictures.
  std::vector<int32_t> prompt_of(const language::Chat& chat, const language::TokenizedMessages& lines,
                                 std::span<const Picture> pictures, const std::string& where) const;

  /// What is seen among `tokens` from token `from` on, which has the rotary position `first`; null: nothing. The
  /// pictures are those of all tokens, and maybe of some that follow.
  std::shared_ptr<const VisionFeatures> look(std::span<const int32_t> tokens, size_t from, int64_t first,
                                             const std::vector<Picture>& pictures) const;

  /// Writes how pictures are cut into another model folder.
  void save(const std::filesystem::path& folder) const;

 private:
  void check_sight(const std::string& shown, const std::string& where) const;

  std::filesystem::path folder_;
  plugin::Plugin<Model>& model_;
  std::vector<int32_t> placeholders_;  // of pictures and videos; none: the model sees nothing
  std::optional<language::PictureSettings> settings_;
};

}  // namespace compeer::inference
