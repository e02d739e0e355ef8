#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Writing of HTML and SVG.
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
  /// Names and values of an element's attributes; values are escaped.
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// Guard of an open element: its destructor writes the closing tag. The Markup must outlive it.
  class [[nodiscard]] Scope {
   public:
    /// `name`: the element that is open in `markup`.
    Scope(Markup& markup, std::string_view name) : markup_(&markup), name_(name) {}
    Scope(Scope&& other) noexcept : markup_(std::exchange(other.markup_, nullptr)), name_(std::move(other.name_)) {}
    ~Scope();
    Scope& operator=(Scope&&) = delete;

   private:
    Markup* markup_;    ///< null if it was moved from
    std::string name_;  ///< element to close
  };

  /// Opens an element; it is closed when the result is destroyed. `name`: of the element, "tr".
  Scope open(std::string_view name, Attributes attributes = {});
  /// Writes a whole element with this text, which is escaped.
  void element(std::string_view name, Attributes attributes, std::string_view text);
  void empty(std::string_view name, Attributes attributes = {});  ///< writes an empty element, <br/>
  void text(std::string_view text);  ///< writes escaped text into the innermost open element

  /// Writes bytes that are already markup and contain nothing from a run: a style sheet, the document type.
  void verbatim(std::string_view trusted) { bytes_ += trusted; }

  size_t size() const { return bytes_.size(); }     ///< number of bytes written
  std::string take() { return std::move(bytes_); }  ///< returns everything written; call it once, when all is closed

 private:
  void start(std::string_view name, Attributes attributes);  ///< writes "<name attributes", without the final ">"

  std::string bytes_;  ///< everything written
};

/// Returns the style sheet of the pages, style.css, which is compiled into the program.
std::string_view style_sheet();

}  // namespace compeer::report
