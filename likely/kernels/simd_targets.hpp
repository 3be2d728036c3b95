// The instruction sets that vector kernels are compiled for. Every vector source includes this first, before
// anything of Highway: one binary then holds SSE4, AVX2 and AVX-512 code and picks at run time.
// Internal to likely.
#pragma once

// Each further target costs compile time in every vector source. SSE4 as the lowest (x86-64-v2, every
// processor since 2011) takes the place of Highway's emulated vectors, which would serve nobody.
#if defined(__x86_64__) || defined(_M_X64)
#define HWY_BASELINE_TARGETS HWY_SSE4
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
