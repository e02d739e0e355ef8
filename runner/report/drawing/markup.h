#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compeer::report {

/// Text made safe for markup: & < > " ' as entities; bytes that are not UTF-8 and control characters that no
/// document may hold become U+FFFD.
std::string escape(std::string_view text);

/// Writes well-formed markup: whatever is opened is closed, every text and every attribute is escaped. The result is
/// both HTML and XML, so that any parser reads it.
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

  /// Closes its element when it goes out of scope.
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

  Scope open(std::string_view name, Attributes attributes = {});
  void element(std::string_view name, Attributes attributes, std::string_view text);
  void empty(std::string_view name, Attributes attributes = {});  ///< <br/>
  void text(std::string_view text);

  /// A style sheet or the document type: bytes that are already markup and hold nothing from a run.
  void verbatim(std::string_view trusted) { bytes_ += trusted; }

  size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  void start(std::string_view name, Attributes attributes);

  std::string bytes_;
};

/// The text of style.css, built in.
std::string_view style_sheet();

}  // namespace compeer::report
