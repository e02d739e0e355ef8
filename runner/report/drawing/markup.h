#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compeer::report {

/// Escapes text for markup: & < > " ' become entities; invalid UTF-8 and forbidden control characters become U+FFFD.
std::string escape(std::string_view text);

/// Writes well-formed markup: every element is closed, every text and attribute is escaped. The result is valid as both
/// HTML and XML.
///
///   Markup out;
///   {
///     const auto row = out.open("tr", {{"class", "best"}});
///     out.element("td", {}, "a < b");
///   }
///   out.take();   // <tr class="best"><td>a &lt; b</td></tr>
class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// Closes its element at the end of its scope.
  class [[nodiscard]] Scope {
   public:
    Scope(Markup& markup, std::string_view name) : markup_(&markup), name_(name) {}
    Scope(Scope&& other) noexcept : markup_(std::exchange(other.markup_, nullptr)), name_(std::move(other.name_)) {}
    ~Scope();
    Scope& operator=(Scope&&) = delete;

   private:
    Markup* markup_;
    std::string name_;
  };

  /// Opens an element; it is closed when the result is destroyed.
  Scope open(std::string_view name, Attributes attributes = {});
  /// Writes a whole element with text.
  void element(std::string_view name, Attributes attributes, std::string_view text);
  void empty(std::string_view name, Attributes attributes = {});  ///< writes an empty element, <br/>
  void text(std::string_view text);

  /// Writes bytes that are already markup and contain nothing from a run: a style sheet, the document type.
  void verbatim(std::string_view trusted) { bytes_ += trusted; }

  size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  void start(std::string_view name, Attributes attributes);

  std::string bytes_;
};

/// Returns style.css, which is built in.
std::string_view style_sheet();

}  // namespace compeer::report
