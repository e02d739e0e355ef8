// Opening, creating and repairing of HDF5 files, and their error messages.
#include "record/hdf.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/disk.h"
#include "base/files.h"

namespace compeer::record::hdf {

namespace {

constexpr hsize_t page_bytes = 4096;

// Errors are reported by exceptions, so HDF5 must not print them. HDF5's file locks are off: they make a reader's open
// fail while a writer opens the file, and don't work on some network file systems. WriterLock replaces them.
Handle file_access() {
  // HDF5's clean-up at exit would close the handles that are leaked after a failed write.
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_file_locking(access.get(), false, true);
  return access;
}

// Without a chunk cache: data is written to the file at once, so that a failure is reported by the write, not when the
// dataset is closed. The cache would also keep a megabyte per dataset, and rewrite 4 KB or more for each new number.
Handle write_access() {
  Handle access = file_access();
  H5Pset_cache(access.get(), 0, 0, 0, 0);
  return access;
}

Handle text_type(size_t size) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<size_t>(size, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Throws if a properly closed file is shorter than its superblock says: HDF5 would read the missing bytes as zeros. The
// file of a killed writer may have any length; it is checked elsewhere.
void refuse_if_cut_off(const std::filesystem::path& file) {
  // Start of superblock version 3 (HDF5 File Format Specification, II.A): signature, version, size of offsets, size of
  // lengths, flags (open for writing), then three offsets, the third of which is the end of the file.
  std::string start(36, '\0');
  std::ifstream in = open_to_read(file);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  check_read(in, file);
  uint64_t end = 0;
  std::memcpy(&end, start.data() + 28, sizeof end);
  const bool closed = start.starts_with("\x89HDF\r\n\x1a\n\x03\x08") && start[11] == 0;
  const auto bytes = std::filesystem::file_size(file);
  if (closed && bytes < end)
    throw Error(file.string(), fmt::format("is truncated: it has {} bytes, should have {}", bytes, end), "",
                Exit::data);
}

OpenFile opened(const std::filesystem::path& file, hid_t id) {
  auto broken = std::make_shared<bool>(false);
  std::error_code unknown;
  const uint64_t bytes = std::filesystem::file_size(file, unknown);
  return {file, Handle(id, broken), broken, unknown ? 0 : bytes};
}

int descriptor_of(const OpenFile& h5, const char* otherwise) {
  void* descriptor = nullptr;
  h5.check(H5Fget_vfd_handle(h5.handle.get(), H5P_DEFAULT, &descriptor), otherwise);
  return *static_cast<int*>(descriptor);
}

OpenFile open(const std::filesystem::path& file, unsigned flags, const Handle& access) {
  if (::access(file.c_str(), R_OK) != 0) throw read_error(file, errno);
  OpenFile h5 = opened(file, H5Fopen(file.c_str(), flags, access.get()));
  h5.check(h5.handle.get(), "can't be opened");
  return h5;
}

// The innermost message of the last failed call: its cause.
std::string last_message() {
  std::string text;
  auto innermost = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
  return text;
}

}  // namespace

std::string last_error() {
  std::string text = last_message();
  constexpr std::string_view key = "error message = '";
  if (const auto at = text.find(key); at != std::string::npos) {
    text = text.substr(at + key.size());
    text = text.substr(0, text.find('\''));
  }
  return text.empty() ? "unknown HDF5 error" : text;
}

int last_errno() {
  const std::string text = last_message();
  constexpr std::string_view key = "errno = ";
  const auto at = text.find(key);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + key.size());
}

void fail(const std::filesystem::path& file, const std::string& what) {
  const int cause = last_errno();
  const auto remedy = write_error_help(cause);
  const bool failed = cause != 0 && (is_system_failure(cause) || !remedy.empty());
  throw Error(file.string(), what + ": " + last_error(), remedy, failed ? Exit::failure : Exit::data);
}

void OpenFile::fail(const std::string& what) const { hdf::fail(file, what); }

void OpenFile::close() {
  const bool written = !*write_failed;
  if (!handle.close() || !written) fail("can't be closed");
}

// Soft and external links are not followed, so that no path leads out of the file.
bool OpenFile::has(const std::string& path) const {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const auto part = path.substr(0, slash);
    H5L_info_t link{};
    const htri_t there = H5Lexists(handle.get(), part.c_str(), H5P_DEFAULT);
    const bool known = there >= 0 && (there == 0 || H5Lget_info(handle.get(), part.c_str(), &link, H5P_DEFAULT) >= 0);
    if (!known && last_errno() != 0) fail("can't be read");
    if (!known || there == 0 || link.type != H5L_TYPE_HARD) return false;
    if (slash == std::string::npos) return true;
  }
}

void OpenFile::text_attribute(const std::string& name, std::string_view value) const {
  const Handle type = text_type(value.size());
  const Handle space(H5Screate(H5S_SCALAR));
  const Handle attribute(H5Acreate2(handle.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  check(attribute.get(), "can't create attribute " + name);
  check(H5Awrite(attribute.get(), type.get(), std::string(value).c_str()), "can't write attribute " + name);
}

std::string OpenFile::text_attribute(const std::string& name) const {
  const htri_t there = H5Aexists(handle.get(), name.c_str());
  if (there < 0 && last_errno() != 0) fail("can't read attribute " + name);
  if (there <= 0) return "";
  const Handle attribute(H5Aopen(handle.get(), name.c_str(), H5P_DEFAULT));
  check(attribute.get(), "can't open attribute " + name);
  const Handle stored(H5Aget_type(attribute.get()));
  const size_t size = H5Tget_size(stored.get());
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) > 0 || size > page_bytes) return "";
  std::string text(size, '\0');
  check(H5Aread(attribute.get(), text_type(size).get(), text.data()), "can't read attribute " + name);
  return text.c_str();
}

OpenFile create(const std::filesystem::path& file) {
  const Handle access = write_access();
  // Paged file space keeps a small object inside one page of the file, so that a kill can't tear it.
  const Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_PAGE, false, 1);
  H5Pset_file_space_page_size(creation.get(), page_bytes);
  OpenFile h5 = opened(file, H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  h5.check(h5.handle.get(), "can't be created");
  return h5;
}

OpenFile open_for_appending(const std::filesystem::path& file) {
  OpenFile h5 = open(file, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, write_access());
  h5.descriptor = descriptor_of(h5, "can't be written");
  return h5;
}

OpenFile open_for_reading(const std::filesystem::path& file) {
  try {
    // If a reader meets partly written metadata, it retries after 1, 2, 4, ... nanoseconds, here for at most half a
    // second. (With HDF5's own limit of 100 attempts, opening a damaged file would never end.)
    const Handle access = file_access();
    H5Pset_metadata_read_attempts(access.get(), 28);
    std::error_code code;
    if (std::filesystem::is_other(file, code))
      throw Error(file.string(), "is a pipe or a device, not a file", "", Exit::data);
    return open(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure || !std::filesystem::is_regular_file(file)) throw;
    refuse_if_cut_off(file);
    try {
      return open_mended_copy(file);
    } catch (const Error& second) {
      if (second.exit() == Exit::failure) throw;
    }
    throw;
  }
}

OpenFile open_mended_copy(const std::filesystem::path& file) {
  const Scratch scratch;  // removed on return; the open file remains usable
  const auto copy = scratch.folder() / file.filename();
  std::error_code code;
  std::filesystem::copy_file(file, copy, code);
  if (code)
    throw Error(file.string(), fmt::format("can't be copied to {}: {}", copy.string(), code.message()),
                write_error_help(code.value()), Exit::failure);
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all, code);
  const Handle access = file_access();
  // Private properties that the program h5clear sets. Without them (another version of HDF5) opening may still work.
  const hbool_t yes = true;
  for (const char* name : {"clear_status_flags", "skip_eof_check"}) {
    if (H5Pexist(access.get(), name) > 0) H5Pset(access.get(), name, &yes);
  }
  const hid_t id = H5Fopen(copy.c_str(), H5F_ACC_RDWR, access.get());
  OpenFile h5 = opened(file, id);
  h5.check(id, "can't be opened");
  // The recorded end of the file may be before the last data written.
  h5.check(H5Fincrement_filesize(id, 0), "can't be repaired");
  return h5;
}

void sync(const OpenFile& h5) {
  if (H5Fflush(h5.handle.get(), H5F_SCOPE_LOCAL) < 0) {
    *h5.write_failed = true;
    h5.fail("can't be written");
  }
  if (::fsync(descriptor_of(h5, "can't be flushed to disk")) != 0)
    throw Error(h5.file.string(), fmt::format("can't be flushed to disk: {}", std::strerror(errno)), "", Exit::failure);
}

}  // namespace compeer::record::hdf