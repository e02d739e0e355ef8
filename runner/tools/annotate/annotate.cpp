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
FILE holds a record a line: {"id", "history": [{"role", "text"}], "candidates": [{"history", "emotion", "strategy",
"reply"}]}, with two candidates, or one and a "reference" that its reply is compared with. Writes DIR/annotate.html,
which needs no network and no other file, and DIR/records.jsonl, a copy of FILE for `compeer data merge`. Each annotator
opens the page in a browser, judges, exports, and sends the export back. Send the page alone: records.jsonl says who
wrote what, the page does not. The order of the records, and which reply stands first, are drawn for each annotator;
`compeer data merge` undoes them, and settles records without steps that nobody need judge: equal replies are both good,
and a reply that says nothing is the worse one.)";

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
    throw Error(options.file, "holds no record that anybody need judge: replies are the same, or one says nothing", "",
                Exit::data);
  const auto kept = fs::path(options.folder) / "records.jsonl";
  std::error_code error;
  const bool there = fs::exists(kept, error), same = there && read_file(kept) == read_file(options.file);
  if (there && !same)
    throw Error(kept.string(), "holds other records, which exports of its page are merged with",
                "choose another --out, or delete it if nobody's judgements are awaited");
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
    std::cerr << fmt::format("{} records{}; open the page in a browser, and give exports to `compeer data merge`\n",
                             asked.size(), evident == 0 ? "" : fmt::format(", and {} that nobody need judge", evident));
  }
  return 0;
}

}  // namespace

void add_annotate(CLI::App& command, std::function<int()>& action) {
  auto options = std::make_shared<AnnotateOptions>();
  command.add_option("file", options->file, "records with replies to compare, a JSON object a line")
      ->required()
      ->type_name("FILE");
  command.add_option("--out", options->folder, "where the page goes")->required()->type_name("DIR");
  command.add_option("--media", options->media, "the folder of the pictures that records show")
      ->type_name("DIR")
      ->default_str("that of FILE");
  command.add_option("--annotator", options->annotator, "whom it is for; else the page asks")->type_name("NAME");
  command.add_option("--seed", options->seed, "of the orders of records and replies")
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "say what was written as one JSON object");
  command.footer(annotate_help);
  command.callback([options, &action] { action = [options] { return annotate(*options); }; });
}

}  // namespace compeer::annotate
