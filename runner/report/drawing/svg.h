#pragma once
#include <string>
#include <string_view>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"
#include "report/drawing/series.h"

namespace compeer::report {

/// Where a plot draws its values: edges in drawing coordinates, and the ranges of both axes between them.
struct PlotFrame {
  double left, top, right, bottom;
  Range x = {}, y = {};

  double at_x(double value) const { return left + (value - x.low) / (x.high - x.low) * (right - left); }
  double at_y(double value) const { return bottom - (value - y.low) / (y.high - y.low) * (bottom - top); }
};

/// A coordinate with one decimal and nothing superfluous: "12", "12.5", "-0.3".
std::string coordinate(double value);

/// About how wide text is drawn at this size: wide characters (CJK) count a full em.
double text_width(std::string_view text, double size);

/// At most `most` characters, with "…" in the middle, where names differ least. Whole characters only.
std::string shortened(const std::string& text, size_t most);

/// Path data through points already in drawing coordinates; relative steps of one decimal keep pages small.
std::string path_data(const Curve& points);

/// CSS classes of a run's marks: "s3" gives colour and dash, "r3" lets the legend hide it. From number twelve on
/// (`styles_told_apart`) all look alike, "many", and are told apart by their labels and titles.
inline constexpr size_t styles_told_apart = 12;
std::string style_class(size_t style);

/// Opens <svg> with what screen readers need: role, title, description. `id` must be unique on the page.
Markup::Scope open_figure(Markup& out, const std::string& id, double width, double height, const std::string& title,
                          const std::string& description);

/// Text at a place: `anchor` is start, middle or end; `kind` a CSS class.
void svg_text(Markup& out, double x, double y, const char* anchor, const char* kind, const std::string& text);

void svg_line(Markup& out, double x1, double y1, double x2, double y2, const char* kind);

}  // namespace compeer::report
