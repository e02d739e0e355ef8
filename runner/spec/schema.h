#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace compeer::spec {

using json = nlohmann::json;

enum class Type { integer, number, boolean, string, path, list, table, plugin };

/// One key that a table of a spec may hold: the one source for validation, help texts and reference pages.
struct SettingSchema {
  std::string name;
  Type type = Type::string;
  std::optional<json> default_value;  ///< absent: the key is required; null: it may stay unset
  std::optional<double> min, max;     ///< numbers: smallest and largest value; lists: fewest and most items
  bool above_min = false;             ///< the value must be greater than `min`, not equal to it
  bool below_max = false;             ///< the value must be less than `max`, not equal to it
  std::vector<std::string> choices;   ///< strings: the only values allowed; empty: any
  std::string help;                   ///< one line, with the unit
  Type items = Type::string;          ///< lists: the type of each item
  std::vector<SettingSchema> fields;  ///< tables, and lists of tables: the keys inside
  bool open = false;                  ///< tables: keys and values are the user's own, and nothing of them is checked
  std::string contents_of;            ///< strings: the path beside it whose file's text becomes the value
  bool run_folder = false;            ///< paths: a run that is named stands for its folder, not for its output
  std::string kind;                   ///< plugins: which kind. Their default is a name
};

using Schema = std::vector<SettingSchema>;

/// Reads the "parameters" of a plugin's descriptor (format: sdk/compeer/plugin.h): an object from each key to
///   {"type", "default", "min", "max", "above", "below", "choices", "help", "items", "parameters", "open",
///    "contents_of", "run_folder", "kind"}
/// where "above" and "below" are limits that are themselves excluded, "parameters" holds the keys of a table (or of
/// a list's tables, with "items": "table") and "kind" says what a plugin must be. Throws Error (exit 5) with `where` in
/// front of anything it can't accept, a default that breaks its own rules included. The order of the keys is kept.
Schema parse_schema(const nlohmann::ordered_json& parameters, const std::string& where = "descriptor");

/// The inverse, for `plugins inspect --json` and reference pages.
nlohmann::ordered_json schema_json(const Schema& schema);

/// "integer", "number", ...
std::string type_name(Type type);

/// What a value must be, in words: "integer from 1 to 4096", "number above 0", "one of grpo, bnpo, dr_grpo".
std::string describe(const SettingSchema& parameter);

std::vector<std::string> names(const Schema& schema);
const SettingSchema* find(const Schema& schema, const std::string& name);

}  // namespace compeer::spec
