// The imports of src/backends/gpu/js_driver_wasm.cc: hands each call to the driver that the host attached as Module.gpu
// (js/src/gpu/index.mjs). Pointers come as signed numbers; memory above 2 GiB needs them unsigned.
addToLibrary({
  // Drivers in use, by kind: 0 WebGPU, 1 WebGL 2.
  $tsrGpuDrivers: [null, null],

  // Calls fn(driver). What it throws becomes the driver's error, to be taken by tsr_js_gpu_take_error: an exception of JavaScript
  // must not unwind C++ frames.
  $tsrGpuCall__deps: ['$tsrGpuDrivers'],
  $tsrGpuCall: (kind, fn, otherwise) => {
    const driver = tsrGpuDrivers[kind];
    try {
      return fn(driver);
    } catch (e) {
      driver.fail(String(e?.message ?? e));
      return otherwise;
    }
  },

  // 1, or 0 with the reason as a zero-terminated string at `why`.
  tsr_js_gpu_open__deps: ['$tsrGpuDrivers', '$stringToUTF8'],
  tsr_js_gpu_open: (kind, why, room) => {
    try {
      if (!Module['gpu']) throw new Error('the host attached no GPU driver');
      tsrGpuDrivers[kind] = Module['gpu'].open(kind);
      return 1;
    } catch (e) {
      stringToUTF8(String(e?.message ?? e), why >>> 0, room);
      return 0;
    }
  },
  tsr_js_gpu_close__deps: ['$tsrGpuDrivers'],
  tsr_js_gpu_close: (kind) => {
    Module['gpu'].close(kind);
    tsrGpuDrivers[kind] = null;
  },
  // Six words: Limits in driver.h.
  tsr_js_gpu_limits__deps: ['$tsrGpuDrivers'],
  tsr_js_gpu_limits: (kind, out) => {
    const l = tsrGpuDrivers[kind].limits;
    HEAPU32.set([l.maxInputs, l.maxMemoryBytes, l.maxTextureSize, l.maxGroups, l.maxUniformWords, l.canReadSync], out >>> 2);
  },
  // The epoch times two, plus one while the device is lost.
  tsr_js_gpu_state__deps: ['$tsrGpuDrivers'],
  tsr_js_gpu_state: (kind) => {
    const d = tsrGpuDrivers[kind];
    const lost = d.checkLost();
    return d.epoch * 2 + (lost ? 1 : 0);
  },
  // Bytes of the message, cut to `room`; 0 when nothing went wrong.
  tsr_js_gpu_take_error__deps: ['$tsrGpuDrivers', '$stringToUTF8'],
  tsr_js_gpu_take_error: (kind, out, room) => {
    const e = tsrGpuDrivers[kind].takeError();
    return e ? stringToUTF8(e, out >>> 0, room) : 0;
  },
  tsr_js_gpu_create_memory__deps: ['$tsrGpuCall'],
  tsr_js_gpu_create_memory: (kind, id, bytes, width, height, element) =>
    tsrGpuCall(kind, (driver) => driver.createMemory(id, bytes >>> 0, width, height, element)),
  tsr_js_gpu_destroy_memory__deps: ['$tsrGpuCall'],
  tsr_js_gpu_destroy_memory: (kind, id) =>
    tsrGpuCall(kind, (driver) => driver.destroyMemory(id)),
  tsr_js_gpu_upload__deps: ['$tsrGpuCall'],
  tsr_js_gpu_upload: (kind, id, words, count) =>
    tsrGpuCall(kind, (driver) => driver.upload(id, HEAPU32.subarray(words >>> 2, (words >>> 2) + count))),
  tsr_js_gpu_create_program__deps: ['$tsrGpuCall', '$UTF8ToString'],
  tsr_js_gpu_create_program: (kind, id, text, bytes, uniformWords, inputs) =>
    tsrGpuCall(kind, (driver) => driver.createProgram(id, UTF8ToString(text >>> 0, bytes), uniformWords, inputs)),
  tsr_js_gpu_destroy_program__deps: ['$tsrGpuCall'],
  tsr_js_gpu_destroy_program: (kind, id) =>
    tsrGpuCall(kind, (driver) => driver.destroyProgram(id)),
  tsr_js_gpu_encode__deps: ['$tsrGpuCall'],
  tsr_js_gpu_encode: (kind, words, count) =>
    tsrGpuCall(kind, (driver) => driver.encode(HEAPU32.subarray(words >>> 2, (words >>> 2) + count))),
  tsr_js_gpu_begin_read__deps: ['$tsrGpuCall'],
  tsr_js_gpu_begin_read: (kind, request, id, words) =>
    tsrGpuCall(kind, (driver) => driver.beginRead(request, id, words)),
  // 0 pending, 1 done, -1 failed.
  tsr_js_gpu_poll_read__deps: ['$tsrGpuCall'],
  tsr_js_gpu_poll_read: (kind, request) =>
    tsrGpuCall(kind, (driver) => driver.pollRead(request), -1),
  tsr_js_gpu_read_wait__deps: ['$tsrGpuCall'],
  tsr_js_gpu_read_wait: (kind, request) =>
    tsrGpuCall(kind, (driver) => driver.readWait(request)),
  // count 0: forget the request.
  tsr_js_gpu_take_read__deps: ['$tsrGpuCall'],
  tsr_js_gpu_take_read: (kind, request, out, count) =>
    tsrGpuCall(kind, (driver) => driver.takeRead(request, count ? HEAPU32.subarray(out >>> 2, (out >>> 2) + count) : null)),
});
