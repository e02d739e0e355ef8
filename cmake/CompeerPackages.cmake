# Debian packages of what `cmake --install` would put under /usr (docs/installing.md): `cpack` in the folder of a build.
#   compeer       programs, plugins, libtorch, experiments, scripts, pages
#   compeer-dev   find_package(compeer), for those who write plugins
# Nothing of this is needed to build or to install. A libtorch of the user's stays where it is, so that it can't be in a
# package: then there are none.
function(compeer_packages)
  compeer_torch_comes_along(ours)
  if(NOT ours)
    return()
  endif()
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME compeer)
  set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
  set(CPACK_PACKAGE_VENDOR "Compeer")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")   # each has its own
  set(CPACK_PACKAGE_CONTACT "Compeer's maintainers <root@localhost>")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
  set(CPACK_COMPONENTS_ALL programs sdk)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)   # half a gigabyte of libtorch would take xz some minutes
  compeer_package_of_programs()
  compeer_package_of_sdk()
  install(FILES packaging/debian/copyright DESTINATION share/doc/compeer COMPONENT programs EXCLUDE_FROM_ALL)
  install(FILES packaging/debian/copyright DESTINATION share/doc/compeer-dev COMPONENT sdk EXCLUDE_FROM_ALL)
  include(CPack)
endfunction()

# dpkg-shlibdeps, when cpack runs, finds out which packages hold the libraries that are linked. Those of libtorch come
# along.
macro(compeer_package_of_programs)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME compeer)
  set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "${PROJECT_DESCRIPTION}
Programs, plugins, experiments and scripts; the CPU part of libtorch
${CompeerTorch_VERSION}, and the two NVIDIA libraries that its loader asks for.")
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS openmpi-bin)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS ca-certificates)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "compeer-dev, slurm-client, python3-h5py")
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
  get_filename_component(_torch "${CompeerTorch_LIBRARY}" DIRECTORY)
  file(GLOB _nvidia "${CompeerTorch_FOLDER}/nvidia/*/lib")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${_torch}" ${_nvidia})
endmacro()

# binutils, for addr2line: `compeer plugins check` names the lines of a crash.
macro(compeer_package_of_sdk)
  set(CPACK_DEBIAN_SDK_PACKAGE_NAME compeer-dev)
  set(CPACK_DEBIAN_SDK_DESCRIPTION "Headers and CMake package for plugins of compeer
What a project that compeer plugins new makes is built with.")
  set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS
    "compeer (= ${PROJECT_VERSION}), binutils, cmake (>= 3.25), g++, libboost-dev, make, nlohmann-json3-dev")
  set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS libgtest-dev)
endmacro()
