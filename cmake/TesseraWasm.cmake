# One WebAssembly module, of the variant TESSERA_WASM_VARIANT: tessera-<variant>.wasm and its ES module loader, and for `simd`
# also a loader that instantiates synchronously (for CommonJS and <script>).

set(loader_name tessera-${TESSERA_WASM_VARIANT})
get_property(objects GLOBAL PROPERTY TESSERA_OBJECTS)

# The exports are the C ABI, read from its header, and the allocator.
set(abi_header ${PROJECT_SOURCE_DIR}/include/tessera/tessera.h)
set(exports _malloc _free)
get_target_property(capi_type tessera_capi TYPE)
if(capi_type STREQUAL "STATIC_LIBRARY")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${abi_header})
  file(STRINGS ${abi_header} lines REGEX "^TSR_API ")
  foreach(line IN LISTS lines)
    if(line MATCHES "[ *](tsr_[a-z0-9_]+)\\(")
      list(APPEND exports _${CMAKE_MATCH_1})
    endif()
  endforeach()
endif()
list(JOIN exports "," exports)

# JavaScript that implements the imports of the C ABI (callbacks into the host), if any
file(GLOB js_libraries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_library.js ${PROJECT_SOURCE_DIR}/js/library/*.js)

# tessera_module(TARGET link-option...)
function(tessera_module target)
  add_executable(${target} ${objects})
  set_target_properties(${target} PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE tessera_settings)
  target_link_options(${target} PRIVATE
      -O3 --no-entry -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker,node -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0
      -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=32MB -sSTACK_SIZE=1MB -sABORTING_MALLOC=0
      -sINCOMING_MODULE_JS_API=wasmBinary,locateFile,instantiateWasm,mainScriptUrlOrBlob,wasmMemory,print,printErr
      -sEXPORTED_RUNTIME_METHODS=HEAPU8,wasmMemory,wasmTable,addFunction,removeFunction -sALLOW_TABLE_GROWTH=1
      -sSUPPORT_LONGJMP=0 -sEXPORTED_FUNCTIONS=${exports} ${ARGN})
  if(TESSERA_WASM_VARIANT MATCHES "threads")
    # Workers start when the engine asks for its first thread, not at load; the page's main thread never blocks on them.
    target_link_options(${target} PRIVATE -sPTHREAD_POOL_SIZE=0 -sPTHREAD_POOL_SIZE_STRICT=0 -sDEFAULT_PTHREAD_STACK_SIZE=512KB
                        -Wno-pthreads-mem-growth)
  endif()
  foreach(library IN LISTS js_libraries)
    target_link_options(${target} PRIVATE --js-library=${library})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${library})
  endforeach()
endfunction()

if(objects)
  tessera_module(${loader_name})
  if(TESSERA_WASM_VARIANT STREQUAL "simd")
    tessera_module(${loader_name}-sync -sWASM_ASYNC_COMPILATION=0)
  endif()
endif()
