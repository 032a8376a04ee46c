# Each examples/*.c is a program of its own, linked as a user would link it, and so is each bench/*.c
# (spate_bench_<name>).
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE spate_flags spate::spate_io_static)
endforeach()

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  set(program spate_bench_${name})
  add_executable(${program} ${source})
  target_link_libraries(${program} PRIVATE spate_flags spate::spate_io_static Threads::Threads m)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endforeach()
