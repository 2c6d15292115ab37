# The native outputs: the library (build tree, install tree, package config), the CLI, the generator, tests and benchmarks.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- libtessera: every layer in one archive ---------------------------------------------------------------------------------
get_property(objects GLOBAL PROPERTY TESSERA_OBJECTS)
add_library(tessera_archive STATIC ${objects})
set_target_properties(tessera_archive PROPERTIES OUTPUT_NAME tessera EXPORT_NAME archive LINKER_LANGUAGE CXX)
target_include_directories(tessera_archive PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(tessera_archive PUBLIC cxx_std_20)
target_link_libraries(tessera_archive PUBLIC Highway::hwy Threads::Threads)
if(TESSERA_GL)
  target_link_libraries(tessera_archive PUBLIC ${EGL_LIBRARY} ${GLES_LIBRARY})
endif()
if(TESSERA_SANITIZE)
  target_link_options(tessera_archive PUBLIC -fsanitize=${TESSERA_SANITIZE})
endif()

# `tessera` is what programs link: the archive taken whole, because ops, kernels and formats register themselves.
add_library(tessera INTERFACE)
add_library(tessera::tessera ALIAS tessera)
target_link_libraries(tessera INTERFACE $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,tessera_archive>>
                                        $<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,tessera::archive>>)

if(CMAKE_CROSSCOMPILING)  # nothing to install: the tests that an emulator runs
  include(TesseraCross)
  return()
endif()

# --- install and find_package(tessera) --------------------------------------------------------------------------------------
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(TARGETS tessera tessera_archive EXPORT tessera ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT tessera NAMESPACE tessera:: FILE tesseraTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(cmake/tesseraConfig.cmake.in tesseraConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake
              cmake/FindHighway.cmake DESTINATION ${config_dir})

# --- programs -------------------------------------------------------------------------------------------------------------
# tessera_program(TARGET sources... ): a program that sees the public headers, src/ (this project's own programs only), zlib and stb
function(tessera_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE tessera tessera_settings ZLIB::ZLIB)
  target_include_directories(${target} SYSTEM PRIVATE ${STB_INCLUDE_DIR})
  if(TESSERA_GL)
    target_compile_definitions(${target} PRIVATE TESSERA_GL=1)
  endif()
endfunction()

# cli/files: arrays and pictures on disk, shared by the CLI and the examples
file(GLOB files_sources CONFIGURE_DEPENDS cli/files/*.cc)
add_library(tessera_files STATIC ${files_sources})
target_link_libraries(tessera_files PUBLIC tessera PRIVATE tessera_settings ZLIB::ZLIB)
target_include_directories(tessera_files PUBLIC ${PROJECT_SOURCE_DIR}/cli)
target_include_directories(tessera_files SYSTEM PRIVATE ${STB_INCLUDE_DIR})

file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.cc)
if(cli_sources)
  tessera_program(tessera_cli ${cli_sources})
  target_link_libraries(tessera_cli PRIVATE tessera_files)
  set_target_properties(tessera_cli PROPERTIES OUTPUT_NAME tessera)
  install(TARGETS tessera_cli DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()

file(GLOB generator_sources CONFIGURE_DEPENDS tools/gen/*.cc)
if(generator_sources)
  tessera_program(tessera_gen ${generator_sources})
endif()

# what `make build` builds of this folder: the library, the CLI, the generator and the examples, not tests and benchmarks
add_custom_target(tessera_programs DEPENDS tessera_archive)
foreach(program tessera_cli tessera_gen)
  if(TARGET ${program})
    add_dependencies(tessera_programs ${program})
  endif()
endforeach()

# examples/<name>/*.cc -> bin/tessera-<name>
file(GLOB example_sources CONFIGURE_DEPENDS examples/*/*.cc)
set(example_names "")
foreach(source IN LISTS example_sources)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  list(APPEND example_names ${name})
endforeach()
list(REMOVE_DUPLICATES example_names)
foreach(name IN LISTS example_names)
  set(sources ${example_sources})
  list(FILTER sources INCLUDE REGEX "/examples/${name}/")
  tessera_program(tessera-${name} ${sources})
  target_link_libraries(tessera-${name} PRIVATE tessera_files)
  add_dependencies(tessera_programs tessera-${name})
endforeach()

if(NOT TESSERA_TESTS)
  return()
endif()
enable_testing()

file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cc)
foreach(source IN LISTS bench_sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "^bench_|_bench$" "" name ${name})
  tessera_program(bench_${name} ${source})
endforeach()

# tests/runner: runs the case list; its parts are also used by unit tests
file(GLOB runner_sources CONFIGURE_DEPENDS tests/runner/*.cc)
list(FILTER runner_sources EXCLUDE REGEX "/main\\.cc$")
add_library(tessera_runner OBJECT ${runner_sources})
target_link_libraries(tessera_runner PRIVATE tessera_settings)
tessera_program(tessera_cases tests/runner/main.cc $<TARGET_OBJECTS:tessera_runner>)
add_test(NAME cases COMMAND tessera_cases cpu WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

file(GLOB test_sources CONFIGURE_DEPENDS tests/unit/*.cc)
if(test_sources)
  find_package(GTest REQUIRED)
  tessera_program(tessera_tests ${test_sources} $<TARGET_OBJECTS:tessera_runner>)
  target_link_libraries(tessera_tests PRIVATE GTest::gtest GTest::gtest_main)
  target_compile_definitions(tessera_tests PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME unit COMMAND tessera_tests WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

# tests/fuzz/*.cc -> one seeded fuzz program each, run by the test runner (not by chance: the seed is an argument)
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*.cc)
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM name)
  tessera_program(${name} ${source} $<TARGET_OBJECTS:tessera_runner>)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

find_program(TESSERA_NODE node)
if(TESSERA_NODE)
  add_test(NAME structure COMMAND ${TESSERA_NODE} ${PROJECT_SOURCE_DIR}/tests/structure/check.mjs)
endif()
add_test(NAME consumer COMMAND bash ${PROJECT_SOURCE_DIR}/tests/consumer/run.sh ${CMAKE_BINARY_DIR})
