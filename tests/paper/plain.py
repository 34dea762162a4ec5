"""The paper's experiments once more, in plain NumPy and as printed: what the machine code is held to."""

from typing import NamedTuple

import numpy as np

STRIDE = np.uint64(0x9E3779B97F4A7C15)


def mixed(place):
    """Splitmix64, on arrays."""
    place = (place ^ (place >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    place = (place ^ (place >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return place ^ (place >> np.uint64(31))


def one(number):
    return np.array([number], np.uint64)


def bits(seed, trial, stream, count):
    key = mixed(mixed(one(seed) + STRIDE * one(trial)) + STRIDE * one(stream + 1))
    return mixed(key + STRIDE * np.arange(count, dtype=np.uint64))


def uniforms(words):
    return ((words | np.uint64(1)).astype(np.longdouble) * np.longdouble(2.0) ** -64).astype(np.float64)


def values(law, words):
    """Standardised values of a law."""
    if law.kind == "pareto":
        b = law.index
        return (uniforms(words) ** (-1.0 / b) - b / (b - 1.0)) / np.sqrt(b / ((b - 1.0) ** 2 * (b - 2.0)))
    from scipy.special import ndtri

    sign = np.where(words & np.uint64(1), 1.0, -1.0)
    z = -ndtri(uniforms(words >> np.uint64(1))) * sign
    if law.kind == "gaussian":
        return z
    s2 = law.index**2
    return (np.exp(law.index * z) - np.exp(s2 / 2.0)) / np.sqrt((np.exp(s2) - 1.0) * np.exp(s2))


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    start: np.ndarray


def data(setting, seed, trial):
    """The rows of a trial."""
    n, p = setting.rows, setting.columns
    X = values(setting.law, bits(seed, trial, 0, n * p)).reshape(n, p)
    truth = np.zeros(p)
    if setting.task != "mean":
        truth[: setting.support or p] = 1.0 / np.sqrt(setting.support or p)
    start = (
        setting.start.value * {"each": np.ones(p), "unit": np.ones(p) / np.sqrt(p), "truth": truth}[setting.start.kind]
    )
    if setting.task == "linear":
        y = X @ truth + np.sqrt(setting.sigma2) * values(setting.noise, bits(seed, trial, 1, n))
    else:
        y = (uniforms(bits(seed, trial, 1, n)) <= 1.0 / (1.0 + np.exp(-X @ truth))).astype(float)
    return Data(X, y, truth, start)


def run(setting, candidate, seed, trial):
    """The path of one candidate (theta after each row), and its validation score."""
    rows = data(setting, seed, trial)
    if candidate.method == "round-robin-mom":
        return [middle(rows.X[:t], setting.buckets) for t in range(1, setting.rows + 1)], 0.0
    if "-mom" in candidate.method:
        return medians(setting, candidate, rows.X)
    return descent(setting, candidate, rows)


def descent(setting, candidate, rows):
    theta, score, path = rows.start.copy(), 0.0, []
    first = setting.rows - int(np.ceil(setting.validation * setting.rows - 1e-9))
    for i in range(setting.rows):
        x, y = rows.X[i], rows.y[i]
        eta = 1.0 / (setting.curvature * (i + 1 + candidate.gamma))
        z = theta @ x
        gradient, loss = {
            "mean": lambda x=x, t=theta: (t - x, ((t - x) ** 2).sum() / 2.0),
            "linear": lambda x=x, y=y, z=z: ((z - y) * x, (z - y) ** 2 / 2.0),
            "logistic": lambda x=x, y=y, z=z: ((1.0 / (1.0 + np.exp(-z)) - y) * x, np.log1p(np.exp(z)) - y * z),
        }[setting.task]()
        score += loss if i >= first else 0.0
        theta = stepped(candidate, theta, gradient, eta, x, z - y)
        if setting.radius and np.linalg.norm(theta - rows.truth) > setting.radius:
            theta = rows.truth + setting.radius * (theta - rows.truth) / np.linalg.norm(theta - rows.truth)
        path.append(theta)
    return path, score


def stepped(candidate, theta, gradient, eta, x, residual):
    if candidate.method == "ridge":
        return (theta - eta * gradient) / (1.0 + eta * candidate.value)
    if candidate.method == "lasso":
        moved = theta - eta * gradient
        return np.sign(moved) * np.maximum(np.abs(moved) - eta * candidate.value, 0.0)
    if candidate.method == "huber":
        return theta - eta * np.clip(residual, -candidate.value, candidate.value) * x
    if candidate.method == "clipped-sgd":
        gradient = gradient * min(1.0, candidate.value / np.linalg.norm(gradient))
    return theta - eta * gradient


def medians(setting, candidate, X):
    literal = candidate.method.endswith("literal")
    height = setting.buckets if literal else setting.rows // setting.buckets
    most = setting.rows if literal else setting.buckets
    first = setting.rows - int(np.ceil(setting.validation * setting.rows - 1e-9))
    theta, done, score, path = None, 0, 0.0, []
    for i, x in enumerate(X):
        if i >= first and theta is not None:
            score += ((x - theta) ** 2).sum() / 2.0
        if (i + 1) % height == 0 and done < most:
            mean = X[i + 1 - height : i + 1].mean(axis=0)
            if theta is None:
                theta = mean
            elif candidate.method.startswith("coordinate"):
                theta = theta - candidate.c / done * np.sign(theta - mean)
            else:
                theta = theta - candidate.c / done * (theta - mean) / np.linalg.norm(theta - mean)
            done += 1
        path.append(X[: i + 1].mean(axis=0) if theta is None else theta)
    return path, score


def middle(X, groups):
    """The geometric median of the means of groups that took the rows in turn."""
    means = np.array([X[k::groups].mean(axis=0) for k in range(min(groups, len(X)))])
    theta = means.mean(axis=0)
    for _ in range(2000):
        weights = 1.0 / (np.linalg.norm(means - theta, axis=1) + 1e-200)
        theta = weights @ means / weights.sum()
    return theta
