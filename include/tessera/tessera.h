/* tessera.h: the flat C ABI. WebAssembly exports exactly these functions; the JavaScript package and other languages bind them.
 *
 * Conventions
 *  - Functions that can fail return a negative number, TSR_NONE (0) or NULL on failure; tsr_last_error_code() and
 *    tsr_last_error() then say why, in one sentence, until the next failing call on the same thread. A failed call changes nothing.
 *  - Handles (tsr_tensor, tsr_model, tsr_ticket) are never 0 and carry a generation: using one after its end is
 *    error TSR_DISPOSED, never a crash. Ending one twice is harmless.
 *  - Strings are UTF-8, zero-terminated unless a length is given. Returned strings live until the next call that returns one.
 *  - Tensor data is little-endian, C order. bool is one byte an element, 0 or 1.
 *  - Op attributes travel as doubles ("words"), in the order of the op's schema: one word for a bool, integer, float, dtype or
 *    enum; a count followed by that many words for a list, or for a string's bytes. NaN as the word (or count) takes the
 *    default (except for a float, where NaN is a value). Missing words at the end take their defaults.
 *  - One calling thread at a time.
 */
#ifndef TESSERA_TESSERA_H_
#define TESSERA_TESSERA_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__EMSCRIPTEN__)
#define TSR_API __attribute__((used, visibility("default")))
#elif defined(__GNUC__)
#define TSR_API __attribute__((visibility("default")))
#else
#define TSR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t tsr_tensor;
typedef int32_t tsr_model;
typedef int32_t tsr_ticket;
#define TSR_NONE 0

enum tsr_status {
  TSR_OK = 0,
  TSR_INVALID_ARGUMENT = 1,
  TSR_DISPOSED = 2,
  TSR_NOT_FOUND = 3,
  TSR_BAD_FILE = 4,
  TSR_UNSUPPORTED = 5,
  TSR_OUT_OF_MEMORY = 6,
  TSR_DEVICE_LOST = 7,
  TSR_CANCELLED = 8,
  TSR_INTERNAL = 9
};

enum tsr_dtype {
  TSR_FLOAT32 = 0,
  TSR_INT32 = 1,
  TSR_BOOL = 2,
  TSR_COMPLEX64 = 3,
  TSR_STRING = 4,
  TSR_FLOAT16 = 5,
  TSR_INT8 = 6,
  TSR_UINT8 = 7,
  TSR_UINT16 = 8
};

/* ---- General ------------------------------------------------------------------------------------------------------------ */
TSR_API const char* tsr_version(void);
TSR_API int tsr_last_error_code(void);
TSR_API const char* tsr_last_error(void);
/* 64-byte aligned memory for passing data in and out; NULL when refused. */
TSR_API void* tsr_alloc(size_t bytes);
TSR_API void tsr_free(void* p);

/* ---- Ops ---------------------------------------------------------------------------------------------------------------- */
/* Ids are dense, 0 .. count-1, and stable within a process only: resolve names once. */
TSR_API int tsr_op_count(void);
TSR_API int tsr_op_id(const char* name);
TSR_API const char* tsr_op_name(int op);
/* Calls an op. Returns the number of outputs, written to `outputs` (room for max_outputs; more is an error). `info`, unless NULL, is told
   what tsr_tensor_info tells, when there is one output. */
TSR_API int tsr_call(int op, const tsr_tensor* inputs, int num_inputs, const double* words, int num_words,
                     tsr_tensor* outputs, int max_outputs, int32_t* info);

/* ---- Tensors ------------------------------------------------------------------------------------------------------------ */
/* Copies `bytes` bytes, which must be exactly what shape and dtype need. */
TSR_API tsr_tensor tsr_tensor_new(int dtype, const int32_t* dims, int rank, const void* data, size_t bytes);
/* A string tensor: `lengths` holds one byte count an element, `bytes` the strings one after another. */
TSR_API tsr_tensor tsr_tensor_new_strings(const int32_t* dims, int rank, const char* bytes, const int32_t* lengths);
/* Writes dtype, rank, then the dims (room for 2 + 8 words). */
TSR_API int tsr_tensor_info(tsr_tensor t, int32_t* info);
/* A number that tensors sharing storage (reshape, clone) have in common. */
TSR_API double tsr_data_id(tsr_tensor t);
TSR_API tsr_tensor tsr_clone(tsr_tensor t);
/* Ends the handle. Disposing twice does nothing. */
TSR_API void tsr_dispose(tsr_tensor t);
/* 1 while the handle is good, else 0. */
TSR_API int tsr_is_alive(tsr_tensor t);
/* The scope that is open will not dispose of it. */
TSR_API int tsr_keep(tsr_tensor t);

/* ---- Scopes (tidy) ------------------------------------------------------------------------------------------------------ */
TSR_API int tsr_scope_begin(void);
/* Disposes of every handle made since the matching begin, but for kept ones, variables and those in `results`, which pass to
 * the scope around. */
TSR_API int tsr_scope_end(const tsr_tensor* results, int num_results);

/* ---- Reading ------------------------------------------------------------------------------------------------------------ */
/* Starts computing the tensor (and all that is pending before it). */
TSR_API tsr_ticket tsr_read_begin(tsr_tensor t);
/* Works for at most about budget_ms (0: only looks; negative: until done, where the device allows it).
 * 0: more work to do, call again; 1: done; 2: waiting for the device or a worker, call again when it reports; negative: failed. */
TSR_API int tsr_poll(tsr_ticket ticket, double budget_ms);
/* After poll said 1: where the bytes are and how many (strings: count x int32 lengths, then the bytes). The pointer holds until
 * tsr_ticket_end. */
TSR_API const void* tsr_read_result(tsr_ticket ticket, size_t* bytes);
/* Ends a ticket, done or not (work that others need goes on). */
TSR_API void tsr_ticket_end(tsr_ticket ticket);
/* Runs what the tensor needs and returns its bytes as tsr_read_result does; valid until the next read. Fails with
 * TSR_UNSUPPORTED on devices that cannot be read synchronously. */
TSR_API const void* tsr_read_sync(tsr_tensor t, size_t* bytes);
/* Makes everything recorded so far start running; does not wait. */
TSR_API int tsr_flush(void);

/* ---- Gradients ---------------------------------------------------------------------------------------------------------- */
/* From begin to end, what is recorded can be differentiated. Nests. */
TSR_API int tsr_tape_begin(void);
TSR_API int tsr_tape_end(void);
/* d(sum(y * dy)) / d(x) for each of xs, by the innermost tape; dy = TSR_NONE means ones. An x that y does not depend on gets
 * TSR_NONE in `out`. Returns num_xs. */
TSR_API int tsr_grad(tsr_tensor y, tsr_tensor dy, const tsr_tensor* xs, int num_xs, tsr_tensor* out);
/* Declares that `outputs` were computed from `inputs` by a function whose gradient the host will compute: when differentiated,
 * the callback set below is called with `id`. The outputs' own history is hidden. Writes num_outputs new handles. */
TSR_API int tsr_custom_grad(int id, const tsr_tensor* inputs, int num_inputs, const tsr_tensor* outputs, int num_outputs,
                            tsr_tensor* new_outputs);
/* fn(id, dys, num_dys, dxs, num_dxs) fills dxs (TSR_NONE: no gradient) and returns 0, or negative after an exception of its own. */
typedef int (*tsr_custom_grad_fn)(int id, const tsr_tensor* dys, int num_dys, tsr_tensor* dxs, int num_dxs);
TSR_API void tsr_set_custom_grad_callback(tsr_custom_grad_fn fn);

/* ---- Variables ---------------------------------------------------------------------------------------------------------- */
/* A variable is a tensor handle whose value can be replaced; ops read the value it has when they are called. Scopes never
 * dispose of variables. */
TSR_API tsr_tensor tsr_variable_new(tsr_tensor initial);
TSR_API int tsr_variable_assign(tsr_tensor variable, tsr_tensor value);

/* ---- Models ------------------------------------------------------------------------------------------------------------- */
/* Parses a model.json. Every unsupported op is listed in the error. Then give the weights in order and finish. */
TSR_API tsr_model tsr_model_new(const char* json, size_t bytes);
/* Total bytes of weights that the manifest declares; -1 on error. */
TSR_API double tsr_model_weight_bytes(tsr_model m);
/* Appends weight bytes (any piece of the concatenated shards, in order). More than declared is an error. */
TSR_API int tsr_model_add_weights(tsr_model m, const void* data, size_t bytes);
/* The same without a copy: memory for the next bytes of the shards, *bytes of it, until the next call. Write any number of them, then
 * call tsr_model_weight_filled. Null (no error) when the next bytes are stored otherwise than they are used: add_weights takes those. */
TSR_API void* tsr_model_weight_room(tsr_model m, size_t* bytes);
TSR_API int tsr_model_weight_filled(tsr_model m, size_t bytes);
/* Runs the model's kinds of kernels on small inputs for up to `ms` milliseconds, while its weights are still to come: WebAssembly engines
 * compile loops better once they have run, and do so in a thread of their own. Does nothing for small models, and on a GPU. */
TSR_API int tsr_model_warm(tsr_model m, double ms);
TSR_API int tsr_model_finish(tsr_model m);
/* JSON: {"inputs":[{"name","dtype","shape"}],"outputs":[...],"signature":{...},"ops":{"Conv2D":3},"parameters":n,"bytes":n,
 * "nodes":n,"dynamic":bool,"metadata":...}. */
TSR_API const char* tsr_model_info(tsr_model m);
/* Runs the model. `input_names` and `output_names` are newline-separated ("" for all outputs; "name:index" as in TensorFlow).
 * When every output's shape is known beforehand (async = 0) the outputs are written at once, computed when read, and the result
 * is 0. Otherwise, or with async = 1, the result is a ticket: poll it, then tsr_model_result. */
TSR_API tsr_ticket tsr_model_run(tsr_model m, const char* input_names, const tsr_tensor* inputs, int num_inputs,
                                 const char* output_names, int async, tsr_tensor* outputs, int max_outputs, int* num_outputs);
/* Takes the outputs of a finished run; returns how many. */
TSR_API int tsr_model_result(tsr_ticket ticket, tsr_tensor* outputs, int max_outputs);
TSR_API void tsr_model_dispose(tsr_model m);

/* ---- Memory, devices, threads ------------------------------------------------------------------------------------------- */
/* Writes: numTensors, numDataBuffers, numBytes (logical), host bytes held, device bytes held, plans cached, peak host bytes,
 * memory cap (8 doubles). */
TSR_API int tsr_memory(double* out);
TSR_API int tsr_set_memory_cap(double bytes);
/* "cpu", "webgpu", "webgl" (browser and Node) or "gl" (native GLES). Pending work is finished first; tensors move when used. */
TSR_API int tsr_set_device(const char* name);
TSR_API const char* tsr_device(void);
TSR_API int tsr_set_threads(int threads);
TSR_API int tsr_threads(void);
/* Register tiles of matrix products have at most so many rows (0: no limit): for WebAssembly engines whose compiler spills the
 * registers of taller ones. Results do not depend on it, and it may be called at any time. */
TSR_API int tsr_limit_tile_rows(int rows);
/* A counter that changes when a background thread has finished a piece of work: look at it before tsr_poll, and sleep on it when
 * that says 2 (in WebAssembly: Atomics.waitAsync). NULL in builds without threads. */
TSR_API const int32_t* tsr_wake_counter(void);
/* Newline-separated "op device ms bytes" for every launch between begin and end. */
TSR_API int tsr_profile_begin(void);
TSR_API const char* tsr_profile_end(void);
/* The host says that a GPU readback finished (status 0) or failed; `request` is what the driver was given. */
TSR_API void tsr_gpu_read_done(int request, int status);
/* The host says that the device or context was lost (1) or is usable again (0). */
TSR_API void tsr_gpu_lost(int lost);

#ifdef __cplusplus
}
#endif
#endif
