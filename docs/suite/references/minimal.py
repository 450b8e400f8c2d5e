"""Mechanisms with one degree of freedom w, from positions as explicit functions of w.

    T = M(w) w'^2 / 2,  M = sum m |r_w|^2 + s_w . I s_w,  V(w)                       (1)
    w'' = (-M_w w'^2 / 2 - V_w) / M                                                  (2)

r is a centre of mass, s_w the rate of turning for each unit of w', in the axes of the body.
First and second derivatives over w are carried by `Jet`.
Every number is an array of complex numbers with one column for each parameter: column k has a step i h in
parameter k, so that the imaginary parts over h are the derivatives of everything over the parameters.
"""

import json
import sys

import numpy
from scipy.integrate._ivp import dop853_coefficients as dop853

STEP = 1e-40


class Jet:
    """A function of w: its value and its first two derivatives."""

    __array_ufunc__ = None  # arrays leave products with jets to jets

    def __init__(self, v, d=0.0, dd=0.0):
        self.v = v
        self.d = d
        self.dd = dd

    def __add__(self, o):
        o = jet(o)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.dd)

    def __sub__(self, o):
        return self + (-jet(o))

    def __rsub__(self, o):
        return jet(o) + (-self)

    def __mul__(self, o):
        o = jet(o)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d, self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    __rmul__ = __mul__

    def __truediv__(self, o):
        return self * jet(o).through(lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)

    def __rtruediv__(self, o):
        return jet(o) / self

    def through(self, f, f1, f2):
        """f of this, with its derivatives."""
        return Jet(f(self.v), f1(self.v) * self.d, f2(self.v) * self.d**2 + f1(self.v) * self.dd)


def jet(x):
    return x if isinstance(x, Jet) else Jet(x)


def sin(x):
    return jet(x).through(numpy.sin, numpy.cos, lambda x: -numpy.sin(x))


def cos(x):
    return jet(x).through(numpy.cos, lambda x: -numpy.sin(x), lambda x: -numpy.cos(x))


def sqrt(x):
    return jet(x).through(numpy.sqrt, lambda x: 0.5 / numpy.sqrt(x), lambda x: -0.25 / numpy.sqrt(x) ** 3)


def atan(x):
    """Of nearly real arguments: the imaginary part is a first-order step."""
    value = lambda x: numpy.arctan(x.real) + 1j * x.imag / (1 + x.real**2)
    return jet(x).through(value, lambda x: 1 / (1 + x**2), lambda x: -2 * x / (1 + x**2) ** 2)


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), 0.0)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def columns(values):
    """Each parameter as an array: the nominal value, with a complex step in its own column."""
    n = len(values)
    return [numpy.full(n, x, complex) + 1j * STEP * numpy.eye(n)[k] for k, x in enumerate(values)]


def rate(x):
    """x_w as a jet, as far as it is known."""
    return Jet(jet(x).d, jet(x).dd)


def turning(columns_of_axes):
    """s_w in the axes of the body, from its axes e1, e2, e3 in space: e2_w . e3, e3_w . e1, e1_w . e2."""
    e1, e2, e3 = columns_of_axes
    first = lambda e: [rate(x) for x in e]
    plain = lambda e: [Jet(jet(x).v, jet(x).d) for x in e]
    return [dot(first(e2), plain(e3)), dot(first(e3), plain(e1)), dot(first(e1), plain(e2))]


def mass(m, r):
    """The part of M of a mass: m |r_w|^2."""
    return m * dot([rate(x) for x in r], [rate(x) for x in r])


def acceleration(big_m, potential, speed):
    """(2)."""
    return (-0.5 * big_m.d * speed**2 - potential.d) / big_m.v


def integrate(f, y0, times, rate):
    """Columns of y' = f(t, y) at some times, by steps of order 8 [Dormand and Prince], `rate` of them a second."""
    out, t, y = [], 0.0, numpy.array(y0, complex)
    for end in times:
        steps = int(round((end - t) * rate))
        h = (end - t) / steps
        for n in range(steps):
            y = step(f, t + n * h, y, h)
        t = end
        out.append(y)
    return out


def step(f, t, y, h):
    """One step of DOP853 without its error estimate."""
    k = []
    for row, c in zip(dop853.A[: dop853.N_STAGES], dop853.C):
        stage = y + h * sum((a * x for a, x in zip(row, k) if a != 0.0), 0.0)
        k.append(numpy.array(f(t + c * h, stage), complex))
    return y + h * sum(b * x for b, x in zip(dop853.B, k) if b != 0.0)


def split(x):
    """Value and derivatives of a row."""
    x = numpy.atleast_1d(x)
    return float(x[0].real), [float(g) for g in x.imag / STEP]


def report(names, parameters, fine, coarse):
    """Prints values and derivatives of two runs: those of the finer one, and how far the other is from it."""
    out = {}
    for name, a, b in zip(names, fine, coarse):
        (value, slope), (value2, slope2) = split(a), split(b)
        out[name] = [value, abs(value - value2)]
        for p, g, g2 in zip(parameters, slope, slope2):
            out[f"d {name}/d {p}"] = [g, abs(g - g2)]
    json.dump(out, sys.stdout, indent=1)
    print()
