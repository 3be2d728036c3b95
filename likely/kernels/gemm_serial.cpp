#include "likely/kernels/gemm_serial.hpp"

#include <blis.h>
#include <dnnl.h>

#include "likely/core/threads.hpp"

namespace likely::kernels {

namespace {

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

bool processor_has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

}  // namespace

void gemm_serial(const Product<float>& p) {
  // Debian's BLIS runs its AVX2 kernels on AVX-512 processors too; oneDNN is up to twice as fast there, but
  // not for a narrow C, of which it computes whole vectors.
  if (processor_has_avx512() && p.n > 16) {
    const SerialLibraries serial;
    dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b,
               p.ldb, p.beta, p.c, p.ldc);
    return;
  }
  blis(p, bli_sgemm_ex);
}

void gemm_serial(const Product<double>& p) { blis(p, bli_dgemm_ex); }

}  // namespace likely::kernels
