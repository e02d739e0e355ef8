#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../program.h"

namespace compeer::conformance {

/// Fixture for `compeer plugins check`.
class Checked : public Program {
 protected:
  /// Runs `compeer plugins check ARGUMENTS`. Returns its JSON output, with its exit code as "exit". Without a JSON
  /// output, "errors" has the text of standard error.
  nlohmann::json checked(const std::string& arguments) {
    const auto text = told("plugins check " + arguments + " --json 2> errors.txt");
    const auto end = text.rfind("exit ");
    auto report = nlohmann::json::parse(text.substr(0, end), nullptr, false);
    if (!report.is_object()) report = {{"findings", nlohmann::json::array()}, {"errors", errors()}};
    report["exit"] = std::stoi(text.substr(end + 5));
    return report;
  }

  /// Returns "check: what" for each finding with this verdict, one per line.
  static std::string all(const nlohmann::json& report, const std::string& verdict) {
    std::string lines;
    for (const auto& one : report.at("findings")) {
      if (one.at("verdict") == verdict)
        lines += one.at("check").get<std::string>() + ": " + one.at("what").get<std::string>() + "\n";
    }
    return report.contains("errors") ? report.at("errors").get<std::string>() : lines;
  }
  /// The same for the verdict "fails".
  static std::string failing(const nlohmann::json& report) { return all(report, "fails"); }

  /// Returns the standard error of the last check.
  std::string errors() const {
    std::ifstream file(folder() / "errors.txt");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

}  // namespace compeer::conformance
