# Every outside library, found once. Each has one room that may use it (runner/README.md).
find_package(CompeerTorch REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_link_libraries(compeer::torch INTERFACE OpenMP::OpenMP_CXX)   # as it was built
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(CURL 7.85 REQUIRED)   # chat/openai alone
find_package(fmt 9 REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4-c++)   # errors unwind C++ frames
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)

add_library(compeer_hdf5 INTERFACE)
target_include_directories(compeer_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(compeer_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
add_library(compeer_mpi INTERFACE)
target_link_libraries(compeer_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(compeer_mpi INTERFACE OMPI_SKIP_MPICXX=1)
