# A compile cache: ccache gives back an object file that was compiled before from the same sources with the same flags. Paths
# are taken relative to the source folder, so a fresh clone in another folder finds the objects of the first one.
if(NOT SPATE_CCACHE OR CMAKE_C_COMPILER_LAUNCHER)
  return()
endif()
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
