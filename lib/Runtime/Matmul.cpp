//===- Matmul.cpp - Matrix products through BLAS --------------------------===//

#include "World.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace coconet::runtime {

namespace {

// Constants of the CBLAS interface.
constexpr int rowMajor = 101;
constexpr int noTranspose = 111;
constexpr int transpose = 112;

template <typename T>
using Gemm = void (*)(int order, int transposeA, int transposeB, int m, int n,
                      int k, T alpha, const T *a, int lda, const T *b, int ldb,
                      T beta, T *c, int ldc);

struct Blas {
  Gemm<float> multiplyF32;
  Gemm<double> multiplyF64;
};

/// The library in use. Set once and kept, as ranks may be inside it.
std::atomic<const Blas *> blas{nullptr};
std::mutex blasMutex;

constexpr const char *blasRemedy =
    "; install the package scipy-openblas32, or set COCONET_BLAS to the path "
    "of its libscipy_openblas.so";

/// Opens the library at `path`. Returns what is wrong, or "".
std::string loadBlas(const char *path) {
  std::lock_guard<std::mutex> lock(blasMutex);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return std::string("cannot open BLAS: ") + dlerror() + blasRemedy;
  const char *names[] = {"scipy_cblas_sgemm", "scipy_cblas_dgemm",
                         "scipy_openblas_set_num_threads"};
  void *symbols[3];
  for (int i = 0; i < 3; ++i) {
    symbols[i] = dlsym(library, names[i]);
    if (!symbols[i])
      return std::string(path) + " has no symbol " + names[i] + blasRemedy;
  }
  // Every rank has a thread of its own already.
  reinterpret_cast<void (*)(int)>(symbols[2])(1);
  blas.store(new Blas{reinterpret_cast<Gemm<float>>(symbols[0]),
                      reinterpret_cast<Gemm<double>>(symbols[1])});
  return "";
}

/// Fails the run, or keeps the message if there is none on this thread.
void reportMatmul(const std::string &message) {
  if (Rank *rank = currentRank())
    recordError(*rank->world, message);
  else
    recordThreadError(message);
}

struct Product {
  bool transposeA;
  bool transposeB;
  int64_t batch;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t strideA;
  int64_t rowA;
  int64_t strideB;
  int64_t rowB;
  bool accumulate;

  /// With one b for the whole batch and the rows of all a in sequence, the
  /// batch is one taller product.
  void foldBatch() {
    if (batch > 1 && strideB == 0 && strideA == m * rowA && !transposeA) {
      m *= batch;
      batch = 1;
    }
  }
};

template <typename T> Gemm<T> selectGemm(const Blas &library);
template <> Gemm<float> selectGemm(const Blas &library) {
  return library.multiplyF32;
}
template <> Gemm<double> selectGemm(const Blas &library) {
  return library.multiplyF64;
}

/// The library, loaded on first use; null and an error if there is none.
const Blas *findBlas(std::string &error) {
  const Blas *library = blas.load(std::memory_order_acquire);
  if (library)
    return library;
  const char *path = getenv("COCONET_BLAS");
  error = loadBlas(path && *path ? path : "libscipy_openblas.so");
  return blas.load(std::memory_order_acquire);
}

template <typename T>
bool multiplyWithBlas(Product product, const T *a, const T *b, T *c) {
  std::string error;
  const Blas *library = findBlas(error);
  if (!library) {
    reportMatmul("matmul of floats needs BLAS: " + error);
    return false;
  }
  product.foldBatch();
  auto [transposeA, transposeB, batch, m, n, k, strideA, rowA, strideB, rowB,
        accumulate] = product;
  if (std::max({m, n, k, rowA, rowB}) > INT_MAX) {
    reportMatmul("matmul of " + std::to_string(m) + " x " + std::to_string(k) +
                 " by " + std::to_string(k) + " x " + std::to_string(n) +
                 " exceeds the 32-bit sizes of BLAS; split it");
    return false;
  }
  int lda = static_cast<int>(std::max<int64_t>(rowA, 1));
  int ldb = static_cast<int>(std::max<int64_t>(rowB, 1));
  for (int64_t i = 0; i < batch; ++i)
    selectGemm<T> (*library)(rowMajor, transposeA ? transpose : noTranspose,
                             transposeB ? transpose : noTranspose, m, n, k,
                             T(1), a + i * strideA, lda, b + i * strideB, ldb,
                             T(accumulate), c + i * m * n, n);
  return true;
}

/// Unsigned, so that overflow wraps.
template <typename T>
void multiplyIntegers(const Product &product, const void *aBytes,
                      const void *bBytes, void *cBytes) {
  auto [transposeA, transposeB, batch, m, n, k, strideA, rowA, strideB, rowB,
        accumulate] = product;
  for (int64_t p = 0; p < batch; ++p) {
    const T *a = static_cast<const T *>(aBytes) + p * strideA;
    const T *b = static_cast<const T *>(bBytes) + p * strideB;
    T *c = static_cast<T *>(cBytes) + p * m * n;
    if (!accumulate)
      std::fill(c, c + m * n, T(0));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l) {
        T left = transposeA ? a[l * rowA + i] : a[i * rowA + l];
        T *row = c + i * n;
        if (transposeB)
          for (int64_t j = 0; j < n; ++j)
            row[j] += left * b[j * rowB + l];
        else
          for (int64_t j = 0; j < n; ++j)
            row[j] += left * b[l * rowB + j];
      }
  }
}

/// False if an error was reported.
bool multiply(const char *type, const Product &product, const void *a,
              const void *b, void *c) {
  if (product.batch <= 0 || product.m <= 0 || product.n <= 0)
    return true;
  if (!strcmp(type, "f32"))
    return multiplyWithBlas(product, static_cast<const float *>(a),
                            static_cast<const float *>(b),
                            static_cast<float *>(c));
  if (!strcmp(type, "f64"))
    return multiplyWithBlas(product, static_cast<const double *>(a),
                            static_cast<const double *>(b),
                            static_cast<double *>(c));
  if (!strcmp(type, "i8"))
    multiplyIntegers<uint8_t>(product, a, b, c);
  else if (!strcmp(type, "i32"))
    multiplyIntegers<uint32_t>(product, a, b, c);
  else if (!strcmp(type, "i64"))
    multiplyIntegers<uint64_t>(product, a, b, c);
  else {
    reportMatmul("matmul of element type '" + std::string(type) +
                 "' is not available; cast to f32, f64, i8, i32 or i64");
    return false;
  }
  return true;
}

} // namespace

} // namespace coconet::runtime

using namespace coconet::runtime;

int coconet_rt_set_blas(const char *path) {
  std::string error = loadBlas(path);
  if (error.empty())
    return 0;
  recordThreadError(error);
  return 1;
}

void coconet_rt_matmul(const char *dtype, int64_t transpose_a,
                       int64_t transpose_b, int64_t batch, int64_t m, int64_t n,
                       int64_t k, const void *a, int64_t a_batch_stride,
                       int64_t a_row_stride, const void *b,
                       int64_t b_batch_stride, int64_t b_row_stride, void *c,
                       int64_t accumulate) {
  Product product{transpose_a != 0,
                  transpose_b != 0,
                  batch,
                  m,
                  n,
                  k,
                  a_batch_stride,
                  a_row_stride,
                  b_batch_stride,
                  b_row_stride,
                  accumulate != 0};
  if (multiply(dtype, product, a, b, c))
    return;
  if (Rank *rank = currentRank())
    leaveCompiledCode(*rank);
}
