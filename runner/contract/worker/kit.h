#pragma once
#include <functional>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/dataset.h"
#include "compeer/model.h"
#include "plugin/calls.h"

namespace compeer::contract {

/// One way to call a plugin.
template <class T>
struct Case {
  std::string input;   ///< in words: "empty completions"
  std::string method;  ///< "score"
  /// What came back, as bytes that can be compared. Throws what plugin or door throw.
  std::function<std::string(plugin::Plugin<T>&)> call;
  bool may_refuse = false;  ///< by an exception: no run would give it this
};

/// What an interface promises of several calls together.
template <class T>
struct Rule {
  std::string says;  ///< "a text is as alike to another as that to it"
  std::string method;
  std::function<std::string(plugin::Plugin<T>&)> broken;  ///< how, in words; empty if it is kept
  std::string check = "rules";
};

/// What is asked of the plugins of one kind, on one page for each: rewards.cpp, datasets.cpp, ...
template <class T>
struct Kit {
  std::vector<Case<T>> cases;  ///< the first is what a run would ask; it is called a thousand times
  std::vector<Rule<T>> rules;
  std::function<void(plugin::Plugin<T>&)> begin = nullptr;  ///< what each object is told before it is called
  std::string need_not_agree = {};  ///< why the same call may give something else; empty: it may not
  std::string not_on_threads = {};  ///< why it may on another number of threads
  std::string not_repeated = {};    ///< why nothing is called a thousand times
};

/// What a kit is made for: the plugin, and what it can be tried with.
template <class T>
struct Subject {
  plugin::Plugin<T>& plugin;
  std::vector<Example> examples;  ///< of the dataset that was named, else made up
  std::vector<nlohmann::json> records;
  nlohmann::json settings;
  /// Another object of the same plugin, with some settings of its own.
  std::function<plugin::Plugin<T>(const nlohmann::json& changes)> another;
};

Kit<ChatModel> kit_for(const Subject<ChatModel>& subject);
Kit<Dataset> kit_for(const Subject<Dataset>& subject);
Kit<Model> kit_for(const Subject<Model>& subject);
Kit<Reward> kit_for(const Subject<Reward>& subject);
Kit<Reweighting> kit_for(const Subject<Reweighting>& subject);
Kit<Similarity> kit_for(const Subject<Similarity>& subject);
Kit<Stage> kit_for(const Subject<Stage>& subject);

}  // namespace compeer::contract
