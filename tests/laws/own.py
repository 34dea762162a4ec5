"""Losses as a user would write them, one of a linear score and one of any other kind."""

import tailproof


@tailproof.loss
class Expectile:
    """Squares that weigh more on one side."""

    weight: float = 0.5

    def value(self, z, y):
        return (self.weight if y > z else 1.0 - self.weight) * (z - y) * (z - y)

    def slope(self, z, y):
        return 2.0 * (self.weight if y > z else 1.0 - self.weight) * (z - y)


@tailproof.loss
class PulledIn:
    """The mean, pulled towards the origin."""

    strength: float = 1.0

    def value(self, theta, x, y):
        total = 0.0
        for j in range(theta.shape[0]):
            total += (theta[j] - x[j]) ** 2 + self.strength * theta[j] ** 2
        return 0.5 * total

    def gradient(self, theta, x, y, g):
        squared = 0.0
        for j in range(theta.shape[0]):
            g[j] = theta[j] - x[j] + self.strength * theta[j]
            squared += g[j] * g[j]
        return squared
