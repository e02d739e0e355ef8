#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/annotate/records.h"

namespace compeer::annotate {

/// Settings of an HTML page on which one person, the annotator, judges dialogues with candidate replies in a browser.
/// The page needs no network; the annotator's judgements are saved as a file, the export. The page shows only text to
/// be judged, and its source contains no ids, models or file names. The order of the records, and of the two replies of
/// each, is drawn from the seed and the annotator's name.
struct AnnotationPage {
  std::string title;
  std::string name;       ///< stem of the exported files: NAME-ANNOTATOR.jsonl
  std::string annotator;  ///< name of the annotator; empty: the page asks for it, and then draws the order itself
  std::string purpose;    ///< part of the key in the browser's storage, which separates several pages about one file
  uint64_t seed = 1;      ///< seed of the orders
};

/// Returns the HTML page, as used by `compeer data annotate`. `wanted`: indices of the records of `file` to be judged.
/// All data is shown as text, never interpreted as HTML. Throws Error (exit code 4: invalid data) if a picture is
/// outside of the file's folder.
std::string annotation_page(const AnnotationPage& page, const RecordFile& file, const std::vector<size_t>& wanted);

/// Returns the source of the page with its style and script, in which {{title}} and {{data}} are placeholders. Embedded
/// by the build from page.html, page.css and page.js.
std::string_view page_template();

}  // namespace compeer::annotate
