// Which instruction sets the kernels are compiled for. Include before any Highway header; every file of kernels includes it
// first, so that they all choose the same set at run time.
//
// Left out, by bit (names of newer Highway versions are not known to older ones): AVX-512 flavours beyond the first (bits 4 to 7)
// and SSSE3, SSE2 (12, 14), which gain nothing here over AVX3 and the scalar fallback; SVE and NEON-with-bf16 (23 to 27), because
// register tiles need a vector length known at compile time. What remains: AVX3, AVX2, SSE4; NEON; WebAssembly's SIMD128; scalar.
// A file that does not exchange packed data with others may define TSR_KERNELS_WITHOUT_AVX3 before, to build faster.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define TSR_KERNELS_LEFT_OUT ((15LL << 4) | (1LL << 12) | (1LL << 14) | (31LL << 23))
#ifdef TSR_KERNELS_WITHOUT_AVX3
#define HWY_DISABLED_TARGETS (TSR_KERNELS_LEFT_OUT | (1LL << 8))
#else
#define HWY_DISABLED_TARGETS TSR_KERNELS_LEFT_OUT
#endif
#endif
