// Which instruction sets Highway compiles for. Include before any hwy header, in every file that uses foreach_target.h.
//
// On x86: SSE4, AVX2 with FMA, and what the compiler assumes anyway (one lane with Highway 1.0, SSE2 later) for
// machines older than both. SSSE3 is hardly ever the best a machine has, and AVX-512 would double the size of the code
// for little, as these loops wait for memory. SVE and RISC-V vectors have no compile-time size, so lanes cannot be
// struct members.
#pragma once

#ifdef HIGHWAY_HWY_DETECT_TARGETS_H_
#error "simd/targets.h must come before the headers of Highway"
#endif

// Highway numbers the x86 targets downwards, so HWY_AVX2 - 1 is all that are better than AVX2. (The names are defined
// later, by Highway.)
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX2 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
