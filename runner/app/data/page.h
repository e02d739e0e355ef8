#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/data/records.h"

namespace compeer::app {

/// A page on which one person judges records in a browser, from a file and without a network. It is a function of these
/// alone.
struct Page {
  std::string title;
  std::string name;       ///< of what it exports: NAME-ANNOTATOR.jsonl
  std::string annotator;  ///< empty: the page asks
  std::string purpose;    ///< keeps answers to several pages about one file apart in a browser
  uint64_t seed = 1;      ///< of the order in which the two replies of each item stand
};

/// The page for `wanted` records (their numbers) of `file`, as HTML. Whatever a record holds, it is shown as text.
/// Who wrote a reply is left out.
std::string annotation_page(const Page& page, const RecordFile& file, const std::vector<size_t>& wanted);

/// page.html with its style and script; {{title}} and {{data}} are still to be filled in.
std::string_view page_template();

}  // namespace compeer::app
