// Runs the checks of all reference files in a folder and prints the results.
#include "tools/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "base/error.h"

namespace compeer::verify {

namespace {

using nlohmann::ordered_json;

// The outcome of one case.
struct Result {
  std::vector<Check> checks;
  std::string problem;  ///< reason why it could not be checked completely
  Exit exit = Exit::ok;
};

Result run(const VerifyCase& one, const VerifyOptions& options) {
  Result result;
  try {
    result.checks = one.checker(one.where, options);
    for (const Check& check : result.checks)
      if (!check.passed) result.exit = Exit::failure;
  } catch (const Error& error) {
    result.problem = error.what();
    result.exit = error.exit() == Exit::data ? Exit::data : Exit::failure;
  } catch (const std::exception& error) {
    result.problem = error.what();
    result.exit = Exit::failure;
  }
  return result;
}

void print_json(const std::string& name, const Result& result) {
  const auto line = [](const ordered_json& object) {
    std::cout << object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  };
  for (const Check& check : result.checks) {
    line({{"case", name},
          {"check", check.name},
          {"error", check.error},
          {"tolerance", check.tolerance},
          {"passed", check.passed},
          {"note", check.note}});
  }
  if (!result.problem.empty()) line({{"case", name}, {"passed", false}, {"problem", result.problem}});
  std::cout.flush();
}

void print(const std::string& name, const Result& result) {
  size_t width = 32;
  for (const Check& check : result.checks) width = std::max(width, check.name.size());
  for (const Check& check : result.checks) {
    std::cout << fmt::format("{:<16} {:<{}} {:>10.3g} {:>10.3g}  {}  {}\n", name, check.name, width, check.error,
                             check.tolerance, check.passed ? "pass" : "FAIL", check.note);
  }
  if (!result.problem.empty()) std::cout << fmt::format("{:<16} FAIL  {}\n", name, result.problem);
  std::cout.flush();
}

// Prints a line for each kind of reference files that are not checked, with the reason.
void print_unchecked(const std::string& why, const std::map<std::string, std::vector<std::string>>& names,
                     bool as_json) {
  for (const auto& [kind, cases] : names) {
    if (as_json) {
      std::cout << ordered_json{{"kind", kind}, {"cases", cases}, {"note", why}} << '\n';
      continue;
    }
    const auto list = fmt::format("{}", fmt::join(cases, ", "));
    std::cout << fmt::format("{} for {}\n", why, list == kind ? kind : kind + ": " + list);
  }
}

// Refuses names of --model that no reference file needs.
void check_models(const std::vector<VerifyCase>& cases, const VerifyOptions& options) {
  std::set<std::string> known;
  for (const VerifyCase& one : cases)
    if (one.asks_for_model()) known.insert(model_name(one.where));
  for (const auto& [name, folder] : options.models) {
    if (known.contains(name)) continue;
    throw Error("--model", fmt::format("no reference file requires a model '{}'", name),
                known.empty() ? "" : fmt::format("use one of: {}", fmt::join(known, ", ")), Exit::usage);
  }
}

}  // namespace

Check check(std::string name, double error, double tolerance, std::string note) {
  return {std::move(name), error, tolerance, error <= tolerance, std::move(note)};
}

int verify(const nlohmann::json& options) {
  const std::filesystem::path folder = options.at("folder").get<std::string>();
  VerifyOptions how{options.at("tokenizer").get<std::string>(), {}};
  for (const auto& [name, place] : options.at("models").items()) how.models[name] = place.get<std::string>();
  const bool as_json = options.at("json");
  const auto cases = find_cases(folder);
  check_models(cases, how);
  std::map<std::string, std::vector<std::string>> unknown, without_model;
  size_t checks = 0, failed = 0, checked = 0;
  Exit exit = Exit::ok;
  if (!as_json) std::cout << fmt::format("{:<16} {:<32} {:>10} {:>10}\n", "case", "check", "error", "tolerance");
  for (const VerifyCase& one : cases) {
    if (!one.checker) {
      unknown[one.kind].push_back(one.name);
      continue;
    }
    if (one.asks_for_model() && !how.models.contains(model_name(one.where))) {
      without_model[one.kind].push_back(model_name(one.where));
      continue;
    }
    const Result result = run(one, how);
    as_json ? print_json(one.name, result) : print(one.name, result);
    ++checked;
    checks += result.checks.size();
    failed += !result.problem.empty();
    for (const Check& check : result.checks) failed += !check.passed;
    exit = std::max(exit, result.exit);
  }
  print_unchecked("no check yet", unknown, as_json);
  print_unchecked("no --model NAME=DIR given", without_model, as_json);
  if (checked == 0 && !without_model.empty()) {
    const auto& name = without_model.begin()->second.front();
    throw Error(folder.string(), "contains reference values of models in other folders",
                fmt::format("name their folders: --model {}=DIR", name), Exit::data);
  }
  if (checked == 0)
    throw Error(folder.string(), "contains no reference files",
                "their layout: tests/golden/README.md in the source of Compeer", Exit::data);
  if (!as_json) std::cout << fmt::format("{} cases, {} checks, {} failed\n", checked, checks, failed);
  return static_cast<int>(exit);
}

}  // namespace compeer::verify
