// Whether a plugin keeps the contract of its kind.
#include "contract/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/hash.h"
#include "contract/plugin_choice.h"
#include "contract/settings_check.h"
#include "contract/trial.h"
#include "plugin/allow_list.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::contract {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// A message may have lines of its own.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == ' ';
    if (!space || line.empty() || line.back() != ' ') line += space ? ' ' : c;
  }
  return line;
}

/// A plugin's file on its way through the checks.
class PluginCheck {
 public:
  explicit PluginCheck(const CheckOptions& options)
      : options_(options),
        file_(fs::absolute(options.file).lexically_normal()),
        folder_(file_.parent_path().parent_path()) {}

  int run() {
    if (reads()) {
      plugin::AllowLists().refuse(descriptor_.kind, descriptor_.name, file_, sha256_);
      tries();
    }
    options_.as_json ? print_json() : print();
    return static_cast<int>(failed() > 0 ? Exit::plugin : made_ ? Exit::ok : Exit::data);
  }

 private:
  bool reads() {
    title_ = file_.parent_path().filename().string() + "/" + file_.stem().string();
    try {
      descriptor_ = plugin::read_descriptor(file_);  // first: it refuses what is too large for a library
      sha256_ = sha256_file(file_);
      if (file_.extension() != ".so") throw Error("", "its name does not end in .so, so that it is never found");
      title_ += " " + descriptor_.version;
      findings_.push_back({"descriptor", CheckVerdict::holds, "valid, of the kind and name that the file has"});
      return true;
    } catch (const Error& error) {
      findings_.push_back(
          {"descriptor", CheckVerdict::fails, error.problem() + (error.help().empty() ? "" : "; " + error.help())});
      return false;
    }
  }

  void tries() {
    const plugin::Finder finder(folders());
    auto settings = check_settings(descriptor_, own_sets(), finder);
    findings_ = joined(std::move(findings_), std::move(settings.findings));
    json edges = json::array();
    for (const auto& edge : settings.edges) edges.push_back({{"name", edge.name}, {"value", edge.value}});
    auto trial = try_plugin({{"kind", descriptor_.kind},
                             {"name", descriptor_.name},
                             {"version", descriptor_.version},
                             {"path", file_.string()},
                             {"sha256", sha256_},
                             {"settings", std::move(settings.settings)},
                             {"missing", std::move(settings.missing)},
                             {"unset", std::move(settings.unset)},
                             {"edges", std::move(edges)},
                             {"dataset", dataset(finder)}},
                            folder_, options_.patience);
    findings_ = joined(std::move(findings_), std::move(trial.findings));
    ending_ = trial.ending;
    made_ = trial.made;
  }

  std::vector<fs::path> folders() const {
    auto all = plugin::search_path();
    all.insert(all.begin(), folder_);
    return all;
  }

  // "dataset.path=x" is a setting of the dataset that was named, every other one the plugin's own.
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
        std::count_if(findings_.begin(), findings_.end(), [&](const Remark& one) { return one.verdict == verdict; }));
  }
  size_t failed() const { return count(CheckVerdict::fails); }

  void print() const {
    std::cout << spec::printable(title_) << "  " << file_.string() << "\n\n";
    for (const Remark& one : findings_) {
      const std::string verdict = one.verdict == CheckVerdict::told ? "" : json(one.verdict).get<std::string>();
      std::cout << fmt::format("  {:<11} {:<12} {}\n", one.check,
                               one.verdict == CheckVerdict::fails ? "FAILS" : verdict,
                               spec::printable(in_one_line(one.what), 2000));
      for (const auto& frame : one.stack) std::cout << fmt::format("{:<27}{}\n", "", spec::printable(frame, 200));
    }
    std::cout << fmt::format("\n{} hold, {} fail, {} not checked{}\n", count(CheckVerdict::holds), failed(),
                             count(CheckVerdict::not_checked),
                             made_ || failed() > 0 ? "" : "; none could be made, so nothing it does was checked");
  }

  void print_json() const {
    ordered_json out = {
        {"plugin", title_}, {"path", file_.string()}, {"sha256", sha256_.empty() ? json() : json(sha256_)}};
    out["holds"] = failed() == 0;
    out["made"] = made_;
    out["findings"] = json(findings_);
    std::cout << out.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  }

  static std::vector<Remark> joined(std::vector<Remark> a, std::vector<Remark> b) {
    a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
    return a;
  }

  const CheckOptions& options_;
  const fs::path file_, folder_;
  std::string title_, sha256_;
  plugin::Descriptor descriptor_;
  std::vector<Remark> findings_;
  std::string ending_;
  bool made_ = false;
};

}  // namespace

int check(const CheckOptions& options) {
  std::error_code code;
  if (!fs::is_regular_file(options.file, code))
    throw Error(options.file, "is no file", "compeer plugins list -v shows where libraries lie", Exit::usage);
  return PluginCheck(options).run();
}

}  // namespace compeer::contract
