#pragma once
#include <boost/config.hpp>
#include <nlohmann/json.hpp>

namespace compeer {

/// Optional interface of a dataset that trains a model to answer prompts of a fixed format, such as a judge's
/// questions. A plugin derives from Dataset and from this class. Training writes the format to form.json in every
/// checkpoint; plugins that use the trained model read that file and check that their prompts have the same format.
class BOOST_SYMBOL_VISIBLE FormedDataset {
 public:
  virtual ~FormedDataset() = default;

  /// Returns the format as a JSON object, which follows from the settings and the files they name; null if the examples
  /// have no fixed format.
  virtual nlohmann::json form() const = 0;
};

}  // namespace compeer
