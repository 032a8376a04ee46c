# Fuzz targets: each tests/fuzz/target_x.c, linked with libFuzzer as the program fuzz_x (make fuzz). Without it the same
# files are part of tests/unit/test_fuzz_corpus.c, which `make test` runs.
option(SPATE_FUZZ "Build the fuzz targets: needs clang and SPATE_SANITIZE=fuzzer-no-link,..." OFF)
set(fuzz_dir ${PROJECT_SOURCE_DIR}/tests/fuzz)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${fuzz_dir}/target_*.c)

if(SPATE_FUZZ)
  add_custom_target(fuzz)
  foreach(name ${sim_objects}) # the values that the simulation compares say nothing of the input, and cost half the time
    target_compile_options(${name} PRIVATE -fno-sanitize-coverage=trace-cmp)
  endforeach()
  foreach(source ${fuzz_sources})
    string(REGEX REPLACE ".*/target_(.*)\\.c" "\\1" name ${source})
    add_executable(fuzz_${name} ${source} ${fuzz_dir}/fuzz.c ${fuzz_dir}/libfuzzer.c)
    target_compile_definitions(fuzz_${name} PRIVATE FUZZ_TARGET=fuzz_${name})
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(fuzz_${name} PRIVATE spate_flags spate_io_static PkgConfig::JANSSON m)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz fuzz_${name})
  endforeach()
endif()
