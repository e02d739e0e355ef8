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

/// What a plugin sees of the program that runs it. Lives longer than the plugin.
///
/// Threads: a plugin calls it from its constructor and from calls that the host makes, on the thread that made them.
/// `cancelled` may be called from any thread.
///
/// Functions are only added, at the end: a plugin built for a host with fewer of them works. Whoever adds one raises
/// COMPEER_INTERFACE_host (plugin.h), and a program whose host lacks it refuses the plugin.
class BOOST_SYMBOL_VISIBLE Host {
 public:
  virtual ~Host() = default;

  /// A line in the run's log, with the plugin's name before it.
  virtual void log(const std::string& message) = 0;

  /// Uniform in [0, 1): a function of (the run's seed, this plugin, a, b, c) and of nothing else.
  virtual double random(uint32_t a, uint32_t b = 0, uint32_t c = 0) = 0;

  /// The similarity plugin that a setting of type plugin names: `settings.table("similarity")`. Owned by the host.
  virtual Similarity& similarity(const Settings& choice) = 0;

  /// The chat plugin that a setting of type plugin names. Owned by the host, which remembers its answers.
  virtual Chat& chat(const Settings& choice) = 0;

  /// The language model in a directory (Hugging Face layout), loaded when first asked for. Owned by the host, shared
  /// by all plugins of a rank.
  virtual LanguageModel& language_model(const std::string& directory) = 0;

  /// What the policy, as it is now, makes of each text by itself: the mean of its last hidden states (those the head is
  /// applied to) over the text's tokens, without a chat template; zeros for a text without tokens. Tokens beyond the
  /// positions that the model has are left out. The same text and weights give the same bits, whatever is asked
  /// together, on any number of threads. Throws where there is no policy, as while datasets and models are made.
  virtual std::vector<std::vector<float>> embed(const std::vector<std::string>& texts) = 0;

  /// The folder the plugin's library lies in: data files that ship with a plugin are found from here.
  virtual std::string folder() const = 0;

  /// True once the run is to stop: long work should return early.
  virtual bool cancelled() const = 0;

  /// The policy's tokenizer. Throws where there is no policy, as while datasets and models are made.
  virtual const TextTokenizer& tokenizer() const = 0;
};

}  // namespace compeer
