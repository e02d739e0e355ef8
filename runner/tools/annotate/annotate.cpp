// `compeer data annotate`: writes a page on which annotators judge records.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tools/annotate/commands.h"
#include "tools/annotate/page.h"

namespace compeer::annotate {

namespace {

namespace fs = std::filesystem;

constexpr const char* annotate_help = R"(
FILE contains one record per line: {"id", "history": [{"role", "text"}], "candidates": [{"history", "emotion",
"strategy", "reply"}]}, with two candidates, or one candidate and a "reference" to compare its reply with. Writes
DIR/annotate.html, which needs no network and no other file, and DIR/records.jsonl, a copy of FILE for
`compeer data merge`. Each annotator opens the page in a browser, judges, exports, and returns the export. Send only the
page: records.jsonl contains the sources of the replies, the page does not. The order of the records and of the two
replies is random for each annotator; `compeer data merge` restores it. Records without steps that need no judgement are
not on the page: `compeer data merge` rates equal replies as both good, and an empty reply as the worse one.)";

struct AnnotateOptions {
  std::string file, folder, media, annotator;
  uint64_t seed = 1;
  bool as_json = false;
};

int annotate(const AnnotateOptions& options) {
  auto file = read_records(options.file);
  if (!options.media.empty()) file.folder = options.media;
  std::vector<size_t> asked;
  for (size_t i = 0; i < file.records.size(); ++i)
    if (evident_preference(file.records[i]).empty()) asked.push_back(i);
  if (asked.empty())
    throw Error(options.file,
                "contains no record that needs a judgement: the replies of each are equal, or one is empty", "",
                Exit::data);
  const auto kept = fs::path(options.folder) / "records.jsonl";
  std::error_code error;
  const bool there = fs::exists(kept, error), same = there && read_file(kept) == read_file(options.file);
  if (there && !same)
    throw Error(kept.string(), "contains other records, which are needed to merge the exports of their page",
                "choose another --out, or delete the file if no export is outstanding");
  const auto name = "judgements-" + file.hash.substr(0, 8);
  const auto page = annotation_page({"Judging replies", name, options.annotator, "", options.seed}, file, asked);
  fs::create_directories(options.folder, error);
  const auto output = fs::path(options.folder) / "annotate.html";
  write_file(output, page);
  if (!same) write_file(kept, read_file(options.file));
  if (options.as_json) {
    std::cout << nlohmann::ordered_json{{"page", output.string()},
                                        {"records", asked.size()},
                                        {"evident", file.records.size() - asked.size()},
                                        {"file", file.hash},
                                        {"bytes", page.size()}}
              << '\n';
  } else {
    std::cout << output.string() << "\n";
    const size_t evident = file.records.size() - asked.size();
    std::cerr << fmt::format(
        "{} records{}; open the page in a browser, and merge its exports with `compeer data merge`\n", asked.size(),
        evident == 0 ? "" : fmt::format(", and {} that need no judgement", evident));
  }
  return 0;
}

}  // namespace

void add_annotate(CLI::App& command, std::function<int()>& action) {
  auto options = std::make_shared<AnnotateOptions>();
  command.add_option("FILE", options->file, "records with replies to compare, one JSON object per line")->required();
  command.add_option("--out", options->folder, "the folder for the page")->required()->type_name("DIR");
  command.add_option("--media", options->media, "the folder of the pictures that records show")
      ->type_name("DIR")
      ->default_str("that of FILE");
  command.add_option("--annotator", options->annotator, "name of the annotator; default: the page asks for it")
      ->type_name("NAME");
  command.add_option("--seed", options->seed, "random seed of the orders of records and replies")
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "print what was written as one JSON object");
  command.footer(annotate_help);
  command.callback([options, &action] { action = [options] { return annotate(*options); }; });
}

}  // namespace compeer::annotate
