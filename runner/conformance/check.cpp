// `compeer plugins check` in the front end: the checks of a descriptor, those of the worker, and the table of findings.
#include "conformance/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "conformance/plugin_choice.h"
#include "conformance/worker_check.h"
#include "plugin/allow_list.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::conformance {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// Joins the lines of a message.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == ' ';
    if (!space || line.empty() || line.back() != ' ') line += space ? ' ' : c;
  }
  return line;
}

class PluginCheck {
 public:
  explicit PluginCheck(const CheckOptions& options)
      : options_(options),
        file_(fs::absolute(options.file).lexically_normal()),
        folder_(file_.parent_path().parent_path()) {}

  int run() {
    if (read_descriptor()) {
      plugin::AllowLists().refuse(descriptor_.kind, descriptor_.name, file_, sha256_);
      check_plugin();
    }
    options_.as_json ? print_json() : print();
    return static_cast<int>(failed() > 0 ? Exit::plugin : made_ ? Exit::ok : Exit::data);
  }

 private:
  bool read_descriptor() {
    title_ = file_.parent_path().filename().string() + "/" + file_.stem().string();
    try {
      descriptor_ = plugin::read_descriptor(file_);  // first: it rejects files that are too large
      sha256_ = sha256_file(file_);
      if (file_.extension() != ".so") throw Error("", "its name does not end in .so: compeer does not find it");
      title_ += " " + descriptor_.version;
      findings_.push_back({"descriptor", CheckVerdict::holds, "valid; kind and name match the file's"});
      return true;
    } catch (const Error& error) {
      const auto what = error.problem() + (error.help().empty() ? "" : "; " + error.help());
      findings_.push_back({"descriptor", CheckVerdict::fails, what});
      return false;
    }
  }

  void check_plugin() {
    const plugin::Finder finder(folders());
    auto settings = check_settings(descriptor_, own_sets(), finder);
    add(settings.findings);
    const auto found = check_in_worker({{"kind", descriptor_.kind},
                                        {"name", descriptor_.name},
                                        {"version", descriptor_.version},
                                        {"path", file_.string()},
                                        {"sha256", sha256_},
                                        {"settings", std::move(settings.settings)},
                                        {"missing", std::move(settings.missing)},
                                        {"unset", std::move(settings.unset)},
                                        {"edges", std::move(settings.edges)},
                                        {"dataset", dataset(finder)}},
                                       folder_, options_.patience);
    add(found.findings);
    made_ = found.made;
  }

  void add(const std::vector<CheckFinding>& more) { findings_.insert(findings_.end(), more.begin(), more.end()); }

  std::vector<fs::path> folders() const {
    auto all = plugin::search_path();
    all.insert(all.begin(), folder_);
    return all;
  }

  // With --dataset, "dataset.path=x" is a setting of the dataset; all others are the plugin's own.
  static bool of_dataset(const std::string& set) { return set.starts_with("dataset."); }

  std::vector<std::string> own_sets() const {
    auto sets = options_.sets;
    if (!options_.dataset.empty()) std::erase_if(sets, of_dataset);
    return sets;
  }

  json dataset(const plugin::Finder& finder) const {
    if (options_.dataset.empty()) return nullptr;
    auto sets = options_.sets;
    std::erase_if(sets, [](const std::string& set) { return !of_dataset(set); });
    const auto draft = draft_of("dataset", options_.dataset, sets, "--dataset");
    spec::check(draft, finder);
    return plugin_json(finder.get("datasets", options_.dataset), draft.values.at("dataset"), "--dataset");
  }

  size_t count(CheckVerdict verdict) const {
    return static_cast<size_t>(
        std::count_if(findings_.begin(), findings_.end(), [&](const auto& one) { return one.verdict == verdict; }));
  }
  size_t failed() const { return count(CheckVerdict::fails); }

  void print() const {
    std::cout << spec::printable(title_) << "  " << file_.string() << "\n\n";
    for (const CheckFinding& one : findings_) {
      const auto verdict = one.verdict == CheckVerdict::fails ? "FAILS" : json(one.verdict).get<std::string>();
      std::cout << fmt::format("  {:<11} {:<12} {}\n", one.check, verdict,
                               spec::printable(in_one_line(one.what), 2000));
      for (const auto& frame : one.stack) std::cout << fmt::format("{:<27}{}\n", "", spec::printable(frame, 200));
    }
    std::cout << fmt::format(
        "\n{} hold, {} fail, {} not checked{}\n", count(CheckVerdict::holds), failed(),
        count(CheckVerdict::not_checked),
        made_ || failed() > 0 ? "" : "; the plugin could not be created, so its functions were not checked");
  }

  void print_json() const {
    ordered_json out = {
        {"plugin", title_}, {"path", file_.string()}, {"sha256", sha256_.empty() ? json() : json(sha256_)}};
    out["holds"] = failed() == 0;
    out["made"] = made_;
    out["findings"] = json(findings_);
    std::cout << out.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  }

  const CheckOptions& options_;
  const fs::path file_, folder_;
  std::string title_, sha256_;
  plugin::Descriptor descriptor_;
  std::vector<CheckFinding> findings_;
  bool made_ = false;
};

}  // namespace

int check(const CheckOptions& options) {
  if (const auto why = why_no_file(options.file); !why.empty())
    throw Error(options.file, why, "run 'compeer plugins list -v' to see the paths of libraries", Exit::usage);
  return PluginCheck(options).run();
}

}  // namespace compeer::conformance
