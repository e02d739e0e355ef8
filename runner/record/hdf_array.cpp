// Reading and writing of one-dimensional HDF5 datasets.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/disk.h"
#include "base/error.h"
#include "record/hdf.h"

namespace compeer::record::hdf {

template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t memory_type<uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t memory_type<int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t memory_type<uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t memory_type<char>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t file_type<double>() {
  return H5T_IEEE_F64LE;
}
template <>
hid_t file_type<float>() {
  return H5T_IEEE_F32LE;
}
template <>
hid_t file_type<uint64_t>() {
  return H5T_STD_U64LE;
}
template <>
hid_t file_type<int32_t>() {
  return H5T_STD_I32LE;
}
template <>
hid_t file_type<uint8_t>() {
  return H5T_STD_U8LE;
}
template <>
hid_t file_type<char>() {
  return H5T_STD_U8LE;
}

Array Array::create(const OpenFile& h5, const std::string& path, hid_t type, hsize_t chunk, bool compressed) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &none, &unlimited));
  const Handle links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.get(), 1);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.get(), 1, &chunk);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);  // unwritten elements are never read
  if (compressed) {
    H5Pset_shuffle(creation.get());
    H5Pset_deflate(creation.get(), 4);
    H5Pset_fletcher32(creation.get());
  }
  Array array;
  array.file_ = h5.file;
  array.name_ = path;
  array.write_failed_ = h5.write_failed;
  const hid_t id =
      H5Dcreate2(h5.handle.get(), path.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT);
  array.dataset_ = Handle(id, h5.write_failed);
  h5.check(array.dataset_.get(), "can't create " + path);
  return array;
}

namespace {

// HDF5 datasets may refer to any other file for their elements. As a file may come from someone else, this is refused.
void check_own_bytes(const OpenFile& h5, const std::string& path, const Handle& creation) {
  if (H5Pget_layout(creation.get()) != H5D_VIRTUAL && H5Pget_external_count(creation.get()) <= 0) return;
  throw Error(h5.file.string(), path + " stores its elements in another file, which is not supported", "", Exit::data);
}

}  // namespace

Array Array::open(const OpenFile& h5, const std::string& path) {
  Array array;
  array.file_ = h5.file;
  array.name_ = path;
  if (!h5.has(path)) throw Error(h5.file.string(), "has no dataset " + path, "", Exit::data);
  array.write_failed_ = h5.write_failed;
  array.file_bytes_ = h5.bytes;
  array.dataset_ = Handle(H5Dopen2(h5.handle.get(), path.c_str(), H5P_DEFAULT), h5.write_failed);
  h5.check(array.dataset_.get(), "can't open " + path);
  const Handle space(H5Dget_space(array.dataset_.get()));
  if (H5Sget_simple_extent_ndims(space.get()) != 1) array.fail("is not one-dimensional");
  H5Sget_simple_extent_dims(space.get(), &array.size_, nullptr);
  const Handle creation(H5Dget_create_plist(array.dataset_.get()));
  check_own_bytes(h5, path, creation);
  if (h5.descriptor >= 0) H5Pget_chunk(creation.get(), 1, &array.chunk_size_);
  array.descriptor_ = h5.descriptor;
  // deflate compresses by at most 1032 to 1. A larger size means damage, and no memory is allocated for it.
  const Handle type(H5Dget_type(array.dataset_.get()));
  if (array.size_ / 1100 > h5.bytes / std::max<size_t>(H5Tget_size(type.get()), 1))
    throw Error(h5.file.string(),
                fmt::format("{} declares {} elements, but the file has only {} bytes", path, array.size_, h5.bytes), "",
                Exit::data);
  return array;
}

hsize_t Array::size() const { return size_; }

void Array::write(hsize_t offset, hsize_t count, const void* elements, hid_t memory) {
  if (count == 0) return;
  if (write_in_place(offset, count, elements, memory)) return;
  unflushed_ = true;
  if (const hsize_t end = offset + count; end > size_) set_extent((end + chunk_size_ - 1) / chunk_size_ * chunk_size_);
  const Handle target(H5Screate_simple(1, &size_, nullptr));
  H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, &offset, nullptr, &count, nullptr);
  const Handle source(H5Screate_simple(1, &count, nullptr));
  if (H5Dwrite(dataset_.get(), memory, source.get(), target.get(), H5P_DEFAULT, elements) < 0)
    fail_to_write("can't be written", last_error());
}

// Writes with pwrite, ten times faster than HDF5, if the elements lie in one allocated chunk: uncompressed chunks never
// move. Returns false if HDF5 must write them.
bool Array::write_in_place(hsize_t offset, hsize_t count, const void* elements, hid_t memory) {
  static_assert(std::endian::native == std::endian::little, "as elements lie in files");
  const hsize_t chunk = offset / chunk_size_;
  if (descriptor_ < 0 || offset + count > size_ || (offset + count - 1) / chunk_size_ != chunk) return false;
  if (located_chunk_ != chunk) {
    const hsize_t first = chunk * chunk_size_;
    unsigned filters = 0;
    hsize_t bytes = 0;
    haddr_t at = HADDR_UNDEF;
    if (H5Dget_chunk_info_by_coord(dataset_.get(), &first, &filters, &at, &bytes) < 0 || at == HADDR_UNDEF)
      return false;
    located_chunk_ = chunk;
    chunk_offset_ = at;
  }
  const size_t size = H5Tget_size(memory);
  const auto* bytes = static_cast<const char*>(elements);
  auto at = static_cast<off_t>(chunk_offset_ + offset % chunk_size_ * size);
  for (size_t left = count * size; left > 0;) {
    const ssize_t written = ::pwrite(descriptor_, bytes, left, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_write("can't be written", std::strerror(errno));
    bytes += written, at += written, left -= static_cast<size_t>(written);
  }
  return true;
}

void Array::read(hsize_t offset, hsize_t count, void* elements, hid_t memory) const {
  check_range(offset, count);
  if (count == 0) return;
  const Handle source(H5Screate_simple(1, &size_, nullptr));
  H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &offset, nullptr, &count, nullptr);
  const Handle target(H5Screate_simple(1, &count, nullptr));
  if (H5Dread(dataset_.get(), memory, target.get(), source.get(), H5P_DEFAULT, elements) < 0) fail("can't be read");
}

uint64_t Array::first_element() const {
  const hsize_t start = 0;
  unsigned filters = 0;
  haddr_t at = HADDR_UNDEF;
  hsize_t bytes = 0;
  const bool known = H5Dget_chunk_info_by_coord(dataset_.get(), &start, &filters, &at, &bytes) >= 0 && file_bytes_ > 0;
  if (known && (at > file_bytes_ || bytes > file_bytes_ - at))
    throw Error(file_.string(), fmt::format("is truncated: {} is past its end", name_), "", Exit::data);
  return read<uint64_t>(0, 1)[0];
}

void Array::truncate(hsize_t size) {
  if (size < size_) set_extent(size);
}

void Array::set_extent(hsize_t size) {
  if (H5Dset_extent(dataset_.get(), &size) < 0) fail_to_write("can't grow", last_error());
  size_ = size;
  located_chunk_.reset();
}

void Array::flush() {
  if (!std::exchange(unflushed_, false)) return;
  if (H5Dflush(dataset_.get()) < 0) fail_to_write("can't be written", last_error());
}

void Array::check_range(hsize_t offset, hsize_t count) const {
  if (count <= size_ && offset <= size_ - count) return;
  const hsize_t wanted = count <= UINT64_MAX - offset ? offset + count : UINT64_MAX;
  throw Error(file_.string(), fmt::format("{} has {} elements instead of {}", name_, size_, wanted), "", Exit::data);
}

void Array::check_rising(const std::vector<uint64_t>& bounds) const {
  if (std::is_sorted(bounds.begin(), bounds.end())) return;
  throw Error(file_.string(), fmt::format("{} is not in ascending order", name_), "", Exit::data);
}

void Array::fail(const std::string& what) const { hdf::fail(file_, fmt::format("{} {}", name_, what)); }

void Array::fail_to_write(const std::string& what, const std::string& why) const {
  *write_failed_ = true;
  throw Error(file_.string(), fmt::format("{} {}: {}", name_, what, why), write_error_help(cause_in(why)),
              Exit::failure);
}

}  // namespace compeer::record::hdf
