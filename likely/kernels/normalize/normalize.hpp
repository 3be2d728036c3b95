// Normalization to mean 0 and variance 1 over rows, channels or groups, forward and backward.
// Variances are those of the data (divided by n), found from differences, so that a large mean does no harm.
// Weights and biases may be null, which means 1 and 0; gradients of them that are not wanted may be null,
// too. The same bits come out for any number of threads. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// Over the rows of (rows, cols): y = (x - mean) rstd weight + bias, rstd = 1 / sqrt(variance + epsilon).
// Keeps mean and rstd, one number a row.
void layer_norm(const float* x, const float* weight, const float* bias, double epsilon, float* y, float* mean,
                float* rstd, std::int64_t rows, std::int64_t cols);
void layer_norm(const double* x, const double* weight, const double* bias, double epsilon, double* y,
                double* mean, double* rstd, std::int64_t rows, std::int64_t cols);

// With h = (x - mean) rstd and u = g weight: dx = rstd (u - average(u) - h average(u h)),
// dweight = sum over rows of g h, dbias = sum over rows of g.
void layer_norm_backward(const float* x, const float* g, const float* weight, const float* mean,
                         const float* rstd, float* dx, float* dweight, float* dbias, std::int64_t rows,
                         std::int64_t cols);
void layer_norm_backward(const double* x, const double* g, const double* weight, const double* mean,
                         const double* rstd, double* dx, double* dweight, double* dbias, std::int64_t rows,
                         std::int64_t cols);

// Over the rows of (rows, cols): y = x rstd weight, rstd = 1 / sqrt(average(x^2) + epsilon).
void rms_norm(const float* x, const float* weight, double epsilon, float* y, float* rstd, std::int64_t rows,
              std::int64_t cols);
void rms_norm(const double* x, const double* weight, double epsilon, double* y, double* rstd,
              std::int64_t rows, std::int64_t cols);

// With h = x rstd and u = g weight: dx = rstd (u - h average(u h)), dweight = sum over rows of g h.
void rms_norm_backward(const float* x, const float* g, const float* weight, const float* rstd, float* dx,
                       float* dweight, std::int64_t rows, std::int64_t cols);
void rms_norm_backward(const double* x, const double* g, const double* weight, const double* rstd, double* dx,
                       double* dweight, std::int64_t rows, std::int64_t cols);

// A batch of images: (batch, channels, spatial), spatial = height * width, or 1 for plain features.
struct ImageShape {
  std::int64_t batch = 0, channels = 0, spatial = 0;
};

// Mean and variance of each channel over batch and space.
void channel_statistics(const float* x, ImageShape shape, float* mean, float* variance);
void channel_statistics(const double* x, ImageShape shape, double* mean, double* variance);

// y = (x - mean) rstd weight + bias with one mean, rstd, weight and bias a channel; then + residual if it is
// not null; then max(y, 0) if relu. Serves training (with the batch's statistics) and inference (with kept
// ones).
void channel_transform(const float* x, ImageShape shape, const float* mean, const float* rstd,
                       const float* weight, const float* bias, const float* residual, bool relu, float* y);
void channel_transform(const double* x, ImageShape shape, const double* mean, const double* rstd,
                       const double* weight, const double* bias, const double* residual, bool relu,
                       double* y);

// channel_statistics and channel_transform in one sweep, a channel at a time while it is in the caches.
// Keeps mean, variance and rstd = 1 / sqrt(variance + epsilon), one number a channel.
void batch_norm(const float* x, ImageShape shape, const float* weight, const float* bias,
                const float* residual, bool relu, double epsilon, float* y, float* mean, float* variance,
                float* rstd);
void batch_norm(const double* x, ImageShape shape, const double* weight, const double* bias,
                const double* residual, bool relu, double epsilon, double* y, double* mean, double* variance,
                double* rstd);

// With h = (x - mean) rstd: dx = weight rstd (g - average(g) - h average(g h)), dweight = sum g h,
// dbias = sum g, averages and sums over a channel. If relu_output (the y of a fused relu) is not null, g
// counts only where it is positive. If dresidual is not null it receives that g.
void batch_norm_backward(const float* x, const float* g, const float* relu_output, ImageShape shape,
                         const float* mean, const float* rstd, const float* weight, float* dx, float* dweight,
                         float* dbias, float* dresidual);
void batch_norm_backward(const double* x, const double* g, const double* relu_output, ImageShape shape,
                         const double* mean, const double* rstd, const double* weight, double* dx,
                         double* dweight, double* dbias, double* dresidual);

// Each image's channels in `groups` groups, which divides channels: mean and rstd (batch * groups numbers)
// over a group's channels and space, weight and bias a channel.
void group_norm(const float* x, ImageShape shape, std::int64_t groups, const float* weight, const float* bias,
                double epsilon, float* y, float* mean, float* rstd);
void group_norm(const double* x, ImageShape shape, std::int64_t groups, const double* weight,
                const double* bias, double epsilon, double* y, double* mean, double* rstd);

void group_norm_backward(const float* x, const float* g, ImageShape shape, std::int64_t groups,
                         const float* mean, const float* rstd, const float* weight, float* dx, float* dweight,
                         float* dbias);
void group_norm_backward(const double* x, const double* g, ImageShape shape, std::int64_t groups,
                         const double* mean, const double* rstd, const double* weight, double* dx,
                         double* dweight, double* dbias);

}  // namespace likely::kernels
