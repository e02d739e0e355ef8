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

// The inputs with which `compeer plugins check` calls a plugin. T is the interface of the plugin's kind: Reward, Model,
// Dataset, ... plugin::Plugin<T> is an opened plugin; its method call() turns exceptions of the plugin into Error.

namespace compeer::conformance {

/// One call of a plugin with a fixed input. It is a test that the call succeeds and that its result is valid.
template <class T>
struct Case {
  std::string input;   ///< name of the input in findings: "empty completions"
  std::string method;  ///< the method that is called: "score"
  /// Calls the plugin and returns the result as bytes, to be compared with the result of a second call. Throws Error if
  /// the plugin throws, or if its result violates the interface.
  std::function<std::string(plugin::Plugin<T>&)> call;
};

/// A property that must hold across the results of several calls.
template <class T>
struct Rule {
  std::string property;                    ///< for findings: "cosines are symmetric"
  std::string method;                      ///< the method that findings name: "compare"
  std::function<std::string(T&)> problem;  ///< makes the calls; returns a description of the first violation, or ""
};

/// The cases and rules of one kind of plugin.
template <class T>
struct Cases {
  /// Each case is called several times, and the results must be equal. The first is a typical call: it is repeated to
  /// find memory leaks, and rules are skipped if it fails.
  std::vector<Case<T>> cases;
  std::vector<Rule<T>> rules;  ///< checked after all cases
  /// Makes the calls that an object of this kind needs before its first case. Called once for each new object; null if
  /// the kind needs none.
  std::function<void(plugin::Plugin<T>&)> prepare = nullptr;
  std::string varies = {};               ///< why results may differ between calls; empty: they must be equal
  std::string varies_with_threads = {};  ///< why they may depend on the number of threads; empty: they must not
};

/// The plugin to check, and the inputs of its cases.
struct ConformanceRequest {
  plugin::PluginFile chosen;         ///< kind, name, path and SHA-256 of the plugin's library
  std::string version;               ///< of the plugin, for messages
  nlohmann::json settings;           ///< object with all values; null if a required one is missing or one is invalid
  std::vector<std::string> missing;  ///< names of required settings without a value
  std::vector<std::string> unset;    ///< names of optional settings without a value
  /// Names of numeric settings with their lowest or highest valid values. An object of the plugin must be constructible
  /// with each of them.
  std::vector<std::pair<std::string, nlohmann::json>> edges;
  std::vector<Example> examples;        ///< dialogues, of the plugin of the option --dataset, or made up; not empty
  std::vector<nlohmann::json> records;  ///< the same as JSON, the input of plugins of the kind "stages"; not empty
  bool real_records = false;            ///< true if --dataset was given. If false, a case that fails with exit code 4
                                        ///< (data) is "not checked", because made-up data may lack a field
};

/// The plugin under test, as an argument of cases_for(). Cases may keep a copy, so `plugin` and `request` must outlive
/// them.
template <class T>
struct Subject {
  plugin::Plugin<T>& plugin;
  const ConformanceRequest& request;
  /// Constructs another object of the plugin, with the object `changes` merged into the settings. Throws Error if that
  /// fails.
  std::function<plugin::Plugin<T>(const nlohmann::json& changes)> make;
};

/// Each returns the cases and rules of a kind.
Cases<ChatModel> cases_for(const Subject<ChatModel>& subject);
Cases<Dataset> cases_for(const Subject<Dataset>& subject);
Cases<Model> cases_for(const Subject<Model>& subject);
Cases<Reward> cases_for(const Subject<Reward>& subject);
Cases<Reweighting> cases_for(const Subject<Reweighting>& subject);
Cases<Similarity> cases_for(const Subject<Similarity>& subject);
Cases<Stage> cases_for(const Subject<Stage>& subject);

/// Four test texts with a property in common, such as ordinary, empty, very long or invalid UTF-8.
struct SampleTexts {
  std::string sort;  ///< the property as a format string: "empty {}", "{} of 100,000 characters"
  std::vector<std::string> texts;
  /// Returns `sort` with "{}" replaced by `things`: "empty completions".
  std::string name_for(const std::string& things) const;
};
/// Returns all test texts. The first entry contains the ordinary ones.
const std::vector<SampleTexts>& all_texts();
/// Returns four replies of a supporter in plain English.
const std::vector<std::string>& ordinary_texts();

/// Returns completions with these texts and invented numbers of tokens; every second one is unfinished.
std::vector<Completion> completions(const std::vector<std::string>& texts);

/// Both return the same made-up dialogue: as an example of a dataset, and as the JSON record that plugins of the kind
/// "stages" receive. `id` is part of the text.
Example made_up_example(const std::string& id);
nlohmann::json made_up_record(const std::string& id);

/// Returns bytes that are equal exactly if the values are bitwise equal. For Scores, the names of the columns are left
/// out.
std::string bytes(const nlohmann::json& value);
std::string bytes(const at::Tensor& tensor);
std::string bytes(const Scores& scores);
std::string bytes(const Example& example);

/// Calls `call()`, which passes the objects `given` to the plugin, and returns its result. Throws Error (exit code 5:
/// plugin) if the call has changed one of these objects.
template <class Call, class... Given>
auto untouched(const Call& call, const Given&... given) {
  const auto before = (bytes(given) + ...);
  auto result = call();
  if ((bytes(given) + ...) != before)
    throw Error("", "changed its arguments", "change a copy: other plugins get the same objects", Exit::plugin);
  return result;
}

}  // namespace compeer::conformance
