# The compiler settings that every target shares, and the switches that a user may set.

option(TESSERA_TESTS "Build the unit tests and the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(TESSERA_SANITIZE "" CACHE STRING "Sanitizer to build with: address, undefined or thread (GCC and Clang)")
set(TESSERA_WASM_VARIANT "simd" CACHE STRING
    "WebAssembly variant: scalar, simd, relaxed, simd-threads or relaxed-threads (with Emscripten)")
set_property(CACHE TESSERA_WASM_VARIANT PROPERTY STRINGS scalar simd relaxed simd-threads relaxed-threads)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(EMSCRIPTEN)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")  # -O3 doubles the time to compile SIMD code that is unrolled by hand anyway
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT EMSCRIPTEN)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the native Node addon and other bindings link the same objects
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT EMSCRIPTEN)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TESSERA_CCACHE})
endif()

# One place for what all of Tessera is compiled with. Results must not depend on the compiler's mood: no -ffast-math, and no
# contraction of a*b+c (kernels that want a fused multiply-add say so). -fno-math-errno only drops a side effect nobody reads.
add_library(tessera_settings INTERFACE)
target_compile_features(tessera_settings INTERFACE cxx_std_20)
target_compile_options(tessera_settings INTERFACE -Wall -Wextra -fno-math-errno -ffp-contract=off)
if(TESSERA_WERROR)
  target_compile_options(tessera_settings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC 12's flow analysis reports these inside libstdc++'s own headers (GCC bug 105329 and its kin)
  target_compile_options(tessera_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # Warns of every function that takes a string_view and returns a reference into a registry (get_op)
  target_compile_options(tessera_settings INTERFACE -Wno-dangling-reference)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # What Highway's NEON target adds by a pragma. GCC 12 gives constructors of its vector types the command line's target instead, and then
  # refuses to inline them. Nothing but intrinsics ever emits these instructions.
  target_compile_options(tessera_settings INTERFACE -march=armv8-a+crypto)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_settings INTERFACE
      -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tessera_settings INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()
target_include_directories(tessera_settings INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)

if(EMSCRIPTEN)
  if(NOT TESSERA_WASM_VARIANT MATCHES "^(scalar|simd|relaxed|simd-threads|relaxed-threads)$")
    message(FATAL_ERROR "TESSERA_WASM_VARIANT is '${TESSERA_WASM_VARIANT}'; "
                        "it must be scalar, simd, relaxed, simd-threads or relaxed-threads")
  endif()
  # Every engine that has WebAssembly's exceptions (Chrome 95, Firefox 100, Safari 15.2) has these, too: memory.copy and memory.fill
  # (instead of calls into JavaScript), and conversions to integers without a test for the range before each.
  set(engine_features -fwasm-exceptions -mbulk-memory -mnontrapping-fptoint)
  target_compile_options(tessera_settings INTERFACE ${engine_features})
  target_link_options(tessera_settings INTERFACE ${engine_features})
  if(TESSERA_WASM_VARIANT MATCHES "threads")
    target_compile_options(tessera_settings INTERFACE -pthread)
    target_link_options(tessera_settings INTERFACE -pthread)
  endif()
endif()

# The instruction set of the folders marked SIMD. Natively Highway compiles several and picks one at run time, so: nothing.
set(TESSERA_SIMD_FLAGS "")
if(EMSCRIPTEN)
  if(TESSERA_WASM_VARIANT MATCHES "simd")
    set(TESSERA_SIMD_FLAGS -msimd128)
  elseif(TESSERA_WASM_VARIANT MATCHES "relaxed")
    set(TESSERA_SIMD_FLAGS -msimd128 -mrelaxed-simd)
  endif()
endif()
