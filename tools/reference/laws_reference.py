#!/usr/bin/python3
"""Writes tests/reference/data/laws.txt: what the distributions say at ordinary and at extreme numbers, with mpmath.

A line `Gamma log_prob` opens a section; the lines below it are
    input ... value sensitivity32 sensitivity64
with the inputs (the parameters, then x where there is one) as exact doubles, and as exact floats wherever they are
within the range of f32. A sensitivity is how far the value moves, in units of the rounding step e = 2^-24 or 2^-53,
when each input in turn is multiplied by 1 +- e: an answer cannot be expected to be nearer than that. `slope i` is the
derivative of log_prob by input i; `kl_Normal` is the divergence from a law of another family.

Run from the project's folder; needs python3-mpmath (and takes minutes without python3-gmpy2).
"""
import math
import struct
import sys

from mpmath import mp, mpf, inf, nan

E32, E64 = mpf(2) ** -24, mpf(2) ** -53
F32_LEAST, F32_MOST = 2.0**-126, (2 - 2.0**-23) * 2.0**127


def exact(x):
    """x as a float where that is in range, else as a double."""
    x = float(x)
    if x == 0 or math.isinf(x) or F32_LEAST <= abs(x) <= F32_MOST:
        return struct.unpack("f", struct.pack("f", x))[0]
    return x


# --- Special functions where mpmath has none for such arguments -----------------------------------------------------

DIGITS = 32  # of distribution functions; logarithms of densities take as many as their size needs


def legendre_rule(n):
    """Nodes and weights of Gauss and Legendre on [0, 1]."""
    rule = []
    for i in range(n):
        x = mpf(math.cos(math.pi * (i + 0.75) / (n + 0.5)))
        for _ in range(8):
            p, q = mpf(1), mpf(0)
            for k in range(n):
                p, q = ((2 * k + 1) * x * p - k * q) / (k + 1), p
            slope = n * (x * p - q) / (x * x - 1)
            x -= p / slope
        rule.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return rule


with mp.workdps(DIGITS + 10):
    RULE = legendre_rule(30)


def tail(log_ratio, first, second, end=None):
    """The integral over s > 0 of e^log_ratio(s), which falls about as e^(-first s - second s^2 / 2)."""
    reach = 150 / (first + mp.sqrt(first * first + 150 * second))
    if end is not None:
        reach = min(reach, end)
    width = reach / 5
    return sum(w * mp.exp(log_ratio(width * (panel + t))) for panel in range(5) for t, w in RULE) * width


def bend(s):
    """e^s - 1 - s"""
    if abs(s) > mpf(1) / 4:
        return mp.expm1(s) - s
    total = term = s * s / 2
    n = 2
    while abs(term) > abs(total) * mp.eps:
        n += 1
        term *= s / n
        total += term
    return total


def log_bend(w):
    """w - log(1 + w)"""
    if abs(w) > mpf(1) / 4:
        return w - mp.log1p(w)
    total, power, n = w * w / 2, w * w, 2
    while True:
        power *= -w
        n += 1
        total += power / n
        if abs(power) <= abs(total) * mp.eps:
            return total


def gamma_series(a, x):
    """P(a, x) / (x^a e^-x / Gamma(a + 1))"""
    total = term = mpf(1)
    n = a
    while True:
        n += 1
        term *= x / n
        total += term
        if n > x and term < total * mp.eps / 100:
            return total


def log_gamma_weight(a, x):
    """log(x^a e^-x / Gamma(a))"""
    return a * mp.log(x) - x - mp.loggamma(a)


def wide(*values):
    """As many digits as sums of numbers so large or small need."""
    return mp.workdps(DIGITS + 20 + int(sum(abs(mp.log10(v)) for v in values if v > 0)))


def gamma_pq(a, x):
    """P(a, x) and Q(a, x)"""
    a, x = mpf(a), mpf(x)
    if x <= 0:
        return mpf(0), mpf(1)
    with wide(a, x):
        weight = log_gamma_weight(a, x)
        difference = a - x
    if weight < -3000:
        return (mpf(0), mpf(1)) if x < a else (mpf(1), mpf(0))
    with mp.workdps(DIGITS):
        if a > 3000 and abs(difference) < a / 5:
            if difference >= 0:
                p = mp.exp(weight) * tail(lambda s: -difference * s - x * bend(-s), difference, x)
                return p, 1 - p
            q = mp.exp(weight) * tail(lambda s: difference * s - x * bend(s), -difference, x)
            return 1 - q, q
        if x >= 3000 and x > a:  # Legendre's continued fraction
            f = mpf(0)
            for i in range(1500, 0, -1):
                f = -i * (i - a) / (x + 1 - a + 2 * i + f)
            q = mp.exp(weight) / (x + 1 - a + f)
            return 1 - q, q
    lost = int(max(0, -weight / mp.log(10))) if x > a else 0
    if a < mpf(10) ** -5:
        lost += int(-mp.log10(a)) + 5
    with mp.workdps(DIGITS + lost):
        p = mp.exp(log_gamma_weight(a, x) - mp.log(a)) * gamma_series(a, x)
        q = 1 - p
    return p, q


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def beta_series(a, b, x, weight):
    """I_x(a, b), whose terms are all positive, given x^a y^b / B(a, b)"""
    total = term = mpf(1)
    n = mpf(0)
    while True:
        term *= (a + b + n) / (a + 1 + n) * x
        n += 1
        total += term
        if term < total * mp.eps / 100 and (a + b + n) * x < a + 1 + n:
            return mp.exp(weight) / a * total


def beta_cdf(a, b, x, y=None):
    a, b, x = mpf(a), mpf(b), mpf(x)
    if x <= 0:
        return mpf(0)
    if x >= 1 and y is None:
        return mpf(1)
    with wide(a, b, x):
        y = 1 - x if y is None else y
        weight = a * mp.log(x) + b * mp.log(y) - log_beta(a, b)
        first = a * y - b * x
    if weight < -3000:
        return mpf(0) if first > 0 else mpf(1)
    if min(a, b) > 3000:
        with mp.workdps(DIGITS):
            n = a + b
            side = 1 if first >= 0 else -1

            def drop(s):
                # abs(first) s + n (x (side s) + log(1 + x (e^(-side s) - 1)))
                return abs(first) * s + n * (x * bend(-side * s) - log_bend(x * mp.expm1(-side * s)))

            p = mp.exp(weight) * tail(lambda s: -drop(s), abs(first), n * x * y)
            return p if side > 0 else 1 - p
    # The series that is shorter, with as many digits more as its complement loses.
    terms = 80 / y + max(0, -first / y)
    others = 80 / x + max(0, first / x)
    lost = int(max(0, -weight / mp.log(10))) + max(0, int(-mp.log10(min(a, b, 1)))) + 5
    if terms <= others:
        with mp.workdps(DIGITS):
            return beta_series(a, b, x, weight)
    with mp.workdps(DIGITS + 20 + lost + int(mp.log10(max(a, b, 1)))):
        weight = a * mp.log(x) + b * mp.log(y) - log_beta(a, b)
        return 1 - beta_series(b, a, y, weight)


def student_cdf(z, degrees):
    z, v = mpf(z), mpf(degrees)
    if z > 0:
        return 1 - student_cdf(-z, v)
    square = z * z
    if v > 1000 and square < v / 10:
        with wide(v, v):
            log_density = -(v + 1) / 2 * mp.log1p(square / v) - log_beta(v / 2, mpf(1) / 2) - mp.log(v) / 2
        with mp.workdps(DIGITS):
            fall = lambda s: -(v + 1) / 2 * mp.log1p((2 * -z + s) * s / (v + square))
            return mp.exp(log_density) * tail(fall, -z * v / (v + square), mpf(1) / 2)
    with wide(*[mpf(10) ** 400, v]):
        square = z * z
        x, y = v / (v + square), square / (v + square)
    return beta_cdf(v / 2, mpf(1) / 2, x, y) / 2


def von_mises_cdf(t, kappa):
    t, k = mpf(t), mpf(kappa)
    if t > 0:
        return 1 - von_mises_cdf(-t, k)
    with mp.workdps(DIGITS):
        log_density = -2 * k * mp.sin(t / 2) ** 2 - log_bessel_scaled(k) - mp.log(2 * mp.pi)
        fall = lambda s: -2 * k * mp.sin(s / 2) * mp.sin(s / 2 - t)
        first, second = k * mp.sin(-t), k * mp.mpf("0.4")
        return mp.exp(log_density) * tail(fall, max(first, 0) / 3, second + mpf(10) ** -9, mp.pi + t)


def log_bessel_scaled(k):
    """log(e^-k I0(k))"""
    if k > 500:
        total = term = mpf(1)
        for n in range(1, 200):
            term *= mpf((2 * n - 1) ** 2) / (n * 8 * k)
            total += term
            if term < mp.eps:
                break
        return mp.log(total) - mp.log(2 * mp.pi * k) / 2
    return mp.log(mp.besseli(0, k)) - k


def bessel_ratio(k):
    if k > 500:
        zero = one = s0 = s1 = mpf(1)
        for n in range(1, 200):
            zero *= mpf((2 * n - 1) ** 2) / (n * 8 * k)
            one *= mpf((2 * n - 1) ** 2 - 4) / (n * 8 * k)
            s0, s1 = s0 + zero, s1 + one
            if zero < mp.eps:
                break
        return s1 / s0
    return mp.besseli(1, k) / mp.besseli(0, k)


def normal_cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def poisson_log(k, rate):
    return k * mp.log(rate) - rate - mp.loggamma(k + 1)


def poisson_entropy(rate):
    if rate > 3000:
        r = 1 / rate
        tail_terms = r / 12 + r**2 / 24 + 19 * r**3 / 360 + 9 * r**4 / 80 + 863 * r**5 / 2520
        return mp.log(2 * mp.pi * mp.e * rate) / 2 - tail_terms
    total = mpf(0)
    spread = 20 * mp.sqrt(rate) + 60
    for k in range(max(0, int(rate - spread)), int(rate + spread)):
        l = poisson_log(mpf(k), rate)
        total -= mp.exp(l) * l
    return total


# --- The laws: functions of their parameters and x ------------------------------------------------------------------

LOG_TWO_PI = lambda: mp.log(2 * mp.pi)
log, exp, digamma, loggamma = mp.log, mp.exp, lambda x: mp.psi(0, x), mp.loggamma


def softplus(x):
    return mp.log1p(exp(x)) if x < 0 else x + mp.log1p(exp(-x))


def gamma_entropy(a):
    return a + loggamma(a) + (1 - a) * digamma(a)


def student_log(v, m, s, x):
    z = (x - m) / s
    return -(v + 1) / 2 * mp.log1p(z * z / v) - log_beta(v / 2, mpf(1) / 2) - log(v) / 2 - log(s)


def student_entropy(v, m, s):
    half, upper = v / 2, (v + 1) / 2
    return upper * (digamma(upper) - digamma(half)) + log(v) / 2 + log_beta(half, mpf(1) / 2) + log(s)


def beta_entropy(a, b):
    n = a + b
    return log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (n - 2) * digamma(n)


def gamma_kl(a, r, b, s):
    return (a - b) * digamma(a) - loggamma(a) + loggamma(b) + b * log(r / s) + a * (s / r - 1)


def gumbel_kl(m, s, n, t):
    return (log(t) - log(s) + mp.euler * (s / t - 1) - 1 + (m - n) / t
            + exp((n - m) / t + loggamma(1 + s / t)))


def dirichlet_kl(*v):
    half = len(v) // 2
    a, b = v[:half], v[half:]
    return (loggamma(sum(a)) - loggamma(sum(b)) + sum(loggamma(d) - loggamma(c) for c, d in zip(a, b))
            + sum((c - d) * (digamma(c) - digamma(sum(a))) for c, d in zip(a, b)))


def beta_kl(a, b, c, d):
    total = a + b
    return (log_beta(c, d) - log_beta(a, b) + (a - c) * digamma(a) + (b - d) * digamma(b)
            - (a - c + b - d) * digamma(total))


def von_mises_kl(m, k, n, j):
    a = bessel_ratio(k)
    return k * a - j * a * mp.cos(m - n) + log_bessel_scaled(j) + j - log_bessel_scaled(k) - k


def dirichlet_log(*v):
    half = len(v) // 2
    a, x = v[:half], v[half:]
    return loggamma(sum(a)) - sum(loggamma(c) for c in a) + sum((c - 1) * log(t) for c, t in zip(a, x))


def log_sum(*l):
    most = max(l)
    return most + log(sum(exp(v - most) for v in l))


def categorical_log(*v):
    l, x = v[:-1], int(mp.nint(v[-1]))
    return l[x] - log_sum(*l)


def weights(*l):
    total = log_sum(*l)
    return [exp(v - total) for v in l]


def categorical_kl(*v):
    p, q = v[:3], v[3:]
    return sum(w * ((a - log_sum(*p)) - (b - log_sum(*q))) for w, a, b in zip(weights(*p), p, q))


def categorical_variance(*l):
    w = weights(*l)
    mean = w[1] + 2 * w[2]
    return sum(p * (i - mean) ** 2 for i, p in enumerate(w))


def normal_log(m, s, x):
    return -((x - m) / s) ** 2 / 2 - log(s) - LOG_TWO_PI() / 2


def normal_kl(m, s, n, t):
    return ((s / t) ** 2 + ((m - n) / t) ** 2 - 1) / 2 - log(s / t)


def plane_log(m, n, a, b, c, x, y):
    """The normal law of two numbers whose covariance is L L^T, L = (a 0; b c)."""
    z = (x - m) / a
    return normal_log(0, a, x - m) + normal_log(b * z, c, y - n)


def plane_kl(m, n, a, b, c, k, l, d, e, f):
    # L of q, inverted, times L of p and the difference of the means
    first, second, third = a / d, (b - e * a / d) / f, c / f
    u = (m - k) / d
    w = (n - l - e * u) / f
    return (first**2 + second**2 + third**2 + u * u + w * w - 2) / 2 + log(d * f) - log(a * c)


def mixture_log(k, l, m, n, s, t, x):
    both = log_sum(k, l)
    return log_sum(k - both + normal_log(m, s, x), l - both + normal_log(n, t, x))


def mixture_cdf(k, l, m, n, s, t, x):
    v, w = weights(k, l)
    return v * normal_cdf((x - m) / s) + w * normal_cdf((x - n) / t)


def mixture_variance(k, l, m, n, s, t):
    v, w = weights(k, l)
    return v * s * s + w * t * t + v * w * (m - n) ** 2


def truncated_gumbel_excess(m, t, s, x):
    """e^-z - e^-b"""
    return exp(-(x - m) / s) * -mp.expm1(-(t - x) / s) if x < t else mpf(0)


def truncated_gumbel_log_prob(m, t, s, x):
    return -(x - m) / s - log(s) - truncated_gumbel_excess(m, t, s, x) if x <= t else -inf


MOMENTS = {}


def truncated_gumbel_moments(b):
    """E z and Var z, with e^-z = c + E for c = e^-b and E standard exponential."""
    if b not in MOMENTS:
        with mp.workdps(40):
            b = mp.mpf(b)
            c = exp(-b)
            law = lambda n: exp(-n - exp(-n))
            beyond = (lambda n: mp.log1p(exp(-n) / c)) if b < 0 else (lambda n: log(c + exp(-n)) + b if not mp.isinf(b) else -n)
            places = [-6, -4, -2, 0, 1, 2, 4, 6, 10, 20, 40, 70, 110]
            places = sorted(set(places + [p for p in (b - 3, b, b + 3) if -6 < p < 110]))
            mean = mp.quad(lambda n: law(n) * beyond(n), places)
            variance = mp.quad(lambda n: law(n) * (beyond(n) - mean) ** 2, places)
            if -5 < b < 100:  # the closed form, e^c E1(c)
                assert abs(mean - exp(c) * mp.e1(c)) < mpf(10) ** -28 * max(1, mean), (b, mean)
            if mp.isinf(b):
                assert abs(mean + mp.euler) < mpf(10) ** -28 and abs(variance - mp.pi ** 2 / 6) < mpf(10) ** -28
            MOMENTS[b] = (-mean if mp.isinf(b) else b - mean, variance)
    return MOMENTS[b]


def relaxed_log_prob(t, logits, logs):
    """The density of Maddison et al. (2017) for the logarithm of a relaxed one-hot vector."""
    k = len(logits)
    weights = [exp(a - t * y) for a, y in zip(logits, logs)]
    return mp.loggamma(k) + (k - 1) * log(t) + sum(log(w) for w in weights) - k * log(sum(weights))


FUNCTIONS = {
    "Normal log_prob": lambda m, s, x: -((x - m) / s) ** 2 / 2 - log(s) - LOG_TWO_PI() / 2,
    "Normal cdf": lambda m, s, x: normal_cdf((x - m) / s),
    "Normal quantile": lambda m, s, p: m - s * mp.sqrt(2) * mp.erfinv(1 - 2 * p),
    "Normal mean": lambda m, s: m,
    "Normal variance": lambda m, s: s * s,
    "Normal entropy": lambda m, s: log(s) + (LOG_TWO_PI() + 1) / 2,
    "Normal kl": lambda m, s, n, t: ((s / t) ** 2 + ((m - n) / t) ** 2 - 1) / 2 - log(s / t),
    "Laplace log_prob": lambda m, s, x: -abs(x - m) / s - log(2 * s),
    "Laplace cdf": lambda m, s, x: exp((x - m) / s) / 2 if x < m else 1 - exp((m - x) / s) / 2,
    "Laplace kl": lambda m, s, n, t: s / t * exp(-abs(m - n) / s) + abs(m - n) / t - 1 - log(s / t),
    "Laplace mean": lambda m, s: m,
    "Laplace variance": lambda m, s: 2 * s * s,
    "Laplace entropy": lambda m, s: 1 + log(2 * s),
    "Cauchy log_prob": lambda m, s, x: -mp.log1p(((x - m) / s) ** 2) - log(mp.pi * s),
    "Cauchy cdf": lambda m, s, x: mp.atan2(1, -(x - m) / s) / mp.pi,
    "Cauchy kl": lambda m, s, n, t: log(((s + t) ** 2 + (m - n) ** 2) / (4 * s * t)),
    "Cauchy entropy": lambda m, s: log(4 * mp.pi * s),
    "Gumbel log_prob": lambda m, s, x: -((x - m) / s + exp(-(x - m) / s)) - log(s) if (x - m) / s > -1000 else nan,
    "Gumbel cdf": lambda m, s, x: exp(-exp(-(x - m) / s)) if (x - m) / s > -30 else mpf(0),
    "Gumbel mean": lambda m, s: m + mp.euler * s,
    "Gumbel variance": lambda m, s: (mp.pi * s) ** 2 / 6,
    "Gumbel entropy": lambda m, s: log(s) + mp.euler + 1,
    "Gumbel quantile": lambda m, s, p: m - s * log(-log(p)),
    "Gumbel kl": gumbel_kl,
    "TruncatedGumbel log_prob": truncated_gumbel_log_prob,
    "TruncatedGumbel cdf": lambda m, t, s, x: exp(-min(truncated_gumbel_excess(m, t, s, x), mpf(10) ** 6)),
    "TruncatedGumbel quantile": lambda m, t, s, p: m - s * log(exp((m - t) / s) - log(p)),
    "TruncatedGumbel mean": lambda m, t, s: m + s * truncated_gumbel_moments((t - m) / s)[0],
    "TruncatedGumbel variance": lambda m, t, s: s * s * truncated_gumbel_moments((t - m) / s)[1],
    "TruncatedGumbel entropy": lambda m, t, s: log(s) + 1 + truncated_gumbel_moments((t - m) / s)[0],
    "Concrete log_prob": lambda t, a, b, c, x, y, z: relaxed_log_prob(t, (a, b, c), (log(x), log(y), log(z))) - log(x * y * z),
    "ExpConcrete log_prob": lambda t, a, b, c, x, y, z: relaxed_log_prob(t, (a, b, c), (x, y, z)),
    "RelaxedBernoulli log_prob": lambda t, a, x: relaxed_log_prob(t, (a, 0), (log(x), log(1 - x))) - log(x * (1 - x)),
    "RelaxedBernoulli cdf": lambda t, a, x: 1 / (1 + exp(a) * (x / (1 - x)) ** -t),
    "RelaxedBernoulli quantile": lambda t, a, p: 1 / (1 + (exp(-a) * (1 - p) / p) ** (1 / t)),
    "LogNormal log_prob": lambda m, s, x: -((log(x) - m) / s) ** 2 / 2 - log(x) - log(s) - LOG_TWO_PI() / 2,
    "LogNormal cdf": lambda m, s, x: normal_cdf((log(x) - m) / s),
    "LogNormal mean": lambda m, s: exp(m + s * s / 2),
    "LogNormal variance": lambda m, s: mp.expm1(s * s) * exp(2 * m + s * s),
    "LogNormal entropy": lambda m, s: m + log(s) + (LOG_TWO_PI() + 1) / 2,
    "LogNormal kl": normal_kl,
    "Exponential log_prob": lambda r, x: log(r) - r * x,
    "Exponential cdf": lambda r, x: -mp.expm1(-r * x),
    "Exponential variance": lambda r: 1 / r**2,
    "Exponential kl": lambda r, s: s / r - 1 - log(s / r),
    "Exponential mean": lambda r: 1 / r,
    "Exponential entropy": lambda r: 1 - log(r),
    "Uniform log_prob": lambda a, b, x: -log(b - a),
    "Uniform cdf": lambda a, b, x: (x - a) / (b - a),
    "Uniform mean": lambda a, b: (a + b) / 2,
    "Uniform variance": lambda a, b: (b - a) ** 2 / 12,
    "Uniform entropy": lambda a, b: log(b - a),
    "Uniform kl": lambda a, b, c, d: log((d - c) / (b - a)) if c <= a and b <= d else inf,
    "Gamma log_prob": lambda a, r, x: log_gamma_weight(a, r * x) - log(x),
    "Gamma cdf": lambda a, r, x: gamma_pq(a, r * x)[0],
    "Gamma variance": lambda a, r: a / r**2,
    "Gamma mean": lambda a, r: a / r,
    "Gamma entropy": lambda a, r: gamma_entropy(a) - log(r),
    "Gamma kl": gamma_kl,
    "InverseGamma log_prob": lambda a, s, x: log_gamma_weight(a, s / x) - log(x),
    "InverseGamma cdf": lambda a, s, x: gamma_pq(a, s / x)[1],
    "InverseGamma mean": lambda a, s: s / (a - 1),
    "InverseGamma variance": lambda a, s: (s / (a - 1)) ** 2 / (a - 2),
    "InverseGamma entropy": lambda a, s: a + log(s) + loggamma(a) - (1 + a) * digamma(a),
    "InverseGamma kl": gamma_kl,
    "Beta log_prob": lambda a, b, x: (a - 1) * log(x) + (b - 1) * mp.log1p(-x) - log_beta(a, b),
    "Beta cdf": beta_cdf,
    "Beta mean": lambda a, b: a / (a + b),
    "Beta variance": lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1)),
    "Beta entropy": beta_entropy,
    "Beta kl": beta_kl,
    "StudentT log_prob": student_log,
    "StudentT cdf": lambda v, m, s, x: student_cdf((x - m) / s, v),
    "StudentT variance": lambda v, m, s: s * s * v / (v - 2),
    "StudentT mean": lambda v, m, s: m if v > 1 else nan,
    "StudentT entropy": student_entropy,
    "VonMises log_prob": lambda m, k, x: -2 * k * mp.sin((x - m) / 2) ** 2 - log_bessel_scaled(k) - LOG_TWO_PI(),
    "VonMises cdf": lambda m, k, x: von_mises_cdf(x - m, k),
    "VonMises variance": lambda m, k: 1 - bessel_ratio(k),
    "VonMises mean": lambda m, k: m,
    "VonMises entropy": lambda m, k: k * (1 - bessel_ratio(k)) + log_bessel_scaled(k) + LOG_TWO_PI(),
    "VonMises kl": von_mises_kl,
    "Bernoulli log_prob": lambda l, x: -softplus(-l) if x == 1 else -softplus(l),
    "Bernoulli cdf": lambda l, x: 1 / (1 + exp(l)),
    "Bernoulli variance": lambda l: 1 / ((1 + exp(l)) * (1 + exp(-l))),
    "Bernoulli mean": lambda l: 1 / (1 + exp(-l)),
    "Bernoulli entropy": lambda l: softplus(-l) / (1 + exp(-l)) + softplus(l) / (1 + exp(l)),
    "Bernoulli kl": lambda l, k: (softplus(-k) - softplus(-l)) / (1 + exp(-l))
    + (softplus(k) - softplus(l)) / (1 + exp(l)),
    "Poisson log_prob": lambda r, k: poisson_log(k, r),
    "Poisson cdf": lambda r, k: gamma_pq(mp.floor(k) + 1, r)[1],
    "Poisson entropy": poisson_entropy,
    "Poisson mean": lambda r: r,
    "Poisson variance": lambda r: r,
    "Poisson kl": lambda r, s: r * log(r / s) - r + s,
    "PoissonOfLog log_prob": lambda l, k: k * l - exp(l) - loggamma(k + 1),
    "PoissonOfLog cdf": lambda l, k: gamma_pq(mp.floor(k) + 1, exp(l))[1],
    "PoissonOfLog mean": exp,
    "PoissonOfLog variance": exp,
    "PoissonOfLog entropy": lambda l: poisson_entropy(exp(l)),
    "PoissonOfLog kl": lambda l, k: exp(l) * (l - k) - exp(l) + exp(k),
    "Dirichlet log_prob": dirichlet_log,
    "Dirichlet entropy": lambda *a: sum(loggamma(c) for c in a) - loggamma(sum(a))
    + (sum(a) - len(a)) * digamma(sum(a)) - sum((c - 1) * digamma(c) for c in a),
    "Dirichlet variance": lambda a, b, c: a * (b + c) / ((a + b + c) ** 2 * (a + b + c + 1)),
    "Dirichlet mean": lambda a, b, c: a / (a + b + c),
    "Dirichlet kl": dirichlet_kl,
    "Categorical log_prob": categorical_log,
    "Categorical cdf": lambda *v: sum(weights(*v[:-1])[: int(mp.nint(v[-1])) + 1]),
    "Categorical mean": lambda *l: weights(*l)[1] + 2 * weights(*l)[2],
    "Categorical variance": categorical_variance,
    "Categorical entropy": lambda *l: sum(w * (log_sum(*l) - v) for w, v in zip(weights(*l), l)),
    "Categorical probabilities": lambda *l: weights(*l)[0],
    "Categorical kl": categorical_kl,
    "MultivariateNormal log_prob": plane_log,
    "MultivariateNormal variance": lambda m, n, a, b, c: b * b + c * c,
    "MultivariateNormal mean": lambda m, n, a, b, c: n,
    "MultivariateNormal covariance": lambda m, n, a, b, c: a * b,
    "MultivariateNormal factor": lambda m, n, a, b, c: b,
    "MultivariateNormal log_det_factor": lambda m, n, a, b, c: log(a) + log(c),
    "MultivariateNormal standardize": lambda m, n, a, b, c, x, y: (y - n - b * (x - m) / a) / c,
    "MultivariateNormal entropy": lambda m, n, a, b, c: log(a) + log(c) + 1 + LOG_TWO_PI(),
    "MultivariateNormal kl": plane_kl,
    "Mixture log_prob": mixture_log,
    "Mixture cdf": mixture_cdf,
    "Mixture mean": lambda k, l, m, n, s, t: weights(k, l)[0] * m + weights(k, l)[1] * n,
    "Mixture variance": mixture_variance,
    "Independent log_prob": lambda m, n, s, t, x, y: normal_log(m, s, x) + normal_log(n, t, y),
    "Independent entropy": lambda m, n, s, t: log(s) + log(t) + 1 + LOG_TWO_PI(),
    "Independent mean": lambda m, n, s, t: n,
    "Independent variance": lambda m, n, s, t: t * t,
    "Independent kl": lambda m, n, s, t, k, l, u, v: normal_kl(m, s, k, u) + normal_kl(n, t, l, v),
    "TransformedByExp log_prob": lambda m, s, y: normal_log(m, s, log(y)) - log(y),
    "TransformedByExp cdf": lambda m, s, y: normal_cdf((log(y) - m) / s),
    "TransformedByExp kl": normal_kl,
    "TransformedBySoftplus log_prob": lambda m, s, y: normal_log(m, s, y + log(-mp.expm1(-y))) - log(-mp.expm1(-y)),
    "TransformedBySoftplus cdf": lambda m, s, y: normal_cdf((y + log(-mp.expm1(-y)) - m) / s),
    "TransformedBySoftplus kl": normal_kl,
    "TransformedBySigmoid log_prob": lambda m, s, y: normal_log(m, s, log(y) - mp.log1p(-y)) - log(y) - mp.log1p(-y),
    "TransformedBySigmoid cdf": lambda m, s, y: normal_cdf((log(y) - mp.log1p(-y) - m) / s),
    "TransformedBySigmoid kl": normal_kl,
    "TransformedByTanh log_prob": lambda m, s, y: normal_log(m, s, mp.atanh(y)) - mp.log1p(-y * y),
    "TransformedByTanh cdf": lambda m, s, y: normal_cdf((mp.atanh(y) - m) / s),
    "TransformedByTanh kl": normal_kl,
    "TransformedByAffine log_prob": lambda m, s, a, b, y: normal_log(m, s, (y - a) / b) - log(abs(b)),
    "TransformedByAffine cdf": lambda m, s, a, b, y: normal_cdf(((y - a) / b - m) / s * mp.sign(b)),
    "TransformedByAffine mean": lambda m, s, a, b: a + b * m,
    "TransformedByAffine variance": lambda m, s, a, b: (s * b) ** 2,
    "TransformedByAffine entropy": lambda m, s, a, b: log(s) + log(abs(b)) + (LOG_TWO_PI() + 1) / 2,
}

# --- Divergences between families: minus the entropy of p, and minus the mean of log q under p ------------------------


def mean_log_between(a, b):
    """The mean of log x over a < x < b."""
    return (b * log(b) - (a * log(a) if a > 0 else 0)) / (b - a) - 1


MEAN_LOG = {"Beta": lambda a, b: digamma(a) - digamma(a + b), "Exponential": lambda r: -mp.euler - log(r),
            "InverseGamma": lambda a, s: log(s) - digamma(a), "LogNormal": lambda m, s: m, "Uniform": mean_log_between}
# The mean of e^(-x / t).
MEAN_EXP = {"Exponential": lambda t, r: r / (r + 1 / t), "Gamma": lambda t, a, r: (r / (r + 1 / t)) ** a,
            "Normal": lambda t, m, s: exp((s / t) ** 2 / 2 - m / t),
            "Uniform": lambda t, a, b: t * (exp(-a / t) - exp(-b / t)) / (b - a)}


def of(law, what, p):
    if law == "StudentT" and what == "mean":
        return p[1]
    return FUNCTIONS["%s %s" % (law, what)](*p)


def mean_of_log(law, p, other, q):
    """The mean of log q(x) under p."""
    if other == "Normal":
        n, t = q
        return -(of(law, "variance", p) + (of(law, "mean", p) - n) ** 2) / (2 * t * t) - log(t) - LOG_TWO_PI() / 2
    if other == "Exponential":
        return log(q[0]) - q[0] * of(law, "mean", p)
    if other == "Gamma":
        a, r = q
        return a * log(r) - loggamma(a) + (a - 1) * MEAN_LOG[law](*p) - r * of(law, "mean", p)
    if other == "Gumbel":
        n, t = q
        return -log(t) - (of(law, "mean", p) - n) / t - exp(n / t) * MEAN_EXP[law](t, *p)
    if other == "Laplace":  # of a normal law
        (m, s), (n, t) = p, q
        z = (m - n) / s
        return -log(2 * t) - s * (mp.sqrt(2 / mp.pi) * exp(-z * z / 2) + z * mp.erf(z / mp.sqrt(2))) / t
    if other == "Uniform":  # of a beta law, inside of it
        return -log(q[1] - q[0])
    if other == "Beta":  # of a uniform law
        a, b = q
        return ((a - 1) * mean_log_between(*p) + (b - 1) * mean_log_between(1 - p[1], 1 - p[0]) - log_beta(a, b))
    if other == "Poisson":  # of 0 and 1
        return of(law, "mean", p) * log(q[0]) - q[0]
    raise KeyError(other)


ACROSS = {"Normal": ["Beta", "Exponential", "Gamma", "Gumbel", "InverseGamma", "Laplace", "LogNormal", "StudentT", "Uniform"],
          "Exponential": ["Beta", "Gamma", "InverseGamma", "LogNormal", "Uniform"],
          "Gamma": ["Beta", "Exponential", "InverseGamma", "LogNormal", "Uniform"],
          "Gumbel": ["Exponential", "Gamma", "Normal", "Uniform"], "Laplace": ["Normal"], "Uniform": ["Beta"], "Beta": ["Uniform"],
          "Poisson": ["Bernoulli"]}


def kl_across(law, count, other):
    return lambda *v: -of(law, "entropy", v[:count]) - mean_of_log(law, v[:count], other, v[count:])


# --- Where to look --------------------------------------------------------------------------------------------------

STEPS = [-30, -8, -3, -1, 0, 1, 3, 8, 30]
SHAPES = [1e-300, 1e-100, 1e-30, 1e-5, 0.3, 1, 4.2, 7.9, 8.1, 25, 60, 1e3, 2e4, 1e6, 1e7, 1e8, 1e12, 1e20, 1e100, 1e300]
LOGITS = [(0, 0, 0), (0.3, -1, 2), (40, 0, -40), (1e5, 1e5, 99999), (-700, 0, 0.5), (1e-10, -1e-10, 0), (1e30, 0, 0)]
PLANES = [(0.3, -1, 1.7, 0.4, 0.8), (5, 2, 0.2, -3, 1), (0, 0, 1, 0, 1), (0, 0, 1e-15, 1e-15, 1e-15), (1e10, 0, 1e9, 1e3, 1),
          (0, 1e-20, 1e15, -1e15, 1e10)]
MIXTURES = [(0, 0, 0, 1, 1, 1), (0.3, -2, -3, 4, 0.5, 2), (40, -40, 0, 5, 1, 0.1), (0, 0, -1e10, 1e10, 1, 1e5), (-3, 1, 0, 0, 1e-10, 1e10)]
PAIRS = [(0, 1, 1, 2), (0.3, -5, 1.7, 0.2), (0, 0, 1e-15, 1e15), (1e10, -1e10, 1e3, 1e-3)]
AFFINE = [(0, 1, 0, 1), (0.3, 1.7, -2, 3), (0.3, 1.7, 5, -0.25), (1, 1e-10, 1e5, 1e10), (0, 1e10, 3, -1e-20)]


def above_zero():
    for m, s in ((0, 1), (0.3, 1.7), (-5, 0.2), (2, 10)):
        for y in (1e-30, 1e-10, 0.01, 0.3, 1, 2.5, 8, 40, 1e5):
            yield m, s, y


def within(low):
    for m, s in ((0, 1), (0.3, 1.7), (-2, 0.5)):
        for y in (1e-30, 1e-5, 0.02, 0.3, 0.5, 0.75, 0.99):
            yield m, s, y
            if low < 0:
                yield m, s, -y


def affine_points():
    for m, s, a, b in AFFINE:
        for z in (-8, -1, 0, 0.3, 30):
            yield m, s, a, b, a + b * (m + z * s)
    yield 0, 1, 1e308, 1e308, -1e308
    yield 0, 1, 3e38, -3e38, -3e38


DECADES = [1e-300, 1e-150, 1e-38, 1e-20, 1e-5, 0.3, 1, 7, 1e5, 1e20, 1e38, 1e150, 1e300]


# Where the difference of two numbers, or its quotient by the scale, is too large for its type.
TOO_FAR = [(1e308, 1e308, -1e308), (3e38, 3e38, -3e38), (0, 1e-200, 1e200), (0, 1e-20, 1e20), (-1e308, 3e307, 1.5e308),
           (3, 1e-25, -1e25)]


def around_line():
    places = [(0, s) for s in (1e-300, 1e-30, 1, 1e30, 1e300)]
    for m, s in places + [(0.3, 1.7), (1e20, 1e18), (-1e150, 1e140)]:
        for z in (-1e150, -1e20, -37, -10, -3, -0.7, 0, 1e-5, 5, 30, 1e20, 1e200):
            yield m, s, m + s * z
    yield from TOO_FAR


def around_gamma():
    for a in SHAPES:
        rates = [1, 1e-200, 1e150] if a in (0.3, 1, 1e8) else [1, 1e-30, 1e30] if a in (60, 1e12) else [1]
        for r in rates:
            if a < 20:
                points = [1e-300, 1e-100, 1e-38, 1e-10, 0.02, 1, a + 0.5, 30, 700]
            else:
                points = [a + z * math.sqrt(a) for z in STEPS] + ([a / 2, a * 3] if a < 3e3 else [])
            for t in points:
                if t > 0:
                    yield a, r, t / r


def around_poisson():
    for r in DECADES[:6] + [1, 4, 7.7, 9, 37.5, 1e3, 2e4, 1e6, 1e8, 1e12, 1e15, 1e20, 1e100, 1e300]:
        if r < 10:
            points = [0, 1, 2, 7, 8, 9, 30, 170]
        else:
            points = [0, 7, 8] + [math.floor(r + z * math.sqrt(r)) for z in STEPS]
        for k in points:
            if k >= 0:
                yield r, k


def around_beta():
    for a, b in [(1e-300, 1e-300), (1e-300, 1), (1, 1e-300), (1e-10, 1e-5), (0.5, 0.8), (1, 1), (2, 5), (30, 3), (7.9, 9),
                 (9, 9), (100, 100), (3, 1e6), (1e6, 3), (50, 1e12), (0.5, 1e300), (40, 1e300), (1e4, 1e4), (1e3, 1e9),
                 (1e6, 1e6), (1e8, 1e5), (1e12, 1e12), (1e12, 3e6), (1e30, 1e20), (1e300, 1e299), (1e300, 1e300)]:
        mean = a / (a + b) if a + b < 1e308 else 0.5
        sd = math.sqrt(mean * (1 - mean) / (a + b)) if a + b > 1 else 0.3
        points = [mean + z * sd for z in STEPS] if min(a, b) > 2 else []
        points += [1e-300, 1e-30, 1e-5, 0.2, 0.5, 0.999] if min(a, b) < 1e4 else []
        points += [a / b * 0.7, a / b * 3] if b > 1e9 and a < 1e4 else []
        for x in points:
            x = exact(x)
            if 0 < x < 1:
                yield a, b, x


def around_student():
    for v in (1e-300, 1e-20, 1e-3, 0.8, 1, 3.5, 40, 300, 1e4, 1e6, 1e10, 1e20, 1e100, 1e300):
        for z in (-1e200, -1e20, -1e5, -37, -10, -3, -1, -0.1, -1e-10, 0.4, 8, 1e20):
            if abs(z) / math.sqrt(v) < 1e300:
                yield v, 0, 1, z
    for v in (0.8, 3.5, 1e6):
        for z in (-10, -1, 2):
            yield v, 0.3, 1e-30, exact(0.3) + z * 1e-30 if z == 2 else exact(0.3) + z
            yield v, -1e20, 1e19, -1e20 + z * 1e19
    for m, s, x in TOO_FAR:
        for v in (1e-300, 1e-30, 1e-3, 3, 1e6):
            yield v, m, s, x
    yield 1e-300, 0, 1, 1e200
    yield 1e-37, 0, 1e-5, -1e30


def around_circle():
    for k in (0, 1e-300, 1e-20, 1e-3, 0.7, 6, 39, 41, 150, 1e4, 1e8, 1e16, 1e100, 1e300):
        width = 1 / math.sqrt(max(k, 1))
        for z in (-30, -8, -3, -1, 1e-3, 2, 5):
            if abs(z * width) < 3.14:
                yield 0, k, z * width
        for x in (-3.1, -1.5, 0.5, 3.1):
            yield 0, k, x
    for k in (0.7, 6, 150):
        for x in (-0.9, 0.2, 1.1, 1.9):
            yield 0.4, k, x


def around_positive():
    for m, s in [(0, 1), (0.3, 0.7), (-600, 1), (600, 3), (0, 1e-5), (0, 300), (50, 1e-10)]:
        for z in (-37, -8, -2, 0, 0.5, 3, 30):
            if abs(m + s * z) < 680:
                yield m, s, math.exp(m + s * z)


def around_uniform():
    for a, b in [(-3, 4), (0, 1e-300), (0, 1e300), (1e20, 3e20), (-1e-30, 1e-30)]:
        for f in (0, 0.1, 0.5, 1):
            yield a, b, exact(a) + f * (exact(b) - exact(a))
    for end in (1e308, 2e38):
        for x in (-end, -0.3 * end, 0, 0.9 * end, end):
            yield -end, end, x


def pairs(values):
    return [(a, b) for a in values for b in values]


# Location, bound, scale.
BOUNDS = [(0, 0, 1), (0, 3, 1), (0, 40, 1), (0, 1e4, 1), (0, -3, 1), (0, -20, 1), (0.3, -1e4, 1.7), (1e4, 0, 1), (5, 2, 0.25),
          (-2, 1e-3, 30), (1e20, 1.5e20, 1e18), (-1e150, -1.2e150, 1e149), (3, 3, 1e-30), (0, inf, 1), (0.3, inf, 1.7)]
RELAXED = [(t, a, b, c) for t in (1e-3, 0.1, 0.5, 2, 1e3) for a, b, c in ((0, 0, 0), (0.3, -1, 2), (40, 0, -40))]
COINS = [(t, a) for t in (1e-3, 0.1, 2, 50) for a in (0, 0.7, -3, 40)]


def below_bounds():
    for m, t, s in BOUNDS:
        if mp.isinf(t):
            yield from ((m, t, s, m + s * z) for z in (-3, -0.5, 0, 2, 30, 1e10))
            continue
        b = (t - m) / s
        # Around where the mass is: within a few e^b of the bound if that is far below, else around the location.
        near = s * math.exp(min(max(b, -30), 0))
        yield from ((m, t, s, t - near * d) for d in (0, 1e-3, 0.3, 1, 3, 8))
        if b > 0:
            yield from ((m, t, s, m + s * z) for z in (-3, -0.5, 0, 2) if z < b)


PLACES = [(3, s) for s in DECADES] + [(0.3, 1.7), (-1e20, 1e18), (1e300, 1), (-1e-300, 1e-300), (0, 1), (-1, 1e154)]
NORMAL_PAIRS = [(0, 1, 0, 1.0001), (0, 1, 1e-4, 1), (1e10, 1, 1e10 + 1024, 3), (0, 1e-20, 0, 1), (0, 1e15, 1, 1),
                (0.3, 1.7, -1, 0.4), (0, 1e-150, 0, 1e-150), (5, 1.0001, 5, 1)]
# Scales that are too far from each other for their quotient, and locations for their difference.
APART = [(0, 1e-25, 0, 1e25), (0, 1e-200, 0, 1e200), (0, 1e-20, 0, 1e23), (1e308, 1e308, -1e308, 1e308), (3e38, 2e38, -3e38, 3e38),
         (1e150, 1e-200, 0, 1e200), (1e15, 1e-30, 0, 1e15)]
NORMAL_PAIRS += APART
SPANS = [(-3, 4), (0, 1e-300), (0, 1e150), (0, 1e300), (1e20, 3e20), (-1e-30, 1e-30), (1, 1.001), (-1e10, 1e10), (0, 1),
         (-1e308, 1e308), (-2e38, 2e38)]
GAMMA_PAIRS = [(0.3, 1.7, 4.2, 2), (60, 20, 1, 0.5), (1e8, 1, 1e8, 1.0001), (1e8, 1e8, 1.1e8, 1.1e8),
               (1e12, 1, 1.001e12, 1), (1e12, 1e12, 1e12, 1.00001e12), (1e-20, 1, 1e-20, 2), (1e-10, 1, 3, 1),
               (1e30, 1, 1e30, 1), (100, 1, 101, 1), (20, 3, 20.5, 3), (1e100, 1, 2e100, 1),
               (2, 1e200, 2, 1e-200), (2, 1e25, 2, 1e-25), (2, 1e-150, 3, 1e100), (3, 1, 1e-300, 1e10), (1e10, 1, 1e-300, 3), (1e8, 1e7, 1, 1e-7), (1e22, 1e17, 1e-4, 1e-19), (1e6, 1, 9e6, 8),
               (3, 1, 3.00001, 1), (0.3, 5, 0.30001, 5)]
LOG_RATES = [(l,) for l in (-1e5, -700, -80, -3, -1e-20, 0, 0.5, 5, 7, 27, 80, 700)]
SIMPLE_SHAPES = [1e-300, 1e-20, 1e-3, 0.5, 1, 3, 7.9, 9, 60, 1e4, 1e8, 1e12, 1e30, 1e300]

TABLE = {
    "Normal log_prob": around_line, "Normal cdf": around_line,
    "Normal quantile": lambda: [(0, 1, p) for p in (1e-300, 1e-38, 1e-10, 0.02, 0.5, 0.7, 0.9999)] + [(3, 1e20, 0.1)],
    "Normal entropy": lambda: [(0, s) for s in DECADES],
    "Normal kl": lambda: NORMAL_PAIRS,
    "Normal mean": lambda: PLACES, "Normal variance": lambda: PLACES,
    "Laplace log_prob": around_line, "Laplace cdf": around_line,
    "Laplace mean": lambda: PLACES, "Laplace variance": lambda: PLACES, "Laplace entropy": lambda: PLACES,
    "Laplace kl": lambda: [(0, 1, 0, 1.0001), (0, 1, 1e-4, 1), (0, 1e-20, 0, 1), (0.3, 1.7, -1, 0.4), (3, 1, 900, 2)] + APART,
    "Cauchy log_prob": around_line, "Cauchy cdf": around_line,
    "Cauchy kl": lambda: [(0, 1, 0, 1.0001), (0, 1, 1e-4, 1), (0, 1e-20, 0, 1), (0.3, 1.7, -1, 0.4), (0, 1e200, 1e200, 1e150)] + APART
    + [(1e308, 1e-200, -1e308, 1e-200), (3e38, 1e-20, -3e38, 1e-20), (0, 1e200, 0, 1e-200), (0, 1e308, 0, 1.7e308)],
    "Cauchy entropy": lambda: PLACES,
    "Gumbel log_prob": around_line, "Gumbel cdf": around_line,
    "Gumbel mean": lambda: PLACES + [(-577215664.9, 1e9), (-1e-200, 1e-200)],
    "Gumbel variance": lambda: PLACES, "Gumbel entropy": lambda: PLACES,
    "Gumbel quantile": lambda: [(m, s, p) for m, s in ((0, 1), (0.3, 1.7), (1e20, 1e18)) for p in (1e-300, 1e-38, 1e-10, 0.02, 0.36, 0.5, 0.999)],
    "TruncatedGumbel log_prob": below_bounds, "TruncatedGumbel cdf": below_bounds,
    "TruncatedGumbel quantile": lambda: [b + (p,) for b in BOUNDS for p in (1e-300, 1e-38, 1e-10, 0.02, 0.36, 0.5, 0.999)],
    "TruncatedGumbel mean": lambda: BOUNDS, "TruncatedGumbel variance": lambda: BOUNDS, "TruncatedGumbel entropy": lambda: BOUNDS,
    "Concrete log_prob": lambda: [r + x for r in RELAXED for x in ((0.25, 0.125, 0.625), (2.0**-100, 0.25, 0.75), (0.5, 0.5, 2.0**-30))],
    "ExpConcrete log_prob": lambda: [r + y for r in RELAXED for y in ((0, -40, -1000), (-1e4, 0, -1e5), (-50, -60, 0))],
    "RelaxedBernoulli log_prob": lambda: [c + (x,) for c in COINS for x in (1e-30, 1e-5, 0.25, 0.5, 0.9375)],
    "RelaxedBernoulli cdf": lambda: [c + (x,) for c in COINS for x in (1e-30, 1e-5, 0.25, 0.5, 0.9375)],
    "RelaxedBernoulli quantile": lambda: [c + (x,) for c in COINS for x in (1e-30, 1e-5, 0.25, 0.5, 0.9375)],
    "Gumbel kl": lambda: [(0, 1, 0, 1.0001), (0, 1, 1e-4, 1), (0, 1e-20, 0, 1), (0.3, 1.7, -1, 0.4), (3, 1, 60, 2),
                          (0, 1e-150, 0, 1e-150), (5, 1.0001, 5, 1), (1e10, 1e9, 1.1e10, 2e9), (0, 50, 0, 1), (-40, 1, 40, 1),
                          (40, 1, -40, 1), (2, 1e-10, 2, 3)] + APART,
    "LogNormal log_prob": around_positive, "LogNormal cdf": around_positive,
    "LogNormal mean": lambda: [(0.3, 0.7), (-600, 30), (600, 1e-5)],
    "LogNormal variance": lambda: [(0.3, 0.7), (-300, 1), (300, 1e-10), (-400, 28)],
    "LogNormal entropy": lambda: PLACES,
    "LogNormal kl": lambda: NORMAL_PAIRS,
    "Exponential mean": lambda: [(r,) for r in DECADES], "Exponential entropy": lambda: [(r,) for r in DECADES],
    "Exponential log_prob": lambda: [(r, t / r) for r in DECADES for t in (1e-5, 0.1, 1, 30, 1e6)],
    "Exponential cdf": lambda: [(r, t / r) for r in DECADES for t in (1e-30, 1e-5, 1, 30)],
    "Exponential variance": lambda: [(r,) for r in (1e-150, 1e-15, 3, 1e15, 1e150)],
    "Exponential kl": lambda: [(1, 1.0001), (1, 1e-10), (1, 1e10), (1e-200, 1e-200), (1e300, 3e300), (1e-300, 2e-300), (1e200, 1e-200), (1e25, 1e-25)],
    "Uniform log_prob": around_uniform, "Uniform cdf": around_uniform,
    "Uniform mean": lambda: [(-3, 4), (1e308, 1.5e308), (-1e-300, 3e-300)],
    "Uniform variance": lambda: SPANS, "Uniform entropy": lambda: SPANS,
    "Uniform kl": lambda: [(-3, 4, -3, 4), (-3, 4, -3, 4.001), (0, 1e-300, 0, 1), (0, 1, -1e20, 1e20), (0, 1e300, -1e300, 1.5e300),
                           (0.25, 0.5, 0, 1), (1e20, 2e20, 1e20, 3e20), (0, 1e-200, 0, 1e200), (0, 1e-25, 0, 1e25),
                           (-1e308, 1e308, -1.5e308, 1e308), (0, 1e-100, -1e308, 1e308), (-1e38, 1e38, -3e38, 3e38)],
    "Gamma mean": lambda: [(1e-300, 1), (1e-300, 1e-300), (4.2, 2), (1e300, 1e200), (1e12, 1e-6), (1, 1e308), (1e-20, 1e-20)],
    "Gamma log_prob": around_gamma, "Gamma cdf": around_gamma,
    "Gamma variance": lambda: [(1e-200, 1e-180), (4.2, 2), (1e300, 1e200), (1e12, 1e6)],
    "Gamma entropy": lambda: [(a, 1) for a in SIMPLE_SHAPES] + [(3, 1e-200), (1e12, 1e6)],
    "Gamma kl": lambda: GAMMA_PAIRS,
    "InverseGamma log_prob": lambda: [(a, s, s * s / x) for a, s, x in around_gamma() if 1e-40 < s < 1e40 and s * s / x < 1e300][::2],
    "InverseGamma cdf": lambda: [(a, s, s * s / x) for a, s, x in around_gamma() if 1e-40 < s < 1e40 and s * s / x < 1e300][::2],
    "InverseGamma mean": lambda: [(1.0001, 3), (3, 1e200), (1e300, 1)],
    "InverseGamma variance": lambda: [(2.0001, 3), (3, 1e100), (1e100, 1), (1e200, 1e300)],
    "InverseGamma kl": lambda: GAMMA_PAIRS,
    "InverseGamma entropy": lambda: [(a, 1) for a in SIMPLE_SHAPES] + [(3, 1e200)],
    "Beta log_prob": around_beta, "Beta cdf": around_beta,
    "Beta mean": lambda: [(1e-300, 1e-300), (1e300, 3e300), (1e-200, 1e200), (2, 5)],
    "Beta variance": lambda: [(1e-300, 1e-300), (1e200, 1e200), (1e-200, 1), (2, 5), (1e300, 1), (1e100, 1e200)],
    "Beta entropy": lambda: [(a, b) for a, b in pairs([1e-300, 1e-3, 0.5, 1, 9, 60, 1e5, 1e12, 1e300]) if a <= b],
    "Beta kl": lambda: [(0.5, 0.8, 2, 5), (30, 3, 1, 1), (1e5, 1e5, 1.01e5, 1e5), (1e12, 1e12, 1.0001e12, 1e12), 
                        (1e10, 1e3, 1e10, 1.1e3), (9, 20, 9.5, 20)],
    "StudentT log_prob": around_student, "StudentT cdf": around_student,
    "StudentT mean": lambda: [(1.0001, 3, 1), (1e300, 0, 3), (40, -1e20, 1e100), (2, 1e300, 1e-300)],
    "StudentT variance": lambda: [(2.0001, 0, 1), (1e300, 0, 3), (40, 1, 1e100)],
    "StudentT entropy": lambda: [(v, 0, 1) for v in SIMPLE_SHAPES] + [(3, 0, 1e-200)],
    "VonMises log_prob": around_circle, "VonMises cdf": around_circle,
    "VonMises mean": lambda: [(m, k) for m in (-3, 0.4, 1e-20, 3.1) for k in (1e-300, 1, 1e8, 1e300)],
    "VonMises variance": lambda: [(0, k) for k in SIMPLE_SHAPES + [39, 41]],
    "VonMises entropy": lambda: [(0, k) for k in SIMPLE_SHAPES + [39, 41]],
    "VonMises kl": lambda: [(0.4, 0.7, -1, 6), (0, 1e8, 1e-4, 1e8), (0, 1e12, 0, 2e12), (0, 1e-10, 0, 1),
                            (0, 1e-3, 0, 1e-3)],
    "Bernoulli log_prob": lambda: [(l, x) for l in (-1e300, -1e30, -800, -40, -3, -1e-20, 0.3, 17, 90, 1e5) for x in (0, 1)],
    "Bernoulli cdf": lambda: [(l, 0.5) for l in (-800, -40, -3, 1e-20, 0.3, 17, 90, 700)],
    "Bernoulli mean": lambda: [(l,) for l in (-1e300, -1e5, -700, -80, -40, -3, -1e-20, 0, 0.3, 17, 40, 800, 1e300)],
    "Bernoulli variance": lambda: [(l,) for l in (-700, -40, 0, 3, 80, 700)],
    "Bernoulli entropy": lambda: [(l,) for l in (-700, -40, 0, 3, 80, 700)],
    "Bernoulli kl": lambda: [(0.3, 0.3001), (-40, 40), (3, -2), (80, 81), (-700, 1)],
    "Poisson log_prob": around_poisson, "Poisson cdf": around_poisson,
    "Poisson entropy": lambda: [(r,) for r in (1e-300, 1e-20, 1e-3, 0.7, 4, 37.5, 990, 1010, 1e6, 1e12, 1e100, 1e300)],
    "Poisson kl": lambda: [(1, 1.0001), (1e-300, 1e-300), (1e-20, 1), (3, 7), (1e12, 1.00001e12), (1e300, 1e300), (1e8, 1e4)],
    "Poisson mean": lambda: [(r,) for r in DECADES], "Poisson variance": lambda: [(r,) for r in DECADES],
    "PoissonOfLog cdf": lambda: [(l, k) for l in (-800, -100, -3, 0.5, 5) for k in (0, 1, 5, 8, 150)] + [(13.8155, 1e6)],
    "PoissonOfLog mean": lambda: LOG_RATES, "PoissonOfLog variance": lambda: LOG_RATES,
    "PoissonOfLog entropy": lambda: LOG_RATES,
    "PoissonOfLog kl": lambda: [(0, 1e-4), (-700, -699), (-40, 0), (1, 2), (27, 27.00001), (600, 600), (18, 9), (-1e5, 1), (3, -1e5)],
    "PoissonOfLog log_prob": lambda: [(l, k) for l in (-1e5, -800, -100, -3, 0.5, 5, 27) for k in (0, 1, 5, 8, 150)]
    + [(13.8155, 1e6), (20, 485165195)],
    "Dirichlet log_prob": lambda: [(a, b, c, 0.25, 0.125, 0.625) for a, b, c in
                                   [(1e-300, 1, 1), (0.5, 0.25, 3), (20, 30, 70), (250, 125, 625), (2e5, 1e5, 5e5),
                                    (0.25e12, 0.125e12, 0.625e12), (1e-5, 1e-5, 1e-5), (1e8, 3, 0.5)]]
    + [(2, 3, 4, 2.0**-100, 0.25, 0.75), (0.1, 3, 4, 2.0**-600, 0.25, 0.75)],
    "Dirichlet entropy": lambda: [(1e-300, 1, 1), (0.5, 0.25, 3), (20, 30, 70), (2e5, 1e5, 5e5), (1e12, 2e12, 3e12), (1e300, 1e5, 3)],
    "Dirichlet mean": lambda: [(1e-300, 1, 1), (0.5, 0.25, 3), (1e300, 1e300, 1e300), (1e-300, 1e-300, 1e-300), (1e12, 2e12, 3e12),
                               (1, 1, 1e20)],
    "Dirichlet kl": lambda: [(0.5, 0.25, 3, 1, 1, 1), (20, 30, 70, 20, 30, 70.5), (1e5, 2e5, 3e5, 1.01e5, 2e5, 3e5),
                             (1e12, 2e12, 3e12, 1.0001e12, 2e12, 3e12), (1e-10, 1, 1, 3, 1, 1), (1e-300, 1, 1, 1e-300, 1, 2),
                             (1e8, 3, 0.5, 1e8, 3, 0.6), (7, 8, 9, 7, 8, 9)],
    "Categorical log_prob": lambda: [l + (x,) for l in LOGITS for x in (0, 1, 2)],
    "Categorical cdf": lambda: [l + (x,) for l in LOGITS for x in (0, 1, 2)],
    "Categorical mean": lambda: LOGITS, "Categorical variance": lambda: LOGITS, "Categorical entropy": lambda: LOGITS,
    "Categorical probabilities": lambda: [l[i:] + l[:i] for l in LOGITS for i in range(3)],
    "Categorical kl": lambda: [(0.3, -1, 2, 0, 0, 0), (0.3, -1, 2, 0.3, -1, 2.0001), (40, 0, -40, -40, 0, 40),
                               (300, 0, 0, 0, 0, 0), (1e5, 1e5, 99999, 0, 1, 2)],
    "MultivariateNormal log_prob": lambda: [p + (p[0] + u * p[2], p[1] + v * p[4]) for p in PLANES
                                            for u, v in ((0, 0), (1, -2), (-30, 8), (1e5, 1e5), (1e-10, 3))],
    "MultivariateNormal standardize": lambda: [p + (p[0] + u * p[2], p[1] + v * p[4]) for p in PLANES
                                               for u, v in ((0, 0), (1, -2), (-30, 8), (1e5, 1e5), (1e-10, 3))],
    "MultivariateNormal mean": lambda: PLANES, "MultivariateNormal covariance": lambda: PLANES,
    "MultivariateNormal factor": lambda: PLANES, "MultivariateNormal log_det_factor": lambda: PLANES,
    "MultivariateNormal variance": lambda: PLANES, "MultivariateNormal entropy": lambda: PLANES,
    "MultivariateNormal kl": lambda: [PLANES[0] + PLANES[1], PLANES[1] + PLANES[0], PLANES[0] + PLANES[0],
                                      (0, 0, 1e-20, 0, 1e-20, 1e-20, 0, 1e-20, 1e-21, 2e-20),
                                      (0, 0, 1e15, 3, 1e15, 1e15, 0, 2e15, 1e14, 1e15)],
    "Mixture log_prob": lambda: [p + (x,) for p in MIXTURES for x in (-1e15, -40, -3, -0.5, 0, 0.7, 2, 9, 300, 1e15)],
    "Mixture cdf": lambda: [p + (x,) for p in MIXTURES for x in (-40, -8, -3, -0.5, 0, 0.7, 2, 9, 300)],
    "Mixture mean": lambda: MIXTURES, "Mixture variance": lambda: MIXTURES,
    "Independent log_prob": lambda: [(m, n, s, t, m + 2 * s, n + z * t) for m, n, s, t in PAIRS for z in (-1e5, -3, 0, 30)],
    "Independent mean": lambda: PAIRS, "Independent variance": lambda: PAIRS, "Independent entropy": lambda: PAIRS,
    "Independent kl": lambda: [PAIRS[0] + PAIRS[1], PAIRS[1] + PAIRS[0], PAIRS[0] + PAIRS[0]],
    "TransformedByExp kl": lambda: NORMAL_PAIRS, "TransformedBySoftplus kl": lambda: NORMAL_PAIRS,
    "TransformedBySigmoid kl": lambda: NORMAL_PAIRS, "TransformedByTanh kl": lambda: NORMAL_PAIRS,
    "TransformedByExp log_prob": above_zero, "TransformedByExp cdf": above_zero,
    "TransformedBySoftplus log_prob": above_zero, "TransformedBySoftplus cdf": above_zero,
    "TransformedBySigmoid log_prob": lambda: within(0), "TransformedBySigmoid cdf": lambda: within(0),
    "TransformedByTanh log_prob": lambda: within(-1), "TransformedByTanh cdf": lambda: within(-1),
    "TransformedByAffine log_prob": affine_points, "TransformedByAffine cdf": affine_points,
    "TransformedByAffine mean": lambda: AFFINE, "TransformedByAffine variance": lambda: AFFINE,
    "TransformedByAffine entropy": lambda: AFFINE,
    "Dirichlet variance": lambda: [(1e-300, 1, 1), (0.5, 0.25, 3), (1e200, 1e200, 1e200), (1e12, 2e12, 3e12), (1, 1, 1e20)],
}

FROM = {"Beta": [(0.5, 0.8), (2, 5), (30, 3), (1e-3, 1e-3), (1e6, 1e6), (1, 1)], "Exponential": [(0.3,), (2.5,), (1e-10,), (1e20,)],
        "Gamma": [(0.3, 1.7), (4.2, 2), (60, 20), (1e6, 1e6), (1e-3, 1)], "Gumbel": [(0.3, 1.7), (-1, 0.8), (1e10, 1e8), (0, 1e-10), (0, 1e200)],
        "InverseGamma": [(3.3, 1.7), (9, 20), (1e4, 1e4), (2.5, 1e-10)], "Laplace": [(0.3, 1.7), (-1, 0.4), (1e10, 1e8), (0, 1e-15), (0, 1e200)],
        "LogNormal": [(0.3, 0.7), (-1, 1.2), (20, 0.1), (0, 1e-5)], "Normal": [(0.3, 1.7), (0, 1e-5), (-5, 0.2), (1e10, 1e8)],
        "StudentT": [(3.5, 0.3, 1.7), (40, 0, 1), (2.01, 0, 1), (1e6, 1e10, 1e8), (40, 0, 1e200)],
        "Uniform": [(0.25, 0.5), (0, 1), (0.875, 1), (0, 1e-20), (0.5, 0.50001)], "Bernoulli": [(0.3,), (-40,), (40,), (-700,), (0,)]}
TO = {"Normal": [(0, 1), (0.5, 0.1), (1e10, 1e9), (0, 1e-5), (0, 1e200), (1e200, 1e201)], "Exponential": [(1,), (1e-10,), (1e5,)],
      "Gamma": [(0.3, 1.7), (4.2, 2), (1e6, 1e6), (1, 1e-10), (1e-3, 1)], "Gumbel": [(0, 1), (0.5, 2), (1e10, 1e9), (0, 30)],
      "Laplace": [(0, 1), (0.5, 0.1), (1e10, 1e9), (-5, 1e-5)], "Uniform": [(0, 1), (-1e10, 1e10), (-3, 4)],
      "Beta": [(0.5, 0.8), (2, 5), (1e-3, 1e6), (30, 3), (1, 1)], "Poisson": [(1,), (1e-10,), (1e10,), (0.3,)]}
for other, laws in ACROSS.items():
    for law in laws:
        FUNCTIONS["%s kl_%s" % (law, other)] = kl_across(law, len(FROM[law][0]), other)
        TABLE["%s kl_%s" % (law, other)] = lambda law=law, other=other: [p + q for p in FROM[law] for q in TO[other]]

# Derivatives of log_prob: which inputs, and which of the points.
SLOPES = {"Normal": [0, 1, 2], "Cauchy": [1, 2], "Laplace": [1, 2], "Gumbel": [1, 2], "LogNormal": [1, 2], "Gamma": [0, 1, 2],
          "InverseGamma": [0, 1, 2], "Beta": [0, 1, 2], "StudentT": [0, 2, 3], "VonMises": [1, 2], "Poisson": [0],
          "PoissonOfLog": [0], "Dirichlet": [0, 2]}


def digits_for(name, values):
    if name.endswith("cdf"):
        return DIGITS
    tiny = 1.2 if "slope" in name else 0.3
    large = max([abs(v) for v in values if not math.isinf(v)] + [1.0])
    small = min([abs(v) for v in values if v != 0] + [1.0])
    return int(60 + (3.2 if "slope" in name else 1.2) * math.log10(large) - tiny * math.log10(small))


def at(function, values):
    try:
        v = function(*values)
        return nan if isinstance(v, mp.mpc) else v
    except (ValueError, ZeroDivisionError):
        return nan


def sensitivity(function, values, value, step):
    total = mpf(0)
    for i, v in enumerate(values):
        moved = []
        for e in (step, -step):
            other = list(values)
            other[i] = v * (1 + e)
            difference = at(function, other) - value
            if mp.isfinite(difference):
                moved.append(abs(difference) / step)
        total += max(moved, default=mpf(0))
    return total


def distribution_sensitivity(function, values, value, rounding):
    """The same from one derivative for each input: distribution functions are costly, and nearly straight."""
    # Of laws that are narrower than the rounding of their numbers also the change by one step.
    steps = [mpf(2) ** -40] + ([rounding, -rounding] if max(values) > 1e13 else [])
    total = mpf(0)
    for i, v in enumerate(values):
        if v == 0:
            continue
        changes = []
        for step in steps:
            moved = list(values)
            moved[i] = v * (1 + step)
            changes.append(abs((at(function, moved) - value) / step))
        total += max(changes)
    return total


def slope_of(function, i):
    def slope(*values):
        with mp.workdps(mp.dps + 60):
            size = abs(values[i]) if values[i] != 0 else min(abs(v) for v in values if v != 0)
            h = mpf(10) ** -40 * size
            up, down = list(values), list(values)
            up[i] += h
            down[i] -= h
            return (function(*up) - function(*down)) / (2 * h)
    return slope


def text(x):
    if mp.isnan(x):
        return "nan"
    if mp.isinf(x):
        return "inf" if x > 0 else "-inf"
    x = float(x)
    return repr(int(x)) if x == int(x) and abs(x) < 1e6 else repr(x)


def slope_points(law, points):
    points = list(points)[::3]
    if law == "Beta":
        points = [p for p in points if min(p[:2]) > 1e-20]
    if law == "Gumbel":  # at its top the derivative is 0, which differences do not find
        points = [p for p in points if p[0] != p[2]]
    return points


def line(values, value, s32, s64):
    bounded = tuple(float(min(s, mpf(10) ** 300)) for s in (s32, s64))
    return " ".join(text(v) for v in values) + " " + text(value) + " %.2g %.2g\n" % bounded


def write(out, name, function, points):
    out.write(name + "\n")
    seen = set()
    for point in points:
        values = tuple(exact(v) for v in point)
        if values in seen:
            continue
        seen.add(values)
        mp.dps = digits_for(name, values)
        inputs = [mpf(v) for v in values]
        value = at(function, inputs)
        if mp.isnan(value) or (value != 0 and abs(value) > mpf(10) ** 308):
            continue
        if name.split()[0] in ("Gamma", "InverseGamma", "Beta", "StudentT", "VonMises", "Poisson", "PoissonOfLog") and name.endswith("cdf"):
            s32, s64 = (distribution_sensitivity(function, inputs, value, e) for e in (E32, E64))
            out.write(line(values, value, s32, s64))
            continue
        s32 = sensitivity(function, inputs, value, E32) if all(v == 0 or math.isinf(v) or F32_LEAST <= abs(v) <= F32_MOST for v in values) else 0
        s64 = sensitivity(function, inputs, value, E64)
        out.write(line(values, value, s32, s64))
    out.flush()


def main():
    only = sys.argv[1:]
    path = "tests/reference/data/laws.txt" if not only else "/dev/stdout"
    with open(path, "w", encoding="ascii") as out:
        for name, function in FUNCTIONS.items():
            law, what = name.split()
            if only and name not in only:
                continue
            print(name, file=sys.stderr, flush=True)
            write(out, name, function, TABLE[name]())
            if what == "log_prob":
                for i in SLOPES.get(law, []):
                    write(out, "%s slope%d" % (law, i), slope_of(function, i), slope_points(law, TABLE[name]()))


if __name__ == "__main__":
    main()
