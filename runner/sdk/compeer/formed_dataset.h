#pragma once
#include <boost/config.hpp>
#include <nlohmann/json.hpp>

namespace compeer {

/// A dataset whose examples have a form in which the trained model must be asked later, as a judge's questions have.
/// Such a plugin derives from Dataset and from this class. Training stores the form with every checkpoint, as
/// form.json; a plugin that asks the model reads that file and compares.
class BOOST_SYMBOL_VISIBLE FormedDataset {
 public:
  virtual ~FormedDataset() = default;

  /// A JSON object that follows from the settings and the files that they name; null if these examples have no form.
  virtual nlohmann::json form() const = 0;
};

}  // namespace compeer
