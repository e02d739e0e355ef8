#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/annotate/records.h"

namespace compeer::annotate {

/// A page on which one person judges records in a browser, from a file and without a network. It is a function of these
/// alone. It tells nothing of the records but what is to be judged, neither to who looks at it nor in its source: no
/// ids, models or files' names, and in an order, of records and of their two replies, that is drawn from the seed for
/// each annotator; by the page itself, once it knows a name, if it is not made for one.
struct AnnotationPage {
  std::string title;
  std::string name;       ///< of what it exports: NAME-ANNOTATOR.jsonl
  std::string annotator;  ///< empty: the page asks before it shows anything
  std::string purpose;    ///< keeps answers to several pages about one file apart in a browser
  uint64_t seed = 1;      ///< of the orders
};

/// The page for `wanted` records (their numbers) of `file`, as HTML. Whatever a record holds, it is shown as text.
std::string annotation_page(const AnnotationPage& page, const RecordFile& file, const std::vector<size_t>& wanted);

/// page.html with its style and script; {{title}} and {{data}} are still to be filled in.
std::string_view page_template();

}  // namespace compeer::annotate
