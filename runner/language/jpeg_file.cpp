// Decodes JPEG files with libjpeg. Damaged data is an error.
#include <cstdio>  // jpeglib.h needs it

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>

#include "base/error.h"
#include "language/image_format.h"

namespace compeer::language {

namespace {

constexpr int most_scans = 200;  // a progressive file may refine the whole picture any number of times

// Decodes one JPEG file.
class JpegReader {
 public:
  JpegReader(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = fail;
    errors_.emit_message = notice;
    jpeg_.client_data = this;
    must([](JpegReader& self) { jpeg_create_decompress(&self.jpeg_); });
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Decoded read() {
    must(read_header);
    image_.height = jpeg_.image_height;
    image_.width = jpeg_.image_width;
    check_size(image_.height, image_.width, where_);
    const int turn = orientation();  // libjpeg frees the markers when it finishes
    const bool inks = jpeg_.num_components == 4;
    if (!inks && jpeg_.num_components != 1 && jpeg_.num_components != 3)
      throw Error(where_, "has " + std::to_string(jpeg_.num_components) + " color channels",
                  "use a grayscale, RGB or CMYK picture", Exit::data);
    jpeg_.out_color_space = inks ? JCS_CMYK : JCS_RGB;
    row_bytes_ = static_cast<size_t>(image_.width) * (inks ? 4 : 3);
    image_.pixels.resize(row_bytes_ * static_cast<size_t>(image_.height));
    must(read_pixels);
    if (inks) mix();
    return {std::move(image_), turn};
  }

 private:
  void must(void (*work)(JpegReader&)) {
    if (!attempt_.run(work, *this)) broken(where_, "JPEG", attempt_.message);
  }

  static void read_header(JpegReader& self) {
    jpeg_mem_src(&self.jpeg_, reinterpret_cast<const unsigned char*>(self.bytes_.data()), self.bytes_.size());
    jpeg_save_markers(&self.jpeg_, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&self.jpeg_, TRUE);
  }

  static void read_pixels(JpegReader& self) {
    self.progress_.progress_monitor = watch;
    self.jpeg_.progress = &self.progress_;
    jpeg_start_decompress(&self.jpeg_);
    while (self.jpeg_.output_scanline < self.jpeg_.output_height) {
      JSAMPROW row = self.image_.pixels.data() + self.jpeg_.output_scanline * self.row_bytes_;
      jpeg_read_scanlines(&self.jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&self.jpeg_);
  }

  // CMYK to RGB as in Pillow: (255 - K) minus each ink's share of it. Adobe's programs store inverted values and mark
  // the file.
  void mix() {
    const bool inverted = jpeg_.saw_Adobe_marker;
    std::vector<uint8_t> rgb(image_.pixels.size() / 4 * 3);
    const uint8_t* ink = image_.pixels.data();
    for (auto out = rgb.begin(); out != rgb.end(); ink += 4) {
      const int flip = inverted ? 255 : 0, light = 255 - (ink[3] ^ flip);
      for (int c = 0; c < 3; ++c) {
        const int share = (ink[c] ^ flip) * light + 128;
        *out++ = static_cast<uint8_t>(std::max(0, light - ((share + (share >> 8)) >> 8)));
      }
    }
    image_.pixels = std::move(rgb);
  }

  int orientation() const {
    for (auto* marker = jpeg_.marker_list; marker; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      const std::string_view exif("Exif\0\0", 6);
      if (marker->marker == JPEG_APP0 + 1 && data.starts_with(exif)) return exif_orientation(data.substr(6));
    }
    return 1;
  }

  static JpegReader& self_of(j_common_ptr jpeg) { return *static_cast<JpegReader*>(jpeg->client_data); }

  [[noreturn]] static void fail(j_common_ptr jpeg) {
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    auto& attempt = self_of(jpeg).attempt_;
    std::snprintf(attempt.message, sizeof attempt.message, "%s", text);
    std::longjmp(attempt.landing, 1);
  }

  // libjpeg fills in missing and damaged data with a warning. Here that is an error, except for warnings that don't
  // affect pixels.
  static void notice(j_common_ptr jpeg, int level) {
    const int code = jpeg->err->msg_code;
    const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
    if (level < 0 && !harmless) fail(jpeg);
  }

  static void watch(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans) return;
    auto& attempt = self_of(jpeg).attempt_;
    std::snprintf(attempt.message, sizeof attempt.message, "has more than %d scans", most_scans);
    std::longjmp(attempt.landing, 1);
  }

  std::string_view bytes_;
  std::string where_;
  Attempt attempt_;
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
  Image image_;
  size_t row_bytes_ = 0;
};

}  // namespace

Decoded decode_jpeg(std::string_view bytes, const std::string& where) { return JpegReader(bytes, where).read(); }

}  // namespace compeer::language
