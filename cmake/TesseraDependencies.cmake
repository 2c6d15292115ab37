# What Tessera is built on: Highway (SIMD), RapidJSON (headers), zlib and stb (image and .npz files, native only), GoogleTest (tests),
# EGL and GLES (the native harness of the WebGL path). tools/setup.sh installs them on Debian.

if(EMSCRIPTEN)
  # Only the headers of two libraries, through links, so that no other header of the system can be seen.
  set(TESSERA_WASM_INCLUDE ${PROJECT_SOURCE_DIR}/build/deps/include)
  file(MAKE_DIRECTORY ${TESSERA_WASM_INCLUDE})
  foreach(library hwy rapidjson)
    find_path(TESSERA_${library}_PARENT NAMES ${library} PATHS /usr/local/include /usr/include
              NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    if(NOT EXISTS ${TESSERA_WASM_INCLUDE}/${library})
      file(CREATE_LINK ${TESSERA_${library}_PARENT}/${library} ${TESSERA_WASM_INCLUDE}/${library} SYMBOLIC)
    endif()
  endforeach()
  target_include_directories(tessera_settings SYSTEM INTERFACE ${TESSERA_WASM_INCLUDE})
  # One instruction set a module, chosen when it is compiled: no run-time dispatch, no library to link.
  target_compile_definitions(tessera_settings INTERFACE HWY_COMPILE_ONLY_STATIC)
  return()
endif()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Highway REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
find_path(STB_INCLUDE_DIR NAMES stb_image.h PATH_SUFFIXES stb REQUIRED)
find_library(EGL_LIBRARY EGL)
find_library(GLES_LIBRARY GLESv2)
find_path(EGL_INCLUDE_DIR EGL/egl.h)
find_path(GLES_INCLUDE_DIR GLES3/gl3.h)
if(EGL_LIBRARY AND GLES_LIBRARY AND EGL_INCLUDE_DIR AND GLES_INCLUDE_DIR)
  set(gl_found ON)
else()
  set(gl_found OFF)
endif()
option(TESSERA_GL "Build the native EGL/GLES device (the test harness of the WebGL path)" ${gl_found})
if(TESSERA_GL AND NOT gl_found)
  message(FATAL_ERROR "TESSERA_GL is on, but EGL and GLESv2 (libegl-dev, libgles-dev) were not found")
endif()
target_include_directories(tessera_settings SYSTEM INTERFACE $<BUILD_INTERFACE:${RAPIDJSON_INCLUDE_DIR}>)
