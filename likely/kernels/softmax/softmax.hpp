// Softmax and what is built on it, over the rows of a contiguous (rows, cols) matrix, cols >= 1.
// All are right for logits of any size and for logits of minus infinity, which have probability 0. A row that
// has no softmax (it holds NaN or plus infinity, or nothing but minus infinity) is reported: the functions
// that return an integer return the first such row, or -1. Outputs may be the same memory as inputs of their
// size. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// y_k = exp(x_k) / sum_j exp(x_j)
std::int64_t softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols);
std::int64_t softmax(const double* x, double* y, std::int64_t rows, std::int64_t cols);

// dx = y (g - sum_j g_j y_j), where y is the softmax and g the gradient with respect to it.
void softmax_backward(const float* y, const float* g, float* dx, std::int64_t rows, std::int64_t cols);
void softmax_backward(const double* y, const double* g, double* dx, std::int64_t rows, std::int64_t cols);

// y_k = x_k - log sum_j exp(x_j)
std::int64_t log_softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols);
std::int64_t log_softmax(const double* x, double* y, std::int64_t rows, std::int64_t cols);

// dx = g - exp(y) sum_j g_j, where y is the log-softmax and g the gradient with respect to it.
void log_softmax_backward(const float* y, const float* g, float* dx, std::int64_t rows, std::int64_t cols);
void log_softmax_backward(const double* y, const double* g, double* dx, std::int64_t rows, std::int64_t cols);

// out = log sum_j exp(x_j), one number a row. Always in double: a float near 1e4 has three digits left, too
// few to find a probability again.
std::int64_t log_sum_exp(const float* x, double* out, std::int64_t rows, std::int64_t cols);
std::int64_t log_sum_exp(const double* x, double* out, std::int64_t rows, std::int64_t cols);

// dx = scale exp(x - lse): the gradient of log_sum_exp. Row r has scale[r * scale_step]; scale_step is 0
// or 1.
void log_sum_exp_backward(const float* x, const double* lse, const float* scale, std::int64_t scale_step,
                          float* dx, std::int64_t rows, std::int64_t cols);
void log_sum_exp_backward(const double* x, const double* lse, const double* scale, std::int64_t scale_step,
                          double* dx, std::int64_t rows, std::int64_t cols);

// loss = lse - x_target with lse = log sum_j exp(x_j); targets lie in [0, cols). Keeps lse for the gradient.
std::int64_t cross_entropy(const float* x, const std::int64_t* targets, float* loss, double* lse,
                           std::int64_t rows, std::int64_t cols);
std::int64_t cross_entropy(const double* x, const std::int64_t* targets, double* loss, double* lse,
                           std::int64_t rows, std::int64_t cols);

// The same together with dx_k = scale (exp(x_k - lse) - [k = target]), one scale for all rows, in one pass
// over x. Only for rows short enough to be kept in a cache meanwhile.
bool cross_entropy_makes_both(std::int64_t cols);
std::int64_t cross_entropy_with_gradient(const float* x, const std::int64_t* targets, float scale,
                                         float* loss, double* lse, float* dx, std::int64_t rows,
                                         std::int64_t cols);
std::int64_t cross_entropy_with_gradient(const double* x, const std::int64_t* targets, double scale,
                                         double* loss, double* lse, double* dx, std::int64_t rows,
                                         std::int64_t cols);

// dx_k = scale (exp(x_k - lse) - [k = target]), row r with scale[r * scale_step]; scale_step is 0 or 1.
void cross_entropy_backward(const float* x, const std::int64_t* targets, const double* lse,
                            const float* scale, std::int64_t scale_step, float* dx, std::int64_t rows,
                            std::int64_t cols);
void cross_entropy_backward(const double* x, const std::int64_t* targets, const double* lse,
                            const double* scale, std::int64_t scale_step, double* dx, std::int64_t rows,
                            std::int64_t cols);

// loss = lse sum_k t_k - sum_k t_k x_k, where a weight t_k = 0 takes no part even if x_k is minus infinity.
std::int64_t cross_entropy_soft(const float* x, const float* t, float* loss, double* lse, std::int64_t rows,
                                std::int64_t cols);
std::int64_t cross_entropy_soft(const double* x, const double* t, double* loss, double* lse,
                                std::int64_t rows, std::int64_t cols);

// dx_k = scale (exp(x_k - lse) sum_j t_j - t_k)
void cross_entropy_soft_backward(const float* x, const float* t, const double* lse, const float* scale,
                                 std::int64_t scale_step, float* dx, std::int64_t rows, std::int64_t cols);
void cross_entropy_soft_backward(const double* x, const double* t, const double* lse, const double* scale,
                                 std::int64_t scale_step, double* dx, std::int64_t rows, std::int64_t cols);

// loss_i = max(x_i, 0) - x_i t_i + log(1 + exp(-|x_i|)): minus the log-probability of t_i when 1 has the
// probability sigmoid(x_i).
void binary_cross_entropy(const float* x, const float* t, float* loss, std::int64_t n);
void binary_cross_entropy(const double* x, const double* t, double* loss, std::int64_t n);

// dx_i = scale_i (sigmoid(x_i) - t_i), scale_i = scale[i * scale_step]; scale_step is 0 or 1.
void binary_cross_entropy_backward(const float* x, const float* t, const float* scale,
                                   std::int64_t scale_step, float* dx, std::int64_t n);
void binary_cross_entropy_backward(const double* x, const double* t, const double* scale,
                                   std::int64_t scale_step, double* dx, std::int64_t n);

}  // namespace likely::kernels
