# Compiler flags. spate_flags holds those of all our own sources; nothing of it is installed.
#
# The same scene must give the same bits with every compiler: no fused multiply-add (-ffp-contract=off), no
# -ffast-math, no -march=native. The two -fno- flags below only free the compiler from keeping errno and the
# floating-point exception flags, which no code here reads; results do not change. -Wno-psabi: vectors of
# src/cpu/simd.h are passed to inlined functions only, never across an ABI.
add_library(spate_flags INTERFACE)
target_compile_definitions(spate_flags INTERFACE _GNU_SOURCE)
target_compile_options(spate_flags INTERFACE
  -Wall -Wextra -Wshadow -Wmissing-prototypes -Wswitch-enum -Wno-psabi $<$<BOOL:${SPATE_WERROR}>:-Werror>
  -ffp-contract=off -fno-math-errno -fno-trapping-math)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_DEV "-O1 -g1")
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

if(SPATE_SANITIZE)
  target_compile_options(spate_flags INTERFACE
    -fsanitize=${SPATE_SANITIZE} -fno-sanitize-recover=all)
  # Tests ask for this and take their short forms. No macro of a compiler does: clang has none for a sanitizer.
  target_compile_definitions(spate_flags INTERFACE SPATE_SLOW_BUILD)
  target_link_options(spate_flags INTERFACE -fsanitize=${SPATE_SANITIZE})
  if(SPATE_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
    # large functions call what checks an access, which halves the time that they take to compile
    target_compile_options(spate_flags INTERFACE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=1000")
  endif()
endif()

# Instruction sets beside the base one, chosen at run time (src/base/cpu.c); the sanitizers need one only.
set(SPATE_LEVELS "")
if(SPATE_DISPATCH AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(SPATE_LEVELS v3 v4)
endif()
