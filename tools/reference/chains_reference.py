#!/usr/bin/python3
"""Writes tests/reference/data/convergence.json and smoothing.json: what the formulae of Vehtari et al. (2021) make
of given chains (R-hat, effective sample sizes, Monte-Carlo errors), and those of Vehtari, Gelman and Gabry (2017)
and Vehtari et al. (2024) of given importance ratios. Needs numpy and scipy.

    tools/reference/chains_reference.py
"""
import json
import pathlib

import numpy as np
from scipy import special, stats

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "reference" / "data"


def split(chains):
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def normal_scores(chains):
    ranks = stats.rankdata(chains, method="average").reshape(chains.shape)
    return stats.norm.ppf((ranks - 3 / 8) / (chains.size + 1 / 4))


def plain_r_hat(chains):
    n = chains.shape[1]
    between = n * chains.mean(axis=1).var(ddof=1)
    within = chains.var(axis=1, ddof=1).mean()
    return np.sqrt(((n - 1) / n * within + between / n) / within)


def r_hat(chains):
    folded = np.abs(chains - np.median(chains))
    return max(plain_r_hat(normal_scores(split(chains))), plain_r_hat(normal_scores(split(folded))))


def autocovariance(x):
    """Of all lags by the Fourier transform, divided by n."""
    n = len(x)
    spectrum = np.fft.rfft(x - x.mean(), 2 * n)
    return np.fft.irfft(spectrum * spectrum.conj())[:n] / n


def plain_ess(chains):
    m, n = chains.shape
    covariance = np.array([autocovariance(c) for c in chains])
    within = covariance[:, 0].mean() * n / (n - 1)
    total = within * (n - 1) / n + chains.mean(axis=1).var(ddof=1)
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    kept = [1.0, rho[1]]
    t = 0
    pair = rho[0] + rho[1]
    last = 1.0
    while t < n - 5 and pair > 0:
        t += 2
        pair = rho[t] + rho[t + 1]
        last = rho[t]
        if pair >= 0:
            kept += [rho[t], rho[t + 1]]
    kept = np.array(kept + [0.0] * (t + 2 - len(kept)))
    kept[t] = max(last, 0.0)
    for s in range(2, t - 1, 2):
        if kept[s] + kept[s + 1] > kept[s - 2] + kept[s - 1]:
            kept[s] = kept[s + 1] = (kept[s - 2] + kept[s - 1]) / 2
    tau = -1 + 2 * kept[:t].sum() + kept[t]
    return m * n / max(tau, 1 / np.log10(m * n))


def ess_quantile(chains, p):
    return plain_ess(split((chains <= np.quantile(chains, p)).astype(float)))


def mcse_sd(chains):
    centred = chains - chains.mean()
    variance = (centred ** 2).mean()
    of_variance = ((centred ** 4).mean() - variance ** 2) / plain_ess(split(centred ** 2))
    return np.sqrt(of_variance / variance / 4)


def mcse_quantile(chains, p):
    ess = ess_quantile(chains, p)
    low, high = stats.beta.ppf(stats.norm.cdf([-1, 1]), ess * p + 1, ess * (1 - p) + 1)
    ordered = np.sort(chains, axis=None)
    count = ordered.size
    return (ordered[min(int(np.ceil(high * count)), count) - 1] - ordered[max(int(np.floor(low * count)), 1) - 1]) / 2


def measures(chains):
    return [
        r_hat(chains),
        plain_ess(normal_scores(split(chains))),
        min(ess_quantile(chains, 0.05), ess_quantile(chains, 0.95)),
        plain_ess(split(chains)),
        ess_quantile(chains, 0.5),
        chains.std(ddof=1) / np.sqrt(plain_ess(split(chains))),
        mcse_sd(chains),
        mcse_quantile(chains, 0.25),
    ]


def chain_cases():
    random = np.random.default_rng(1)

    def moving(m, n, a):
        x = np.zeros((m, n))
        x[:, 0] = random.normal(size=m)
        for t in range(1, n):
            x[:, t] = a * x[:, t - 1] + np.sqrt(1 - a * a) * random.normal(size=m)
        return x

    yield "independent", moving(4, 100, 0.0)
    yield "correlated", moving(4, 150, 0.8)
    yield "alternating", moving(3, 101, -0.5)
    yield "very slow", moving(2, 60, 0.99)
    yield "apart", moving(4, 80, 0.3) + np.array([[0.0], [0.0], [1.5], [0.0]])
    yield "other scales", moving(4, 80, 0.2) * np.array([[1.0], [1.0], [3.0], [0.4]])
    yield "heavy tails", random.standard_cauchy(size=(4, 90))
    yield "ties", np.floor(moving(4, 70, 0.4) * 2)
    yield "one chain", moving(1, 200, 0.5)
    yield "short", moving(2, 12, 0.2)


def smoothed(ratios, efficiency):
    """Log-weights and k: the tail becomes the quantiles of the generalised Pareto law that fits it."""
    count = len(ratios)
    log_weights = ratios - ratios.max()
    tail = int(np.ceil(min(0.2 * count, 3 * np.sqrt(count / efficiency))))
    order = np.argsort(log_weights, kind="stable")
    cutoff = np.exp(log_weights[order[count - tail - 1]])
    x = np.exp(log_weights[order[-tail:]]) - cutoff
    # Zhang and Stephens (2009), with the prior of ten observations on k = 1/2.
    grid = np.arange(1, 31 + int(np.sqrt(tail)))
    m = len(grid)
    theta = 1 / x[-1] + (1 - np.sqrt(m / (grid - 0.5))) / 3 / x[int(tail / 4 + 0.5) - 1]
    k = np.mean(np.log1p(-theta[:, None] * x), axis=1)
    profile = tail * (np.log(-theta / k) - k - 1)
    theta = np.sum(theta * special.softmax(profile))
    k = np.mean(np.log1p(-theta * x))
    sigma = -k / theta
    k = (k * tail + 5) / (tail + 10)
    p = (np.arange(tail) + 0.5) / tail
    log_weights[order[-tail:]] = np.minimum(np.log(stats.genpareto.ppf(p, k, scale=sigma) + cutoff), 0)
    return np.append(log_weights - special.logsumexp(log_weights), k)


def smoothing_cases():
    random = np.random.default_rng(2)
    yield "light", random.normal(size=200) * 0.5, 1.0
    yield "middle", random.exponential(size=300) * 0.5, 1.0
    yield "heavy", random.exponential(size=300) * 0.9, 0.7
    yield "bounded", np.log(random.uniform(size=150)), 1.0


def written(array):
    array = np.asarray(array, dtype=float)
    return {"dtype": "f64", "shape": list(array.shape), "data": array.ravel().tolist()}


def write(name, cases):
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    (FOLDER / name).write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    chains = []
    for name, values in chain_cases():
        values = np.round(values, 4)
        chains.append({"name": name, "inputs": [written(values)], "value": written(measures(values))})
    write("convergence.json", chains)
    ratios = []
    for name, values, efficiency in smoothing_cases():
        values = np.round(values, 5)
        ratios.append({"name": name, "inputs": [written(values), written(efficiency)],
                       "value": written(smoothed(values, efficiency))})
    write("smoothing.json", ratios)


if __name__ == "__main__":
    main()
