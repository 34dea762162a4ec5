"""Random numbers by counter: each is a function of its key and its place, so no thread and no order can change it.

A place is mixed into 64 bits as splitmix64 does. All of them are used: the smallest uniform is 2^-64, so that no
tail is cut off within any number of draws that can be made. Powers are two polynomials, right to 1e-13; the bits of a
float are read and written by views of it as an integer, so that a loop stays one loop of wide instructions. No sum here
may be reordered: rounding to a whole number is an addition and a subtraction that must both happen.
"""

from math import exp, log, sqrt
from typing import Any

import numpy as np

# What laws are called in machine code.
PARETO, GAUSSIAN, LOGNORMAL = 0, 1, 2

# Splitmix64.
STRIDE, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
ONE = np.uint64(1)
UNIT = 2.0**-64
# A float's digits; the exponent of 1.
DIGITS, NUMBER_ONE = 0xFFFFFFFFFFFFF, 0x3FF0000000000000
ROOT = 1.4142135623730951
# A float this large has no digits after the point. Its own bits, less the exponent of a whole word of 64 bits: added
# to an exponent, they make a float of it.
ROUND, WHOLE_BITS = 6755399441055744.0, 0x4338000000000000 - 1023 - 64


def mixed(place: Any) -> Any:
    """64 bits that look unlike those of any other place."""
    bits = (place ^ (place >> BY_30)) * FIRST
    bits = (bits ^ (bits >> BY_27)) * SECOND
    return bits ^ (bits >> BY_31)


def key_of(seed: Any, trial: int, stream: int) -> Any:
    """The key of one trial's stream of numbers. Keys are far apart, so that no two streams meet."""
    return mixed(mixed(seed + STRIDE * np.uint64(trial)) + STRIDE * np.uint64(stream + 1))


def fill(kind: int, numbers: Any, out: Any, key: Any, first: int) -> None:
    """Draw from a law into `out`, from place `first` of the key's stream on.

    numbers: the law's own, what to subtract, and what to multiply by.
    """
    if kind == PARETO:
        fill_pareto(out, key, first, numbers[0], numbers[1], numbers[2])
    elif kind == GAUSSIAN:
        fill_gaussian(out, key, first)
    else:
        fill_lognormal(out, key, first, numbers[0], numbers[1], numbers[2])


def fill_uniform(out: Any, key: Any, first: int) -> None:
    """Above 0, at most 1."""
    begin = key + STRIDE * np.uint64(first)
    for j in range(out.shape[0]):
        out[j] = float(mixed(begin + STRIDE * np.uint64(j)) | ONE) * UNIT


def fill_pareto(out: Any, key: Any, first: int, index: float, centre: float, gain: float) -> None:
    """(U^(-1/index) - centre) gain.

    U = m 2^(e + .5) with m about 1, so U^power = 2^(power (log2 m + e)) 2^(power / 2), each by a polynomial.
    """
    power = -1.0 / index
    scale, shift = gain * 2.0 ** (0.5 * power), -centre * gain
    place = key + STRIDE * np.uint64(first)
    for j in range(out.shape[0]):
        bits = np.float64(mixed(place) | ONE).view(np.int64)
        place += STRIDE
        whole = np.int64((bits >> 52) + WHOLE_BITS).view(np.float64) - ROUND
        number = np.int64((bits & DIGITS) | NUMBER_ONE).view(np.float64)
        t = (number - ROOT) / (number + ROOT)
        z = t * t
        q = z * 0.2828850223645103 + 0.31990680387224835
        q = q * z + 0.41220922406000426
        q = q * z + 0.5770779426603039
        q = q * z + 0.961796694112265
        q = q * z + 2.885390081777851
        x = (t * q + whole) * power
        nearest = np.float64(x + ROUND)
        f = x - (nearest - ROUND)
        w = f * 1.020590550210069e-07 + 1.3259645241948732e-06
        w = w * f + 1.5252672924257465e-05
        w = w * f + 0.0001540343375126647
        w = w * f + 0.0013333558200796013
        w = w * f + 0.00961812919393429
        w = w * f + 0.05550410866465166
        w = w * f + 0.2402265069564034
        w = w * f + 0.6931471805599462
        w = np.float64(w * f + 1.0)
        out[j] = np.int64(w.view(np.int64) + (nearest.view(np.int64) << 52)).view(np.float64) * scale + shift


def count_beyond(index: float, limits: Any, key: Any, first: int, panels: int, counts: Any, out: Any) -> None:
    """How many of so many panels of Pareto values, not standardised, are above each of the rising limits."""
    for n in range(panels):
        fill_pareto(out, key, first + n * out.shape[0], index, 0.0, 1.0)
        for j in range(out.shape[0]):
            k = 0
            while k < limits.shape[0] and out[j] > limits[k]:
                counts[k] += 1
                k += 1


def fill_gaussian(out: Any, key: Any, first: int) -> None:
    begin = key + STRIDE * np.uint64(first)
    for j in range(out.shape[0]):
        out[j] = gaussian(mixed(begin + STRIDE * np.uint64(j)))


def fill_lognormal(out: Any, key: Any, first: int, sigma: float, centre: float, gain: float) -> None:
    """(exp(sigma Z) - centre) gain."""
    begin = key + STRIDE * np.uint64(first)
    for j in range(out.shape[0]):
        out[j] = (exp(sigma * gaussian(mixed(begin + STRIDE * np.uint64(j)))) - centre) * gain


def gaussian(bits: Any) -> float:
    """One bit is the sign; the others say how far in the tail: both tails reach equally far."""
    share = float((bits >> ONE) | ONE) * UNIT
    distance = -quantile(share)
    return distance if bits & ONE else -distance


def quantile(share: float) -> float:
    """Of the Gaussian law, for a share of at most a half: Wichura's algorithm AS 241, right to 1e-15."""
    q = share - 0.5
    if q >= -0.425:
        r = 0.180625 - q * q
        return q * ratio(
            r,
            (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4),
            (4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
            (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3),
            (2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
        )
    r = sqrt(-log(share))
    if r <= 5.0:
        return -ratio(
            r - 1.6,
            (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0),
            (1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
            (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1),
            (
                1.48103976427480074590e-1,
                1.51986665636164571966e-2,
                5.47593808499534494600e-4,
                1.05075007164441684324e-9,
            ),
        )
    return -ratio(
        r - 5.0,
        (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1),
        (2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
        (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2),
        (7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
    )


def ratio(r: float, a: Any, b: Any, c: Any, d: Any) -> float:
    """Of two polynomials of degree 7, the lower coefficients first."""
    above = ((b[3] * r + b[2]) * r + b[1]) * r + b[0]
    above = (((above * r + a[3]) * r + a[2]) * r + a[1]) * r + a[0]
    below = ((d[3] * r + d[2]) * r + d[1]) * r + d[0]
    below = (((below * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0]
    return above / below  # type: ignore[no-any-return]
