# libspate and libspate_io, each static and shared, from one compilation.
#
#     spate_core       base, scene, and what of the simulation has no dimension
#     spate_sim2       src/state, src/sim, src/mesh and what of src/cpu has no vector code, with DIM=2
#     spate_cpu2_base  the vector code of src/cpu with DIM=2; on x86-64 also _v3 and _v4, for other instruction sets
#     spate_sim3, spate_cpu3_base, ...  the same sources with DIM=3
#     spate_files      src/io, src/render
set(src ${PROJECT_SOURCE_DIR}/src)

# Sources under src/state, src/sim and src/mesh that are compiled once: they know the two dimensions only by their tables.
set(dimension_free ${src}/state/particle_set.c ${src}/sim/api.c ${src}/sim/checkpoint_stream.c ${src}/sim/clock.c
  ${src}/sim/devices.c ${src}/sim/queries.c ${src}/sim/stats.c ${src}/sim/whitewater.c ${src}/mesh/api.c)

file(GLOB core_sources CONFIGURE_DEPENDS ${src}/base/*.c ${src}/scene/*.c)
file(GLOB sim_sources CONFIGURE_DEPENDS ${src}/state/*.c ${src}/sim/*.c ${src}/mesh/*.c)
file(GLOB cpu_sources CONFIGURE_DEPENDS ${src}/cpu/*.c ${src}/cpu/pressure/*.c ${src}/cpu/push/*.c)
file(GLOB stage_sources CONFIGURE_DEPENDS ${src}/stages/*.c) # with the exec.h of each device
file(GLOB files_sources CONFIGURE_DEPENDS ${src}/io/*.c ${src}/render/*.c)
list(REMOVE_ITEM sim_sources ${dimension_free})

# What is built per instruction set names its functions DEV(...) (src/kernels/dim.h).
set(vector_sources)
set(once_sources) # stages without vector code, whose functions are ONCE(...) (src/cpu/cpu.h): built for one instruction set
foreach(source ${stage_sources})
  file(STRINGS ${source} once LIMIT_COUNT 1 REGEX "^[^ ].* ONCE\\(")
  if(once)
    list(APPEND once_sources ${source})
  else()
    list(APPEND vector_sources ${source})
  endif()
endforeach()
foreach(source ${cpu_sources})
  file(STRINGS ${source} variant LIMIT_COUNT 1 REGEX "DEV\\(")
  if(variant)
    list(APPEND vector_sources ${source})
  else()
    list(APPEND sim_sources ${source})
  endif()
endforeach()

# Position-independent objects serve both libraries.
function(spate_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE spate_flags Threads::Threads)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${src})
  if(NOT EMSCRIPTEN) # a page has no shared libraries
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# libspate_io uses some sp_ helpers of libspate, so these stay visible to the linker here; the version script lists them
# apart from the public API. The simulation proper needs no such door and is hidden.
spate_objects(spate_core ${core_sources} ${dimension_free})
foreach(dim 2 3)
  spate_objects(spate_sim${dim} ${sim_sources})
  target_compile_definitions(spate_sim${dim} PRIVATE DIM=${dim})
  set_target_properties(spate_sim${dim} PROPERTIES C_VISIBILITY_PRESET hidden)
  list(APPEND sim_objects spate_sim${dim})
  foreach(variant base ${SPATE_LEVELS})
    set(name spate_cpu${dim}_${variant})
    if(variant STREQUAL "base")
      spate_objects(${name} ${vector_sources} ${once_sources})
    else()
      spate_objects(${name} ${vector_sources})
    endif()
    target_compile_definitions(${name} PRIVATE DIM=${dim} VARIANT=${variant})
    target_include_directories(${name} PRIVATE ${src}/cpu)
    if(NOT variant STREQUAL "base")
      target_compile_options(${name} PRIVATE -march=x86-64-${variant})
    endif()
    set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden)
    list(APPEND sim_objects ${name})
  endforeach()
endforeach()
if(SPATE_LEVELS)
  target_compile_definitions(spate_core PRIVATE SPATE_LEVELS)
endif()

if(SPATE_HAS_CUDA)
  spate_gpu_host(cuda cuda_host)
  spate_cuda_objects(cuda_device)
  list(APPEND sim_objects ${cuda_host} ${cuda_device})
  target_compile_definitions(spate_core PRIVATE SPATE_CUDA)
endif()
if(SPATE_TESTS AND NOT EMSCRIPTEN)
  spate_check_library()
endif()

# The page is one program made of these objects.
if(EMSCRIPTEN)
  include(cmake/web.cmake)
  return()
endif()

# Until 1.0 a minor version may break what was there: it is part of the soname.
set(abi ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(abi 0.${PROJECT_VERSION_MINOR})
endif()
string(REPLACE . _ abi_node ${abi})
string(REPLACE . _ version_node ${PROJECT_VERSION})

# spate_library(NAME objects...) makes NAME_static and NAME_shared; users know them as spate::NAME_static and
# spate::NAME.
function(spate_library name)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${name}_static STATIC ${objects})
  add_library(${name}_shared SHARED ${objects})
  foreach(target ${name}_static ${name}_shared)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:spate_flags>)
  endforeach()
  set_target_properties(${name}_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${abi} EXPORT_NAME ${name})
  add_library(spate::${name} ALIAS ${name}_shared)
  add_library(spate::${name}_static ALIAS ${name}_static)
  if(NOT APPLE)
    set(script ${PROJECT_BINARY_DIR}/${name}.map)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.map.in ${script} @ONLY)
    if(NOT SPATE_SANITIZE) # whose run time comes with the program
      target_link_options(${name}_shared PRIVATE LINKER:-z,defs)
    endif()
    target_link_options(${name}_shared PRIVATE
      LINKER:--version-script=${script} LINKER:-Bsymbolic-functions)
    set_target_properties(${name}_shared PROPERTIES LINK_DEPENDS ${script})
  endif()
endfunction()

spate_library(spate spate_core ${sim_objects})
foreach(kind static shared)
  target_link_libraries(spate_${kind} PRIVATE m Threads::Threads)
  if(SPATE_HAS_CUDA)
    target_link_libraries(spate_${kind} PRIVATE CUDA::cudart_static stdc++)
  endif()
endforeach()

if(SPATE_IO)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
  pkg_check_modules(LIBPNG REQUIRED IMPORTED_TARGET libpng)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
  spate_objects(spate_files ${files_sources})
  target_link_libraries(spate_files PRIVATE PkgConfig::JANSSON PkgConfig::LIBPNG PkgConfig::ZLIB)
  set_target_properties(spate_files PROPERTIES C_VISIBILITY_PRESET hidden)
  spate_library(spate_io spate_files)
  # helpers without state: the shared library has its own, so that libspate.so need not show them
  spate_objects(spate_io_helpers ${src}/base/status.c ${src}/base/text.c ${src}/base/parallel.c ${src}/state/particle_set.c)
  set_target_properties(spate_io_helpers PROPERTIES C_VISIBILITY_PRESET hidden)
  target_sources(spate_io_shared PRIVATE $<TARGET_OBJECTS:spate_io_helpers>)
  foreach(kind static shared)
    target_link_libraries(spate_io_${kind}
      PUBLIC spate_${kind} PRIVATE PkgConfig::JANSSON PkgConfig::LIBPNG PkgConfig::ZLIB m)
  endforeach()
endif()
