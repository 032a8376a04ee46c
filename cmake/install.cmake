# make install: headers, libraries, command, pkg-config files and the CMake package. All of it may be moved
# as a whole: paths are relative to the files that name them.
set(headers spate.h stats.h)
if(SPATE_IO)
  list(APPEND headers spate_io.h)
endif()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/spate/)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spate)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spate)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")

set(spate_private_libs "-lm -pthread")
if(SPATE_HAS_CUDA)
  string(APPEND spate_private_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lstdc++")
endif()

set(installed spate)
if(SPATE_IO)
  list(APPEND installed spate_io)
  install(TARGETS spate_tool)
  # the page, if `make web` has made it
  set(SPATE_PAGE ${PROJECT_SOURCE_DIR}/build/web CACHE PATH "Where the page lies that is installed, if it is there")
  install(DIRECTORY ${SPATE_PAGE}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/spate/web OPTIONAL)
endif()
foreach(name ${installed})
  install(TARGETS ${name}_static ${name}_shared EXPORT ${name}-targets)
  install(EXPORT ${name}-targets NAMESPACE spate:: DESTINATION ${package_dir})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()

configure_package_config_file(cmake/spate-config.cmake.in ${PROJECT_BINARY_DIR}/spate-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spate-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spate-config.cmake ${PROJECT_BINARY_DIR}/spate-config-version.cmake
  DESTINATION ${package_dir})
