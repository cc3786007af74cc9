// What an x86 processor can do and its system allows, asked of the processor itself: what compilers
// have for it needs a run-time library that not all of them bring.
#pragma once

#include <cpuid.h>

namespace svm::simd {

struct Processor {
  bool avx2 = false, avx512 = false;
};

inline Processor processor() {
  constexpr unsigned kBasic = 1U << 12 | 1U << 27 | 1U << 28;  // FMA, XGETBV, AVX
  constexpr unsigned kAvx2 = 1U << 5;
  constexpr unsigned kAvx512 = 1U << 16 | 1U << 17 | 1U << 30 | 1U << 31;  // F, DQ, BW, VL
  constexpr unsigned kSaved256 = 0x6, kSaved512 = 0xe6;  // registers that the system keeps for us
  const auto all = [](unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; };
  unsigned eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || !all(ecx, kBasic)) return {};
  unsigned saved, unused;
  __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
  if (!all(saved, kSaved256) || __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return {};
  const bool avx2 = all(ebx, kAvx2);
  return {avx2, avx2 && all(ebx, kAvx512) && all(saved, kSaved512)};
}

}  // namespace svm::simd
