# Port for vcpkg, of the tree that it stands in: vcpkg install talus --overlay-ports=host/package/vcpkg
# Without the feature `files` nothing but libc is needed.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS files FEATURES
  files TALUS_HDF5 files TALUS_PNG files TALUS_ZLIB files TALUS_YAML files TALUS_URDF)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${files} -DTALUS_CUDA=OFF -DTALUS_MPI=OFF -DTALUS_CAIRO=OFF -DTALUS_SUITESPARSE=OFF
    -DTALUS_LAPACK=OFF -DTALUS_PYTHON=OFF -DTALUS_TESTS=OFF -DTALUS_SAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME talus CONFIG_PATH lib/cmake/talus)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES talus AUTO_CLEAN)
# Headers, and what the pages say, are the same in both builds.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
