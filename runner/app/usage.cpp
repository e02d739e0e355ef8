#include "app/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace compeer::app {

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// "compeer plugins list": what to type in front of --help.
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

// Options of a command are also those of the commands around it.
const CLI::Option* find_option(const CLI::App* app, const std::string& name) {
  for (; app; app = app->get_parent()) {
    if (const auto* option = app->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

std::vector<std::string> options_of(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app; app = app->get_parent()) {
    for (const auto* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) {
        if (std::find(names.begin(), names.end(), "--" + name) == names.end()) names.push_back("--" + name);
      }
    }
  }
  return names;
}

Error unknown(const char* what, const std::string& name, const std::vector<std::string>& names, const CLI::App& at) {
  auto help = suggest(name, names);
  if (!at.get_help_ptr()) return Error("", fmt::format("unknown {} '{}'", what, name), help, Exit::usage);
  help += fmt::format("\n        see {} --help", full_name(at));
  return Error("", fmt::format("unknown {} '{}'", what, name), help, Exit::usage);
}

// Of "--device: gpu not in {cpu,cuda,auto}", as CLI11 has it: "did you mean 'cuda'? ", or nothing.
std::string meant(const std::string& complaint) {
  const auto names = complaint.rfind(" not in {");
  if (names == std::string::npos || !complaint.ends_with('}')) return "";
  const auto value = complaint.substr(0, names);
  std::vector<std::string> known;
  std::istringstream list(complaint.substr(names + 9, complaint.size() - names - 10));
  for (std::string name; std::getline(list, name, ',');) known.push_back(name);
  const auto near = nearest(value.substr(value.rfind(' ') + 1), known);
  return near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
}

}  // namespace

Error usage_error(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& complaint) {
  const CLI::App* at = &app;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const auto& argument = arguments[i];
    const auto name = argument.substr(0, argument.find('='));
    if (argument.size() > 1 && argument[0] == '-') {
      const auto* option = find_option(at, argument[1] == '-' ? name : name.substr(0, 2));
      if (!option && (argument[1] < '0' || argument[1] > '9')) return unknown("option", name, options_of(at), *at);
      const bool value_apart = option && option->get_items_expected_min() > 0 && name == argument;
      if (value_apart) ++i;
    } else if (const auto* command = find_command(*at, argument)) {
      at = command;
    } else if (const auto names = commands_of(*at); !names.empty()) {
      return unknown("command", argument, names, *at);
    }
  }
  return Error("", complaint, fmt::format("{}see {} --help", meant(complaint), full_name(*at)), Exit::usage);
}

}  // namespace compeer::app
