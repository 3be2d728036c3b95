#!/usr/bin/python3
"""Writes what PyTorch computes into tests/reference/data/, for the tests to compare with.

Needs Debian's python3-torch. Run it in the project's folder: tools/reference/torch_reference.py
Each case holds its inputs (rounded, so that both sides read the same numbers), the value of a function, and the
gradients of sum(value * cotangent), where the cotangent is 0.2 * ((7 i + 3) mod 11 - 5) at element i. Everything is
f64; whole numbers are indices and labels and get no gradient.
"""

import json
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from torch_optimizers import layer_runs, optimizer_runs, schedules  # noqa: E402
from torch_training import training_runs  # noqa: E402

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
OUT = pathlib.Path("tests/reference/data")


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    generator = torch.Generator().manual_seed(1000 + seed)
    return (low + (high - low) * torch.rand(*shape, generator=generator)).mul(1e4).round().div(1e4)


def whole(*shape, below, seed=0):
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(2000 + seed))


def cotangent(value):
    i = torch.arange(value.numel())
    return (0.2 * ((7 * i + 3) % 11 - 5)).reshape(value.shape).to(value.dtype)


def written(tensor):
    tensor = tensor.detach()
    kind = "i64" if not tensor.is_floating_point() else "f64"
    return {"dtype": kind, "shape": list(tensor.shape), "data": tensor.reshape(-1).tolist()}


def case(name, function, *inputs):
    leaves = [x.clone().requires_grad_(True) if x.is_floating_point() else x for x in inputs]
    value = function(*leaves)
    result = {"name": name, "inputs": [written(x) for x in inputs], "value": written(value)}
    if value.is_floating_point() and value.requires_grad:
        learned = [x for x in leaves if x.is_floating_point()]
        gradients = iter(torch.autograd.grad((value * cotangent(value)).sum(), learned, allow_unused=True))
        result["gradients"] = []
        for x in leaves:
            if not x.is_floating_point():
                result["gradients"].append(None)
                continue
            gradient = next(gradients)
            result["gradients"].append(written(torch.zeros_like(x) if gradient is None else gradient))
    return result


def arithmetic():
    x, y = numbers(3, 4), numbers(4, seed=1)
    positive = numbers(3, 4, low=0.1, high=4.0, seed=2)
    yield case("add", lambda a, b: a + b, x, y)
    yield case("subtract", lambda a, b: a - b, x, y)
    yield case("multiply", lambda a, b: a * b, x, y)
    yield case("divide", lambda a, b: a / b, x, positive)
    yield case("pow", torch.pow, positive, x)
    yield case("pow_number", lambda a: a**3, x)
    yield case("maximum", torch.maximum, x, y)
    yield case("minimum", torch.minimum, x, y)
    yield case("clip", lambda a: a.clamp(-0.7, 0.9), x)
    yield case("where", lambda a, b: torch.where(a > 0.1, a * 2, b), x, y)
    for name in ("abs", "sign", "square", "reciprocal"):
        yield case(name, getattr(torch, name), x)


def functions():
    x, positive = numbers(3, 4), numbers(3, 4, low=0.1, high=4.0, seed=2)
    for name in ("exp", "expm1", "sin", "cos", "tanh", "erf", "erfc"):
        yield case(name, getattr(torch, name), x)
    for name in ("sqrt", "rsqrt", "log", "log1p", "lgamma", "digamma"):
        yield case(name, getattr(torch, name), positive)


def activations():
    x, wide = numbers(3, 4), numbers(3, 4, low=-8.0, high=8.0, seed=3)
    yield case("logit", torch.logit, numbers(3, 4, low=0.05, high=0.95, seed=4))
    yield case("relu", F.relu, x)
    yield case("leaky_relu", lambda a: F.leaky_relu(a, 0.2), x)
    yield case("elu", lambda a: F.elu(a, 1.3), x)
    yield case("gelu", F.gelu, wide)
    yield case("gelu_tanh", lambda a: F.gelu(a, approximate="tanh"), wide)
    yield case("silu", F.silu, wide)
    yield case("hardswish", F.hardswish, wide)
    yield case("softplus", F.softplus, wide)
    yield case("sigmoid", torch.sigmoid, wide)
    yield case("logsigmoid", F.logsigmoid, wide)


def reductions():
    x = numbers(3, 4, 5)
    yield case("sum_axes", lambda a: a.sum((0, 2)), x)
    yield case("mean_keep", lambda a: a.mean(1, keepdim=True), x)
    yield case("var", lambda a: a.var(2, unbiased=False), x)
    yield case("var_unbiased", lambda a: a.var((0, 1), unbiased=True), x)
    yield case("std_unbiased", lambda a: a.std(1, unbiased=True), x)
    yield case("prod", lambda a: a.prod(1), x)
    yield case("max_axes", lambda a: a.amax((0, 2)), x)
    yield case("min_axis", lambda a: a.amin(1), x)
    yield case("argmax", lambda a: a.argmax(2), x)
    yield case("argmin", lambda a: a.argmin(0), x)
    yield case("norm_2", lambda a: torch.linalg.vector_norm(a, 2, (1, 2)), x)
    yield case("norm_1", lambda a: torch.linalg.vector_norm(a, 1, 1), x)
    yield case("norm_3", lambda a: torch.linalg.vector_norm(a, 3, 2), x)
    yield case("norm_inf", lambda a: torch.linalg.vector_norm(a, float("inf"), 2), x)
    yield case("logsumexp", lambda a: a.logsumexp((1, 2)), x * 10)


def scans():
    x = numbers(3, 4, 5)
    yield case("cumsum", lambda a: a.cumsum(1), x)
    yield case("cumprod", lambda a: a.cumprod(2), x)
    yield case("logcumsumexp", lambda a: a.logcumsumexp(1), x * 5)
    yield case("sort", lambda a: a.sort(1)[0], x)
    yield case("argsort", lambda a: a.argsort(2), x)
    yield case("topk", lambda a: a.topk(2, 1)[0], x)


def shapes():
    x, y = numbers(3, 4), numbers(2, 4, seed=1)
    yield case("concat", lambda a, b: torch.cat((a, b), 0), x, y)
    yield case("stack", lambda a, b: torch.stack((a, b), 1), x, numbers(3, 4, seed=2))
    yield case("repeat", lambda a: a.repeat_interleave(2, 1), x)
    yield case("tile", lambda a: a.tile(2, 3), x)
    yield case("pad", lambda a: F.pad(a, (1, 2, 0, 1), value=0.5), x)
    yield case("flip", lambda a: a.flip(1), x)
    yield case("roll", lambda a: a.roll(2, 1), x)
    yield case("gather", lambda a, i: a.gather(1, i), x, whole(3, 5, below=4))
    yield case("scatter_add", lambda a, i, s: a.scatter_add(1, i, s), x, whole(3, 5, below=4), numbers(3, 5, seed=3))
    yield case("index_select", lambda a, i: a.index_select(0, i), x, whole(5, below=3))
    yield case("masked_fill", lambda a: a.masked_fill(a > 0.2, -3.0), x)
    yield case("embedding", lambda w, i: F.embedding(i, w), x, whole(2, 3, below=3, seed=1))
    yield case("diagonal", lambda a: a.diagonal(1), x)


def products():
    yield case("matmul", torch.matmul, numbers(3, 4), numbers(4, 5, seed=1))
    yield case("matmul_batched", torch.matmul, numbers(2, 1, 3, 4), numbers(3, 4, 2, seed=1))
    yield case("matmul_vector", torch.matmul, numbers(2, 3, 4), numbers(4, seed=1))
    yield case("matmul_transposed", lambda a, b: a.t() @ b.t(), numbers(4, 3), numbers(5, 4, seed=1))
    yield case("outer", torch.outer, numbers(3), numbers(4, seed=1))
    yield case("dot", torch.dot, numbers(5), numbers(5, seed=1))
    yield case("einsum", lambda a, b: torch.einsum("bij,bkj->bik", a, b), numbers(2, 3, 4), numbers(2, 5, 4, seed=1))
    yield case("linear_relu", lambda x, w, b: F.relu(F.linear(x, w, b)), numbers(3, 4), numbers(5, 4, seed=1),
               numbers(5, seed=2))


def factorizations():
    square = numbers(4, 4) + 3 * torch.eye(4)
    root = numbers(2, 3, 3, seed=1)
    definite = root @ root.transpose(1, 2) + 2 * torch.eye(3)
    b = numbers(4, 2, seed=2)
    yield case("cholesky", lambda a: torch.linalg.cholesky((a + a.transpose(1, 2)) / 2), definite)
    yield case("triangular_solve", lambda a, c: torch.linalg.solve_triangular(a.tril(), c, upper=False), square, b)
    yield case("solve", torch.linalg.solve, square, b)
    yield case("inverse", torch.linalg.inv, square)
    yield case("det", torch.linalg.det, square)
    yield case("logdet", torch.logdet, definite)
    yield case("slogdet", lambda a: torch.linalg.slogdet(a)[1], -square)


def rms_norm(x, w, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * w


def attention(q, k, v, mask=None, causal=False):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if causal:
        n, m = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1), -float("inf"))
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


def softmaxes():
    logits, labels = numbers(4, 5, low=-6, high=6), whole(4, below=5)
    soft = torch.softmax(numbers(4, 5, seed=5), 1).mul(1e4).round().div(1e4)
    yield case("softmax", lambda x: x.softmax(1), logits)
    yield case("softmax_first_axis", lambda x: x.softmax(0), logits)
    yield case("log_softmax", lambda x: x.log_softmax(1), logits)
    yield case("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="none"), logits, labels)
    yield case("cross_entropy_soft", lambda x, t: -(t * x.log_softmax(1)).sum(1), logits, soft)
    yield case("binary_cross_entropy", lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none"), logits,
               numbers(4, 5, low=0, high=1, seed=6))


def norms():
    image, scale, shift = numbers(3, 4, 2, 3), numbers(4, seed=1), numbers(4, seed=2)
    yield case("batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True, eps=1e-5), image, scale,
               shift)
    yield case("batch_norm_running", lambda x, m, v, w, b: F.batch_norm(x, m.detach(), v.detach(), w, b, eps=1e-5),
               image, numbers(4, seed=3), numbers(4, low=0.5, high=2, seed=4), scale, shift)
    rows, row_scale, row_shift = numbers(3, 2, 6), numbers(6, seed=1), numbers(6, seed=2)
    yield case("layer_norm", lambda x, w, b: F.layer_norm(x, (6,), w, b, 1e-5), rows, row_scale, row_shift)
    yield case("group_norm", lambda x, w, b: F.group_norm(x, 2, w, b, 1e-5), image, scale, shift)
    yield case("rms_norm", lambda x, w: rms_norm(x, w, 1e-6), rows, row_scale)


def attentions():
    q, k, v = numbers(2, 2, 5, 4), numbers(2, 2, 6, 4, seed=1), numbers(2, 2, 6, 3, seed=2)
    yield case("attention", attention, q, k, v)
    yield case("attention_mask", lambda a, b, c, m: attention(a, b, c, m), q, k, v, numbers(5, 6, seed=3))
    yield case("attention_causal", lambda a, b, c: attention(a, b, c, causal=True), q, k[:, :, :5], v[:, :, :5])


def sparse():
    pattern = torch.tensor([[0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0]])
    values = numbers(int(pattern.sum()), seed=7)

    def sparse_product(w, x):
        return torch.zeros(4, 3).index_put(tuple(pattern.nonzero().t()), w) @ x

    yield case("sparse_matmul", sparse_product, values, numbers(3, 2, seed=8))


def convolutions():
    x, w, b = numbers(1, 4, 7, 6), numbers(6, 4, 3, 2, seed=1), numbers(6, seed=2)
    grouped = numbers(6, 2, 3, 2, seed=3)
    line, line_w = numbers(1, 4, 9), numbers(6, 4, 3, seed=1)
    up = numbers(4, 3, 3, 2, seed=4)
    yield case("conv2d", lambda a, c, d: F.conv2d(a, c, d), x, w, b)
    yield case("conv2d_strided", lambda a, c, d: F.conv2d(a, c, d, stride=(2, 1), padding=(1, 2)), x, w, b)
    yield case("conv2d_dilated", lambda a, c, d: F.conv2d(a, c, d, padding=2, dilation=(2, 3)), x, w, b)
    yield case("conv2d_groups", lambda a, c, d: F.conv2d(a, c, d, groups=2), x, grouped, b)
    yield case("conv2d_same", lambda a, c, d: F.conv2d(a, c, d, padding="same"), x, w, b)
    yield case("conv1d", lambda a, c, d: F.conv1d(a, c, d, stride=2, padding=1), line, line_w, b)
    yield case("conv_transpose2d", lambda a, c, d: F.conv_transpose2d(a, c, d, stride=(2, 3), padding=1,
                                                                        output_padding=(1, 2)), x[:, :, :3, :3], up, b[:3])
    yield case("conv_transpose2d_groups", lambda a, c: F.conv_transpose2d(a, c, groups=2, dilation=2), x[:, :, :3, :3],
               up)
    yield case("conv_transpose1d", lambda a, c: F.conv_transpose1d(a, c, stride=3), line[:, :, :4], numbers(4, 2, 3))


def pooling():
    x, line = numbers(1, 4, 7, 6), numbers(1, 4, 9)
    yield case("max_pool2d", lambda a: F.max_pool2d(a, 2), x)
    yield case("max_pool2d_padded", lambda a: F.max_pool2d(a, 3, stride=(1, 2), padding=1), x)
    yield case("max_pool2d_indices", lambda a: F.max_pool2d(a, (3, 2), stride=2, return_indices=True)[1], x)
    yield case("max_pool1d", lambda a: F.max_pool1d(a, 3, stride=2, padding=1), line)
    yield case("avg_pool2d", lambda a: F.avg_pool2d(a, (2, 3), stride=1, padding=1), x)
    yield case("avg_pool2d_uncounted", lambda a: F.avg_pool2d(a, 2, padding=1, count_include_pad=False), x)
    yield case("avg_pool1d", lambda a: F.avg_pool1d(a, 3, stride=2), line)
    yield case("adaptive_avg_pool2d", lambda a: F.adaptive_avg_pool2d(a, (3, 4)), x)
    yield case("adaptive_max_pool2d", lambda a: F.adaptive_max_pool2d(a, (3, 4)), x)
    indices = F.max_pool2d(x[:, :2], 2, return_indices=True)[1]
    yield case("max_unpool2d", lambda a, i: F.max_unpool2d(a, i, 2, output_size=(7, 6)), numbers(1, 2, 3, 3), indices)


def upsampling():
    small = numbers(1, 2, 3, 4)
    yield case("upsample_nearest", lambda a: F.interpolate(a, scale_factor=2), small)
    yield case("upsample_nearest_size", lambda a: F.interpolate(a, size=(5, 7)), small)
    yield case("upsample_bilinear", lambda a: F.interpolate(a, scale_factor=2, mode="bilinear", align_corners=False), small)
    yield case("upsample_bilinear_size", lambda a: F.interpolate(a, size=(4, 9), mode="bilinear", align_corners=False),
               small)
    yield case("upsample_bilinear_scale",
               lambda a: F.interpolate(a, scale_factor=(1.5, 2.3), mode="bilinear", align_corners=False), small)


def regularizers():
    logits, labels = numbers(4, 5), whole(4, below=5)
    yield case("label_smoothing", lambda a, y: F.cross_entropy(a, y, label_smoothing=0.1), logits, labels)


def write(name, cases):
    OUT.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (OUT / f"{name}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    for family in (arithmetic, functions, activations, reductions, scans, shapes, products, factorizations, softmaxes,
                   norms, attentions, sparse, convolutions, pooling, upsampling, schedules, regularizers):
        write(family.__name__, family())
    write("training", training_runs())
    write("optimizers", optimizer_runs())
    write("layers", layer_runs())
