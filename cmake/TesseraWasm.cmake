# One WebAssembly module, of the variant TESSERA_WASM_VARIANT: bin/tessera-<variant>.wasm and bin/tessera-<variant>.mjs, its glue.
#
# Without threads the glue is a synchronous function: the host fetches and compiles the module and hands it over through
# `instantiateWasm`. Import and export names are not minified, so the glue of all variants without threads is one and the same,
# and js/build.mjs puts it into the package's entries. With threads the glue is also what each worker runs.
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

if(NOT objects)
  return()
endif()
set(module tessera-${TESSERA_WASM_VARIANT})
add_executable(${module} ${objects})
set_target_properties(${module} PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
target_link_libraries(${module} PRIVATE tessera_settings)
target_link_options(${module} PRIVATE
    -O3 --no-entry -sMODULARIZE=1 -sEXPORT_ES6=1 -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0 -sSUPPORT_LONGJMP=0
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB
    -sABORTING_MALLOC=0  # malloc says no, and the engine turns that into an error
    -sALLOW_TABLE_GROWTH=1  # callbacks of the host become table entries
    -sINCOMING_MODULE_JS_API=instantiateWasm,locateFile,mainScriptUrlOrBlob,wasmMemory,print,printErr
    -sEXPORTED_RUNTIME_METHODS=wasmExports,wasmMemory,wasmTable,addFunction,removeFunction
    # Propagation would put vector constants back into loops: simd/lanes-inl.h says why they must stay out; folding without it remains.
    # Large functions called once stay functions: docs/decisions/0009-start.md.
    -sBINARYEN_EXTRA_PASSES=--skip-pass=precompute-propagate,precompute,--one-caller-inline-max-function-size=100
    -lexports.js  # keeps the names of imports and exports
    -sEXPORTED_FUNCTIONS=${exports})
if(TESSERA_WASM_VARIANT MATCHES "threads")
  # Workers start when the engine asks for its first thread, not at load; the page's main thread never waits for one.
  target_link_options(${module} PRIVATE -sENVIRONMENT=web,worker,node -sPTHREAD_POOL_SIZE=0 -sPTHREAD_POOL_SIZE_STRICT=0
                      -sDEFAULT_PTHREAD_STACK_SIZE=512KB -sINITIAL_MEMORY=32MB -Wno-pthreads-mem-growth)
else()
  # Nothing in it asks where it runs (Node included).
  target_link_options(${module} PRIVATE -sENVIRONMENT=web,worker -sWASM_ASYNC_COMPILATION=0 -sINITIAL_MEMORY=16MB)
endif()
foreach(library IN LISTS js_libraries)
  target_link_options(${module} PRIVATE --js-library=${library})
  set_property(TARGET ${module} APPEND PROPERTY LINK_DEPENDS ${library})
endforeach()
