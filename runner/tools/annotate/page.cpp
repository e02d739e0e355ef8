// Builds the page for annotators from records, its template and an order drawn from the seed.
#include "tools/annotate/page.h"

#include "base/data_uri.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/inside.h"
#include "base/random.h"
#include "report/drawing/markup.h"

namespace compeer::annotate {

namespace {

using nlohmann::json;

json texts(const json& object, std::initializer_list<const char*> keys) {
  json result;
  for (const char* key : keys) result[key] = object.at(key);
  return result;
}

// The page is sent to other people, so names in untrusted records must not include arbitrary files.
std::filesystem::path picture_file(const std::string& name, const std::filesystem::path& folder) {
  const auto file = folder / name;
  if (is_inside_lexically(folder, file)) return file;
  throw Error(file.string(), "is a picture outside of the folder " + folder.string(),
              "name the folder of pictures: --media DIR", Exit::data);
}

json shown(const json& turn, const std::filesystem::path& folder) {
  json result = texts(turn, {"role", "text"});
  for (const json& picture : turn.value("pictures", json::array()))
    result["pictures"].push_back(data_uri(picture_file(picture.get<std::string>(), folder)));
  return result;
}

// Returns a record's replies and steps in the order in which they are shown.
json item(const RecordFile& file, const json& record, bool turned) {
  json result{{"item", page_item(file, record, turned)}, {"history", json::array()}, {"candidates", json::array()}};
  for (const json& turn : record.at("history")) result["history"].push_back(shown(turn, file.folder));
  if (has_steps(record))
    for (const json& candidate : record.at("candidates"))
      result["candidates"].push_back(texts(candidate, {"history", "emotion", "strategy"}));
  result["replies"] = replies(record);
  for (const char* list : {"candidates", "replies"}) {
    if (turned && result[list].size() == 2) std::swap(result[list][0], result[list][1]);
  }
  const auto language = record.find("language");
  result["language"] = language != record.end() && language->is_string() ? *language : json("");
  return result;
}

// The order of records and replies for a seed and annotator.
class PageOrder {
 public:
  PageOrder(uint64_t seed, const std::string& annotator)
      : seed_(annotator.empty() ? seed : seed ^ std::stoull(sha256(annotator).substr(0, 16), nullptr, 16)) {}

  bool turned(size_t record) const { return below(2, seed_, Stream::presentation, static_cast<uint32_t>(record)) == 1; }

  std::vector<size_t> shuffled(std::vector<size_t> records) const {
    for (size_t i = records.size(); i > 1; --i)
      std::swap(records[i - 1], records[below(i, seed_, Stream::presentation, static_cast<uint32_t>(i), 1)]);
    return records;
  }

 private:
  uint64_t seed_;
};

// Returns JSON for a script element: without "<" it can't end the element or begin a comment.
std::string safe_json(const json& value) {
  std::string text;
  for (const char c : value.dump()) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

// Fills in the placeholders. Inserted values are not searched for placeholders.
std::string filled(std::string_view rest, const std::map<std::string, std::string, std::less<>>& values) {
  std::string text;
  for (size_t at; (at = rest.find("{{")) != rest.npos;) {
    const size_t end = rest.find("}}", at);
    text += rest.substr(0, at);
    text += values.find(rest.substr(at + 2, end - at - 2))->second;
    rest.remove_prefix(end + 2);
  }
  return text.append(rest);
}

}  // namespace

std::string annotation_page(const AnnotationPage& page, const RecordFile& file, const std::vector<size_t>& wanted) {
  json data{{"file", file.hash},
            {"name", page.name},
            {"annotator", page.annotator},
            {"purpose", page.purpose},
            {"items", json::array()}};
  const PageOrder order(page.seed, page.annotator);
  for (const size_t number : order.shuffled(wanted))
    data["items"].push_back(item(file, file.records[number], order.turned(number)));
  return filled(page_template(), {{"title", report::escape(page.title)}, {"data", safe_json(data)}});
}

}  // namespace compeer::annotate
