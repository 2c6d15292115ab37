// The imports of src/backends/cpu/emitted.cc: modules emitted at run time become functions of the calling thread.
addToLibrary({
  // The table index of the module's export "f", or 0 when the engine refuses it (a policy, or no memory).
  tsr_js_emitted_function__deps: ['$addFunction'],
  tsr_js_emitted_function: (module, bytes) => {
    try {
      const code = new WebAssembly.Module(HEAPU8.slice(module >>> 0, (module >>> 0) + bytes));
      return addFunction(new WebAssembly.Instance(code, { e: { m: wasmMemory } }).exports.f, 'viiii');
    } catch {
      return 0;
    }
  },
  tsr_js_drop_emitted__deps: ['$removeFunction'],
  tsr_js_drop_emitted: (index) => removeFunction(index),
});
