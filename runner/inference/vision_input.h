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

/// Pictures as input of a model: reads and preprocesses files, expands placeholder tokens and computes vision features.
/// For models without vision it accepts no pictures. Functions with `where` throw Error (exit 4) located there.
class VisionInput {
 public:
  /// `folder`: the model's, with config.json and preprocessor_config.json (or an adapter's, whose base has them); empty
  /// for a newly initialized model. `model` must outlive the object.
  VisionInput(const std::filesystem::path& folder, plugin::Plugin<Model>& model);

  /// The preprocessing settings; defaults if the folder has none.
  const language::PictureSettings& settings() const;
  /// True if `token` is the placeholder of an image or video.
  bool is_placeholder(int32_t token) const;

  /// Reads and preprocesses pictures. Throws if the model takes no pictures, or a file is missing or damaged.
  std::vector<Picture> read(const std::vector<language::PictureFiles>& files, const std::string& where) const;
  /// The same for PNG and JPEG files in memory.
  std::vector<Picture> read(std::span<const std::string> files, const std::string& where) const;
  /// The same for the pictures of turns, in order.
  std::vector<Picture> read(const std::vector<Turn>& turns, const std::string& where) const;

  /// Expands `tokens`: repeats each picture's placeholder to the number of tokens that the picture needs. If they are
  /// already `repeated`, only checks their total. Throws if placeholders and pictures don't match.
  void expand_placeholders(std::vector<int32_t>& tokens, std::span<const Picture> pictures, bool repeated,
                           const std::string& where) const;

  /// Returns the tokens of a conversation with the generation prompt and expanded placeholders. `pictures` must begin
  /// with those of `turns`.
  std::vector<int32_t> prompt(const language::Chat& chat, const std::vector<Turn>& turns,
                              std::span<const Picture> pictures, const std::string& where) const;
  /// The same for tokenized messages, which must have exactly `pictures`.
  std::vector<int32_t> prompt_of(const language::Chat& chat, const language::TokenizedMessages& lines,
                                 std::span<const Picture> pictures, const std::string& where) const;

  /// Runs the vision tower on the pictures among `tokens` from index `from` on, whose first token has the rotary
  /// position `first`. Returns null if there are none. `pictures`: those of all tokens, in order; more may follow.
  std::shared_ptr<const VisionFeatures> compute_vision(std::span<const int32_t> tokens, size_t from, int64_t first,
                                                       const std::vector<Picture>& pictures) const;

  /// Copies preprocessor_config.json and processor_config.json of the model, or of an adapter's base, to another
  /// folder.
  void save(const std::filesystem::path& folder) const;

 private:
  void check_sight(const std::string& shown, const std::string& where) const;

  std::filesystem::path settings_folder_;  // the folder of settings_
  plugin::Plugin<Model>& model_;
  std::vector<int32_t> placeholders_;  // tokens of images and videos; empty: the model takes no pictures
  std::optional<language::PictureSettings> settings_;
};

}  // namespace compeer::inference
