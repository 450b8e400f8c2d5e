"""Vectors and axes of bodies at the start, in space, with plane models in the plane z = 0."""

import numpy


def full(x):
    """A vector in space."""
    x = list(x)
    return numpy.array(x + [0.0] * (3 - len(x)))


def axes(start):
    """Axes of a body at the start, as columns."""
    if "angle" in start:
        c, s = numpy.cos(start["angle"]), numpy.sin(start["angle"])
        return numpy.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return numpy.array([start[f"axis_{k}"] for k in (1, 2, 3)]).T
