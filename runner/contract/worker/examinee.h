#pragma once
#include <memory>
#include <optional>

#include "contract/worker/answers.h"
#include "contract/worker/kit.h"
#include "contract/worker/reporter.h"
#include "contract/worker/watch.h"
#include "plugin/host.h"

namespace compeer::contract {

/// What an examination is told, by the front end.
struct ExaminationRequest {
  plugin::Chosen chosen;
  std::string version;
  nlohmann::json settings;           ///< null: required ones are missing
  std::vector<std::string> missing;  ///< these
  std::vector<std::string> unset;    ///< settings without a value that need none
  nlohmann::json edges;              ///< [{"name", "value"}]: the plugin must be made with each
  std::vector<Example> examples;
  std::vector<nlohmann::json> records;
  bool real_records = false;  ///< of a dataset that was named
};

/// The plugin under examination: objects of it, and calls into them, announced before they are made.
template <class T>
class Examinee {
 public:
  using Object = plugin::Plugin<T>;

  Examinee(const ExaminationRequest& asked, const plugin::Services& services, Reporter& report)
      : asked_(asked), services_(services), report_(report) {}

  /// What came of a case: an Error that came instead is in it.
  CallResult answer_to(const Case<T>& one, Object& object) {
    report_.calls(one.method, one.input);
    const Call call;
    try {
      CallResult answer;
      answer.bytes = one.call(object);
      return answer;
    } catch (const Error& error) {
      return failure(identity(), one.method, error);
    }
  }

  /// What went wrong in words, if anything did.
  template <class F>
  std::optional<std::string> tried(const std::string& method, const std::string& input, F&& f) {
    report_.calls(method, input);
    const Call call;
    try {
      f();
      return {};
    } catch (const Error& error) {
      const CallResult answer = failure(identity(), method, error);
      return answer.problem + (answer.help.empty() ? "" : " (" + answer.help + ")");
    }
  }

  /// A new object, with some settings of its own.
  Object another(const nlohmann::json& changes) {
    auto settings = asked_.settings;
    settings.update(changes.is_null() ? nlohmann::json::object() : changes);
    return plugin::open<T>(asked_.chosen, Settings(settings),
                           std::make_unique<plugin::RunHost>(asked_.chosen, services_));
  }

  /// Destroyed like any other call: it may crash.
  void ends(std::optional<Object>& object) {
    report_.calls("~", "");
    const Call call;
    object.reset();
  }

  plugin::Identity identity() const {
    return {asked_.chosen.kind, asked_.chosen.name, asked_.version, asked_.chosen.path};
  }

 private:
  const ExaminationRequest& asked_;
  const plugin::Services& services_;
  Reporter& report_;
};

}  // namespace compeer::contract
