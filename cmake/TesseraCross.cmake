# A native build for another machine: the case list and those unit tests that depend on the machine (kernels, threads), to be run by an
# emulator. Nothing of it needs libraries of that machine; GoogleTest is built from its sources (Debian: the package googletest).

file(GLOB runner_sources CONFIGURE_DEPENDS tests/runner/*.cc)
add_executable(tessera_cases ${runner_sources})
target_link_libraries(tessera_cases PRIVATE tessera tessera_settings)

set(TESSERA_GOOGLETEST /usr/src/googletest CACHE PATH "GoogleTest's sources, for builds that run on another machine")
set(INSTALL_GTEST OFF)
set(BUILD_GMOCK OFF)
add_subdirectory(${TESSERA_GOOGLETEST} googletest EXCLUDE_FROM_ALL)

file(GLOB test_sources CONFIGURE_DEPENDS tests/unit/cpu_*.cc tests/unit/simd_*.cc tests/unit/ops_elementwise_test.cc
     tests/unit/base_*.cc tests/unit/executor_test.cc tests/unit/runtime_*.cc tests/unit/static_target.cc)
list(FILTER runner_sources EXCLUDE REGEX "/main\\.cc$")
add_executable(tessera_tests ${test_sources} ${runner_sources})
target_link_libraries(tessera_tests PRIVATE tessera tessera_settings gtest gtest_main)
target_compile_definitions(tessera_tests PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
