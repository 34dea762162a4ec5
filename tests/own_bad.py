"""A loss that asks for more than numbers and loops."""

import tailproof


@tailproof.loss
class Clever:
    def value(self, z, y):
        return open("/dev/null")

    def slope(self, z, y):
        return float({str(z): y}.popitem()[1]) + open("/dev/null").fileno()
