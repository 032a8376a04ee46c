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
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${bash_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spate)
  # Debian's zsh looks for what packages bring elsewhere than for what people install
  install(CODE "
    set(folder site-functions)
    if(SPATE_PACKAGED)
      set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\"
      TYPE FILE FILES \"${zsh_completion}\")")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/spate)
  # the page, if `make web` has made it
  set(SPATE_PAGE ${PROJECT_SOURCE_DIR}/build/web CACHE PATH "Where the page lies that is installed, if it is there")
  install(DIRECTORY ${SPATE_PAGE}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/spate/web OPTIONAL)
endif()
add_custom_target(spate_installed) # all that is installed, and nothing else
if(SPATE_IO)
  add_dependencies(spate_installed spate_tool spate_manual)
  if(TARGET spate_python)
    add_dependencies(spate_installed spate_python)
  endif()
endif()
foreach(name ${installed})
  add_dependencies(spate_installed ${name}_static ${name}_shared)
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

# make package: all of it as a Debian package, with what it needs found by dpkg-shlibdeps.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME spate)
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGE_VENDOR "the spate project")
  set(CPACK_PACKAGE_CONTACT "the spate project <spate@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGE_DESCRIPTION "The command, its libraries with headers, preset scenes, and the page if it was built.")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_CUSTOM_INSTALL_VARIABLES SPATE_PACKAGED=TRUE)
  set(CPACK_STRIP_FILES TRUE)
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ffmpeg)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libjansson-dev, libpng-dev, zlib1g-dev, pkg-config, python3-numpy, python3-matplotlib")
  include(CPack)
endif()
