# The Python package (python/, docs/python.md): put together in python/spate of the build folder, where it can be used as
# it is (PYTHONPATH=build/release/python), and installed beside the libraries. The binding is made from the headers and
# the type stubs from the tables of the library, so Python is needed to build it; without one there is no package.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3) # Debian's, that Debian's numpy is for
endif()
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(NOT Python3_Interpreter_FOUND OR SPATE_SANITIZE OR CMAKE_CROSSCOMPILING)
  return()
endif()

set(python_dir ${PROJECT_SOURCE_DIR}/python)
set(python_package ${PROJECT_BINARY_DIR}/python/spate)
file(GLOB python_sources CONFIGURE_DEPENDS ${python_dir}/*.py ${python_dir}/spate/*.py)
file(RELATIVE_PATH libraries_from_package ${python_package} ${PROJECT_BINARY_DIR})
file(RELATIVE_PATH scenes_from_package ${python_package} ${PROJECT_SOURCE_DIR}/scenes)
string(REGEX REPLACE "/$" "" libraries_from_package "${libraries_from_package}")

set(python_made ${python_package}/__init__.pyi)
add_custom_command(
  OUTPUT ${python_made}
  COMMAND ${Python3_EXECUTABLE} -B ${python_dir}/assemble.py ${PROJECT_BINARY_DIR}/python
    --library ${libraries_from_package} --scenes ${scenes_from_package} --abi ${abi}
    --stubs-with ${PROJECT_BINARY_DIR}
  DEPENDS ${python_sources} spate_shared spate_io_shared ${PROJECT_SOURCE_DIR}/include/spate/spate.h
    ${PROJECT_SOURCE_DIR}/include/spate/spate_io.h ${PROJECT_SOURCE_DIR}/include/spate/stats.h
  COMMENT "Putting the Python package together"
  VERBATIM)
add_custom_target(spate_python ALL DEPENDS ${python_made})

# Where Python looks for modules under a prefix: lib/python3.11/dist-packages (Debian), site-packages (others); packages of
# Debian go to lib/python3/dist-packages.
execute_process(
  COMMAND ${Python3_EXECUTABLE} -c
    "import sysconfig; print(sysconfig.get_path('purelib', vars={'base': '', 'installed_base': ''}).replace('/local/', '/').strip('/'))"
  OUTPUT_VARIABLE python_modules OUTPUT_STRIP_TRAILING_WHITESPACE)
set(SPATE_PYTHON_DIR ${python_modules} CACHE STRING "Where the Python package is installed, under the prefix")
install(CODE "
  set(folder \"${SPATE_PYTHON_DIR}\")
  if(SPATE_PACKAGED)
    set(folder lib/python3/dist-packages)
  endif()
  set(package \"\${CMAKE_INSTALL_PREFIX}/\${folder}/spate\")
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${folder}\" TYPE DIRECTORY FILES \"${python_package}\"
    PATTERN __pycache__ EXCLUDE)
  file(RELATIVE_PATH library \"\${package}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  file(RELATIVE_PATH scenes \"\${package}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/spate/scenes\")
  file(WRITE \"\$ENV{DESTDIR}\${package}/_where.py\"
    \"LIBRARY = '\${library}'\\nSCENES = '\${scenes}'\\nABI = '${abi}'\\n\")")
