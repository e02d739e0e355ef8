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

namespace compeer::conformance {

/// One way to call a plugin.
template <class T>
struct Case {
  std::string input;   ///< name of the input in findings: "empty completions"
  std::string method;  ///< the method that is called: "score"
  /// Calls the plugin and returns the result as bytes, which a second call is compared with. Throws the errors of the
  /// plugin, and of the checks of its result (plugin/calls.h).
  std::function<std::string(plugin::Plugin<T>&)> call;
};

/// A property that must hold across several calls.
template <class T>
struct Rule {
  std::string says;                        ///< the property: "cosines are symmetric"
  std::string method;                      ///< the method that findings name
  std::function<std::string(T&)> problem;  ///< returns a description of the first violation, or ""
};

/// The cases and rules of one kind.
template <class T>
struct Cases {
  /// All are called again to compare their results. The first is a typical call: it is repeated to find memory leaks,
  /// and rules are skipped if it fails.
  std::vector<Case<T>> cases;
  std::vector<Rule<T>> rules;
  std::function<void(plugin::Plugin<T>&)> prepare = nullptr;  ///< called once for each new object, before the cases
  std::string varies = {};               ///< why results may differ between calls; empty: they must be equal
  std::string varies_with_threads = {};  ///< why they may differ with the number of threads; empty: they must be equal
};

/// The request of `compeer plugins check` to the worker.
struct ConformanceRequest {
  plugin::PluginFile chosen;
  std::string version;
  nlohmann::json settings;           ///< null if a required one is missing or one is invalid
  std::vector<std::string> missing;  ///< names of the missing ones
  std::vector<std::string> unset;    ///< names of optional settings without a value
  std::vector<std::pair<std::string, nlohmann::json>>
      edges;                            ///< name and value of each end of a range: the plugin must accept it
  std::vector<Example> examples;        ///< of the option --dataset, or made up; not empty
  std::vector<nlohmann::json> records;  ///< input of stages, from the same source; not empty
  bool real_records = false;            ///< of --dataset. Otherwise a case that fails with exit code 4 is "not checked"
};

/// The plugin under test. Cases keep references to it, so it must outlive them.
template <class T>
struct Subject {
  plugin::Plugin<T>& plugin;
  const ConformanceRequest& request;
  std::function<plugin::Plugin<T>(const nlohmann::json& changes)>
      make;  ///< makes another object, with `changes` merged into the settings; throws the plugin's errors
};

Cases<ChatModel> cases_for(const Subject<ChatModel>& subject);
Cases<Dataset> cases_for(const Subject<Dataset>& subject);
Cases<Model> cases_for(const Subject<Model>& subject);
Cases<Reward> cases_for(const Subject<Reward>& subject);
Cases<Reweighting> cases_for(const Subject<Reweighting>& subject);
Cases<Similarity> cases_for(const Subject<Similarity>& subject);
Cases<Stage> cases_for(const Subject<Stage>& subject);

/// Four test texts of one sort.
struct SampleTexts {
  std::string sort;  ///< format string of their name: "empty {}", "{} of 100,000 characters"
  std::vector<std::string> texts;
  std::string name_for(const std::string& things) const;  ///< `sort` with "{}" replaced: "empty completions"
};
/// All sorts; the first is the ordinary one.
const std::vector<SampleTexts>& all_texts();
const std::vector<std::string>& ordinary_texts();

/// Returns completions with these texts and invented numbers of tokens; every second one is unfinished.
std::vector<Completion> completions(const std::vector<std::string>& texts);

/// The same made-up dialogue as a dataset's example and as the record that stages receive.
Example made_up_example(const std::string& id);
nlohmann::json made_up_record(const std::string& id);

/// Returns bytes that differ if the values do. Those of Scores leave out the names of the columns.
std::string bytes(const nlohmann::json& value);
std::string bytes(const at::Tensor& tensor);
std::string bytes(const Scores& scores);
std::string bytes(const Example& example);

/// Calls `call()` and returns its result. Throws Error (exit 5) if `given` has changed: other plugins get the same
/// objects.
template <class Call, class... Given>
auto untouched(const Call& call, const Given&... given) {
  const auto before = (bytes(given) + ...);
  auto result = call();
  if ((bytes(given) + ...) != before)
    throw Error("", "changed its arguments", "change a copy: other plugins get the same objects", Exit::plugin);
  return result;
}

}  // namespace compeer::conformance
