// Decodes PNG files with libpng.
#include <png.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "language/image_format.h"

namespace compeer::language {

namespace {

// Decodes one PNG file.
class PngReader {
 public:
  PngReader(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &attempt_, fail, [](png_structp, png_const_charp) {});
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, this, take);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Decoded read() {
    check_header();
    must(read_header);
    image_.height = png_get_image_height(png_, info_);
    image_.width = png_get_image_width(png_, info_);
    check_size(image_.height, image_.width, where_);
    cut_grey_ = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png_, info_) == 16;
    must(set_up);
    const size_t row = png_get_rowbytes(png_, info_);
    if (row != static_cast<size_t>(image_.width) * (cut_grey_ ? 2 : 3)) broken(where_, "PNG", "rows of an odd size");
    image_.pixels.resize(row * static_cast<size_t>(image_.height));
    for (int64_t y = 0; y < image_.height; ++y) rows_.push_back(image_.pixels.data() + static_cast<size_t>(y) * row);
    must(read_pixels);
    attempt_.run(read_end, *this);  // pixels are complete; only the orientation may follow
    if (cut_grey_) spread_grey();
    return {std::move(image_), orientation()};
  }

 private:
  // The size is in the first 24 bytes. Checked here before libpng allocates memory for it.
  void check_header() const {
    if (bytes_.size() < 33) broken(where_, "PNG", "ends too early");
    if (bytes_.substr(12, 4) != "IHDR") broken(where_, "PNG", "begins without its header");
    const auto number = [&](size_t at) {
      int64_t value = 0;
      for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes_[i]);
      return value;
    };
    check_size(number(20), number(16), where_);
  }

  void must(void (*work)(PngReader&)) {
    if (!attempt_.run(work, *this)) broken(where_, "PNG", attempt_.message);
  }

  static void read_header(PngReader& self) {
    png_set_user_limits(self.png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(self.png_, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
    png_read_info(self.png_, self.info_);
  }

  static void set_up(PngReader& self) {
    png_set_interlace_handling(self.png_);
    if (!self.cut_grey_) {
      png_set_strip_16(self.png_);
      png_set_palette_to_rgb(self.png_);
      if (png_get_bit_depth(self.png_, self.info_) < 8) png_set_expand_gray_1_2_4_to_8(self.png_);
      png_set_gray_to_rgb(self.png_);
      png_set_strip_alpha(self.png_);
    }
    png_read_update_info(self.png_, self.info_);
  }

  static void read_pixels(PngReader& self) { png_read_image(self.png_, self.rows_.data()); }
  static void read_end(PngReader& self) { png_read_end(self.png_, self.info_); }

  // 16-bit grey, two bytes per pixel, to RGB; values above 255 become 255, as in Pillow.
  void spread_grey() {
    std::vector<uint8_t> rgb(image_.pixels.size() / 2 * 3);
    for (size_t i = 0; i < rgb.size() / 3; ++i)
      std::fill_n(rgb.data() + 3 * i, 3, image_.pixels[2 * i] ? uint8_t{255} : image_.pixels[2 * i + 1]);
    image_.pixels = std::move(rgb);
  }

  int orientation() {
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (!png_get_eXIf_1(png_, info_, &size, &exif) || !exif) return 1;
    return exif_orientation({reinterpret_cast<const char*>(exif), size});
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto* attempt = static_cast<Attempt*>(png_get_error_ptr(png));
    std::snprintf(attempt->message, sizeof attempt->message, "%s", message);
    std::longjmp(attempt->landing, 1);
  }

  static void take(png_structp png, png_bytep out, size_t count) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self.bytes_.size() - self.at_) png_error(png, "ends too early");
    std::memcpy(out, self.bytes_.data() + self.at_, count);
    self.at_ += count;
  }

  std::string_view bytes_;
  std::string where_;
  size_t at_ = 0;
  Attempt attempt_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  Image image_;
  std::vector<png_bytep> rows_;
  bool cut_grey_ = false;
};

}  // namespace

Decoded decode_png(std::string_view bytes, const std::string& where) { return PngReader(bytes, where).read(); }

}  // namespace compeer::language
