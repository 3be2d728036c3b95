#include "likely/kernels/gemm/library.hpp"

#include <blis.h>
#include <dnnl.h>

#include "likely/core/threads.hpp"

namespace likely::kernels {

namespace {

bool processor_has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

// From about 270 million multiply-adds on, two milliseconds, the libraries' deeper blocking pays.
template <class T>
bool is_large(const Product<T>& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) > 0x1p28 && p.n > 16;
}

// BLIS takes a row and a column stride for each matrix, so a transpose is an exchange of the two.
// The explicit rntm_t overrides BLIS_NUM_THREADS and whatever the host program told BLIS.
template <class T, class Function>
void blis(const Product<T>& p, Function function) {
  rntm_t runtime = BLIS_RNTM_INITIALIZER;
  bli_rntm_set_num_threads(1, &runtime);
  T alpha = p.alpha;
  T beta = p.beta;
  function(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p.m, p.n, p.k, &alpha, const_cast<T*>(p.a),
           p.transpose_a ? 1 : p.lda, p.transpose_a ? p.lda : 1, const_cast<T*>(p.b),
           p.transpose_b ? 1 : p.ldb, p.transpose_b ? p.ldb : 1, &beta, p.c, p.ldc, 1, nullptr, &runtime);
}

}  // namespace

bool library_is_faster(const Product<float>& p) { return is_large(p); }

// BLIS has no AVX-512 kernels here, so that likely's own loops win at every size where there is AVX-512.
bool library_is_faster(const Product<double>& p) { return is_large(p) && !processor_has_avx512(); }

void multiply_by_library(const Product<float>& p) {
  if (processor_has_avx512()) {
    const SerialLibraries serial;
    dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b,
               p.ldb, p.beta, p.c, p.ldc);
    return;
  }
  blis(p, bli_sgemm_ex);
}

void multiply_by_library(const Product<double>& p) { blis(p, bli_dgemm_ex); }

}  // namespace likely::kernels
