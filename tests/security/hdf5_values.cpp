// Prints the bytes of every dataset and attribute of HDF5 files to standard output, without compression and chunks.
//   usage: hdf5_values FILE...
#include <hdf5.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// Exits if an HDF5 call failed (negative result).
hid_t good(hid_t id) {
  if (id < 0) std::exit((H5Eprint(H5E_DEFAULT, stderr), 1));
  return id;
}

void print(hid_t type, hid_t space, const auto& read) {
  std::vector<char> bytes(H5Tget_size(type) * static_cast<size_t>(good(H5Sget_simple_extent_npoints(space))));
  if (!bytes.empty()) good(read(bytes.data()));
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::putchar('\n');
  H5Sclose(space);
  H5Tclose(type);
}

herr_t print_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  const hid_t attribute = good(H5Aopen(object, name, H5P_DEFAULT)), type = good(H5Aget_type(attribute));
  print(type, good(H5Aget_space(attribute)), [&](char* to) { return H5Aread(attribute, type, to); });
  return H5Aclose(attribute);
}

herr_t print_object(hid_t file, const char* name, const H5O_info_t* info, void*) {
  const hid_t object = good(H5Oopen(file, name, H5P_DEFAULT));
  good(H5Aiterate(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, print_attribute, nullptr));
  if (info->type == H5O_TYPE_DATASET) {
    const hid_t type = good(H5Dget_type(object));
    print(type, good(H5Dget_space(object)),
          [&](char* to) { return H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
  }
  return H5Oclose(object);
}

// Opens the file, also if a killed run left it marked as being written.
hid_t opened(const char* file) {
  H5Eset_auto(H5E_DEFAULT, nullptr, nullptr);
  const hid_t whole = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  return whole >= 0 ? whole : good(H5Fopen(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT));
}

}  // namespace

int main(int count, char** files) {
  for (int i = 1; i < count; ++i) {
    const hid_t file = opened(files[i]);
    good(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, print_object, nullptr));
    H5Fclose(file);
  }
  return std::fflush(stdout);
}
