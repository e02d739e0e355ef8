#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "compeer/chat.h"
#include "compeer/model.h"
#include "plugin/calls.h"

namespace compeer::contract {

/// One way to call a plugin.
template <class T>
struct Case {
  std::string input;   ///< "empty completions"
  std::string method;  ///< "score"
  /// Returns the result as bytes. Throws the errors of the plugin, and of the checks of its result.
  std::function<std::string(plugin::Plugin<T>&)> call;
};

/// A promise of the interface about several calls.
template <class T>
struct Rule {
  std::string says;  ///< "cosines are symmetric"
  std::string method;
  std::function<std::string(T&)> problem;  ///< returns a description of the first mistake, or ""
};

/// The cases and rules of one kind.
template <class T>
struct Cases {
  std::vector<Case<T>> cases;  ///< the first is what a run would call; it is repeated
  std::vector<Rule<T>> rules;
  std::function<void(plugin::Plugin<T>&)> prepare = nullptr;  ///< called for each object before the cases
  std::string varies = {};               ///< why results may differ from call to call; empty: they must not
  std::string varies_with_threads = {};  ///< why results may differ with the number of threads; empty: they must not
};

/// The front end's request.
struct ConformanceRequest {
  plugin::Chosen chosen;
  std::string version;
  nlohmann::json settings;                                    ///< null if required ones are missing
  std::vector<std::string> missing;                           ///< names of the missing ones
  std::vector<std::string> unset;                             ///< names of optional settings without a value
  std::vector<std::pair<std::string, nlohmann::json>> edges;  ///< name and value: an object must be made with each
  std::vector<Example> examples;                              ///< of the dataset that was named, or made up
  std::vector<nlohmann::json> records;
  bool real_records = false;  ///< examples and records come from a dataset that was named
};

/// The plugin under test.
template <class T>
struct Subject {
  plugin::Plugin<T>& plugin;
  const ConformanceRequest& request;
  std::function<plugin::Plugin<T>(const nlohmann::json& changes)> make;  ///< makes an object with changed settings
};

Cases<ChatModel> cases_for(const Subject<ChatModel>& subject);
Cases<Dataset> cases_for(const Subject<Dataset>& subject);
Cases<Model> cases_for(const Subject<Model>& subject);
Cases<Reward> cases_for(const Subject<Reward>& subject);
Cases<Reweighting> cases_for(const Subject<Reweighting>& subject);
Cases<Similarity> cases_for(const Subject<Similarity>& subject);
Cases<Stage> cases_for(const Subject<Stage>& subject);

/// Four texts of one sort.
struct SampleTexts {
  std::string sort;  ///< "empty {}", "{} of 100,000 characters"
  std::vector<std::string> texts;
  std::string of(const std::string& things) const;  ///< "empty completions"
};
/// All sorts; the first is the ordinary one.
const std::vector<SampleTexts>& all_texts();
const std::vector<std::string>& ordinary_texts();

std::vector<Completion> completions(const std::vector<std::string>& texts);

/// A dialogue to be answered, as a dataset returns it, and as the record that stages receive.
Example made_up_example(const std::string& id);
nlohmann::json made_up_record(const std::string& id);

/// Results and arguments as bytes that can be compared.
std::string bytes(const nlohmann::json& value);
std::string bytes(const at::Tensor& tensor);
std::string bytes(const Scores& scores);
std::string bytes(const Example& example);

/// Returns the result of `call`. Throws Error if it wrote into an argument, because other plugins get the same object.
template <class Call, class... Given>
auto untouched(const Call& call, const Given&... given) {
  const auto before = (bytes(given) + ...);
  auto result = call();
  if ((bytes(given) + ...) != before)
    throw Error("", "wrote into what it was given", "others get the same: change a copy", Exit::plugin);
  return result;
}

}  // namespace compeer::contract
