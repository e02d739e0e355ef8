#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/annotate/records.h"

namespace compeer::annotate {

/// An HTML page on which one annotator judges records in a browser, without a network. The page is determined by these
/// fields and the records. It shows only what is to be judged, and its source contains no ids, models or file names.
/// The order of the records, and of the two replies of each, is drawn from the seed and the annotator's name; if
/// `annotator` is empty, the page draws it itself after asking for a name.
struct AnnotationPage {
  std::string title;
  std::string name;       ///< stem of the exported files: NAME-ANNOTATOR.jsonl
  std::string annotator;  ///< empty: the page asks for a name first
  std::string purpose;    ///< distinguishes several pages about one file in the browser's storage
  uint64_t seed = 1;      ///< seed of the orders
};

/// Returns the HTML page for these records of `file` (`wanted`: their indices). All data is shown as text.
std::string annotation_page(const AnnotationPage& page, const RecordFile& file, const std::vector<size_t>& wanted);

/// Returns page.html with its style and script; {{title}} and {{data}} are placeholders.
std::string_view page_template();

}  // namespace compeer::annotate
