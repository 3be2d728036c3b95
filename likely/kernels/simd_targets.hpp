// The instruction sets that vector kernels are compiled for. Every vector source includes this first, before
// anything of Highway: one binary then holds SSE2, AVX2 and AVX-512 code and picks at run time.
#pragma once

// Each further target costs compile time in every vector source; SSSE3 and SSE4 machines run the SSE2 code,
// Zen 4 and Ice Lake the AVX-512 code.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4)
