#pragma once
#include <boost/config.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "compeer/settings.h"

namespace compeer {

class Chat;
class Similarity;
class LanguageModel;
class TextTokenizer;

/// The services that the program offers to a plugin: log, random numbers, other plugins and models. The *policy* is the
/// model that the run trains or evaluates. Outlives the plugin.
///
/// Threads: a plugin may call these functions from its constructor and while the host calls it, on the same thread.
/// `cancelled` may be called from any thread.
///
/// New functions are only added at the end, so a plugin built for an older host version still works. Adding one raises
/// COMPEER_INTERFACE_host (plugin.h); a program with an older version refuses the plugin.
class BOOST_SYMBOL_VISIBLE Host {
 public:
  virtual ~Host() = default;

  /// Writes a line to the run's log, prefixed with the plugin's name.
  virtual void log(const std::string& message) = 0;

  /// Returns a random number, uniform in [0, 1), that depends only on the run's seed, the plugin's kind and name, a, b
  /// and c.
  virtual double random(uint32_t a, uint32_t b = 0, uint32_t c = 0) = 0;

  /// Returns the similarity plugin selected by a setting of type plugin: `settings.table("similarity")`. Opened at the
  /// first call; owned by the host.
  virtual Similarity& similarity(const Settings& choice) = 0;

  /// Returns the chat plugin selected by a setting of type plugin: `settings.table("chat")`. Opened at the first call;
  /// owned by the host, which stores its answers.
  virtual Chat& chat(const Settings& choice) = 0;

  /// Returns the language model in a directory (Hugging Face layout), loaded at the first call. Owned by the host and
  /// shared by all plugins of a rank.
  virtual LanguageModel& language_model(const std::string& directory) = 0;

  /// Embeds texts with the policy's current weights: returns [text][hidden unit]. An embedding is the mean over the
  /// text's tokens of the final hidden states (those to which the head is applied); no chat template is applied. Tokens
  /// beyond the model's maximum context are ignored; a text without tokens gives zeros. Results are bitwise
  /// reproducible: they do not depend on the other texts or on the number of threads. Throws if there is no policy, for
  /// example while datasets and models are created.
  virtual std::vector<std::vector<float>> embed(const std::vector<std::string>& texts) = 0;

  /// Returns the folder that contains the plugin's library, to find data files that ship with it.
  virtual std::string folder() const = 0;

  /// Returns true once the run is to stop: long work should return early.
  virtual bool cancelled() const = 0;

  /// Returns the policy's tokenizer. Throws if there is no policy, for example while datasets and models are created.
  virtual const TextTokenizer& tokenizer() const = 0;
};

}  // namespace compeer
