# WebAssembly, for the page: the core and web/core/*.c as one module, spate.mjs and spate.wasm (or spate-threads.*).
# scripts/build-web.sh configures this with emcmake, once for each kind; see docs/page.md.
option(SPATE_WEB_THREADS "WebAssembly with threads: needs a page that is cross-origin isolated" OFF)

# -fno-slp-vectorize: clang 14 turns sums of neighbours (restriction in multigrid.c) into wrong SIMD code otherwise;
# loops are vectorised all the same. The hashes of tests/web/core.mjs show such things.
set(web_compile -msimd128 -fno-slp-vectorize)
set(name spate)
if(SPATE_WEB_THREADS)
  list(APPEND web_compile -pthread)
  set(name spate-threads)
endif()
target_compile_options(spate_flags INTERFACE ${web_compile})
target_link_options(spate_flags INTERFACE ${web_compile})

foreach(objects spate_core spate_sim2 spate_sim3 spate_cpu2_base spate_cpu3_base)
  set(core_objects ${core_objects} $<TARGET_OBJECTS:${objects}>)
endforeach()
set(memory -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=1MB)

# No file system, no main: JavaScript calls the functions of web/core/web.h.
file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/core/*.c)
add_executable(spate_web ${web_sources} ${core_objects})
target_include_directories(spate_web PRIVATE ${PROJECT_SOURCE_DIR}/include ${src})
target_link_libraries(spate_web PRIVATE spate_flags)
target_link_options(spate_web PRIVATE --no-entry ${memory}
  -sMODULARIZE=1 -sEXPORT_ES6=1 -sEXPORT_NAME=createSpate -sFILESYSTEM=0 -sSTRICT=1
  "-sENVIRONMENT=web,worker,node"
  -sEXPORTED_RUNTIME_METHODS=ccall,UTF8ToString,stringToUTF8,lengthBytesUTF8
  -sEXPORTED_FUNCTIONS=_malloc,_free)
if(SPATE_WEB_THREADS)
  # workers are there before the first loop: a thread cannot start while its maker computes
  target_link_options(spate_web PRIVATE "-sPTHREAD_POOL_SIZE=Module['threads']-1")
endif()
set_target_properties(spate_web PROPERTIES OUTPUT_NAME ${name} SUFFIX .mjs)

# The unit tests that need the core only, run by node (tests/web/unit.sh).
if(NOT SPATE_WEB_THREADS)
  file(GLOB runner_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/runner/*.c)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/web/unit.txt unit_tests REGEX "^[a-z]")
  foreach(line ${unit_tests})
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words program source)
    add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/unit/${source} ${runner_sources} ${core_objects})
    target_include_directories(${program} PRIVATE
      ${PROJECT_SOURCE_DIR}/include ${src} ${PROJECT_SOURCE_DIR}/tests/unit ${PROJECT_SOURCE_DIR}/tests/runner)
    target_compile_definitions(${program} PRIVATE SPATE_SOURCE="${PROJECT_SOURCE_DIR}" ${words})
    target_link_libraries(${program} PRIVATE spate_flags)
    # -O1: a link of a second, not of ten; the page's own modules, which are optimised whole, have tests/web/core.mjs
    target_link_options(${program} PRIVATE ${memory} -sNODERAWFS=1 -sEXIT_RUNTIME=1 -O1)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endforeach()
endif()
