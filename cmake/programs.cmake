# Each examples/*.c is a program of its own, linked as a user would link it; bench/*.c together are one,
# spate_bench.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE spate_flags spate::spate_io_static)
endforeach()

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
if(bench_sources)
  add_executable(spate_bench ${bench_sources})
  target_include_directories(spate_bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(spate_bench PRIVATE spate_flags spate::spate_io_static Threads::Threads m)
endif()
