// Building blocks of plots in SVG.
#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace compeer::report {

namespace {

/// Returns the start offset of each UTF-8 character.
std::vector<size_t> starts(std::string_view text) {
  std::vector<size_t> at;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) at.push_back(i);
  }
  return at;
}

}  // namespace

std::string coordinate(double value) {
  const auto tenths = static_cast<int64_t>(std::llround(value * 10));
  const std::string sign = tenths < 0 ? "-" : "";
  const int64_t size = std::abs(tenths);
  return size % 10 == 0 ? fmt::format("{}{}", sign, size / 10) : fmt::format("{}{}.{}", sign, size / 10, size % 10);
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const size_t i : starts(text)) {
    const auto byte = static_cast<uint8_t>(text[i]);
    ems += byte >= 0xE3 ? 1.0 : std::string_view(".,:;il|'[]-").find(text[i]) != std::string_view::npos ? 0.36 : 0.6;
  }
  return ems * size;
}

std::string shortened(const std::string& text, size_t most) {
  const auto at = starts(text);
  if (at.size() <= most || most < 3) return text;
  const size_t front = (most - 1) / 2, back = most - 1 - front;
  return text.substr(0, at[front]) + "…" + text.substr(at[at.size() - back]);
}

std::string path_data(const Curve& points) {
  std::string data;
  int64_t x = 0, y = 0;
  for (size_t i = 0; i < points.x.size(); ++i) {
    const auto next_x = static_cast<int64_t>(std::llround(points.x[i] * 10));
    const auto next_y = static_cast<int64_t>(std::llround(points.y[i] * 10));
    const double dx = static_cast<double>(next_x - x) / 10, dy = static_cast<double>(next_y - y) / 10;
    const std::string second = coordinate(dy);
    if (i == 1) data += 'l';
    if (i == 0) data += 'M';
    if (i > 1) data += ' ';
    data += coordinate(dx) + (second[0] == '-' ? "" : ",") + second;
    x = next_x;
    y = next_y;
  }
  return data;
}

std::string style_class(size_t style) {
  const std::string look = style < styles_told_apart ? fmt::format("s{}", style) : "many";
  return fmt::format("{} r{}", look, style);
}

Markup::Scope open_plot(Markup& out, const std::string& title, const std::string& from, const std::string& note) {
  auto figure = out.open("figure", {{"class", "plot"}});
  const auto caption = out.open("figcaption");
  out.element("strong", {}, title);
  if (!from.empty()) out.element("span", {{"class", "from"}}, from);
  if (!note.empty()) out.element("span", {{"class", "note"}}, note);
  return figure;
}

Markup::Scope open_svg(Markup& out, const std::string& id, double width, double height, const std::string& title) {
  auto scope = out.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                {"viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height))},
                                {"role", "img"},
                                {"aria-labelledby", id + "-title"}});
  out.element("title", {{"id", id + "-title"}}, title);
  return scope;
}

void svg_text(Markup& out, double x, double y, const char* anchor, const char* kind, const std::string& text) {
  out.element("text", {{"x", coordinate(x)}, {"y", coordinate(y)}, {"text-anchor", anchor}, {"class", kind}}, text);
}

void svg_line(Markup& out, double x1, double y1, double x2, double y2, const char* kind) {
  out.empty("line", {{"x1", coordinate(x1)},
                     {"y1", coordinate(y1)},
                     {"x2", coordinate(x2)},
                     {"y2", coordinate(y2)},
                     {"class", kind}});
}

}  // namespace compeer::report
