"""Bricard's linkage of the IFToMM benchmarks: six hinges, each across both of its bars, and bars of one length.

Every second hinge has the same angle, a or b from the flat position, and

    (1 + tan^2(a/2)) (1 + tan^2(b/2)) = 4                                                                (1)
    tan(a/2) = n cos w,  tan(b/2) = n sin w,  n^2 = 6/(1 + sqrt(1 + 12 cos^2 w sin^2 w))                 (2)

so that w passes every position. The cube of the start is w = pi/4.
"""

import itertools

from minimal import *

NAMES = ["L", "m", "g"]
NOMINAL = [1.0, 1.0, 9.81]
TIMES = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0]
SIDE = 0.1


def turned(axis, c, s):
    """Rotation by an angle with cosine c and sine s about a coordinate axis, by rows."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m = [[0.0] * 3 for _ in range(3)]
    m[axis][axis] = 1.0
    m[i][i], m[i][j], m[j][i], m[j][j] = c, -1.0 * s, s, c
    return m


def times(a, b):
    return [[dot(row, [b[k][j] for k in range(3)]) for j in range(3)] for row in a]


def apply(a, v):
    return [dot(row, v) for row in a]


def angles(w):
    c, s = cos(w), sin(w)
    n = sqrt(6.0 / (1.0 + sqrt(1.0 + 12.0 * c * c * s * s)))
    return atan(n * c) * 2.0 - numpy.pi / 2, atan(n * s) * 2.0 - numpy.pi / 2


# hinge before each bar: its axis, and which of the two angles it has; direction of each bar in the cube
HINGES = [(2, 0), (0, 1), (1, 0), (2, 1), (0, 0)]
BARS = [[0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, -1]]


def chain(w, p, signs):
    """Attitudes and first points of the five bars from A, and the point after the last."""
    both = angles(w)
    turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    at = [p[0], 0.0, 0.0]
    bars = []
    for (axis, which), sign, bar in zip(HINGES, signs, BARS):
        x = both[which]
        turn = times(turn, turned(axis, cos(x), sin(x) * sign))
        bars.append((turn, at))
        at = [a + p[0] * d for a, d in zip(at, apply(turn, bar))]
    return bars, at


def terms(w, p, signs):
    length, m, g = p
    bars, _ = chain(w, p, signs)
    along, across = SIDE**2 / 6, (length * length + SIDE**2) / 12
    big, potential = 0.0, 0.0
    for k, ((turn, at), bar) in enumerate(zip(bars, BARS)):
        weight = m if k == 2 else 1.0
        com = [a + 0.5 * length * d for a, d in zip(at, apply(turn, bar))]
        spin = turning([[row[j] for row in turn] for j in range(3)])
        inertia = [weight * (along if d else across) for d in bar]
        big = big + mass(weight, com) + sum((i * s * s for i, s in zip(inertia, spin)), 0.0)
        potential = potential + weight * g * com[1]
    return big, potential, bars


def find_signs():
    """Signs for which the loop closes at O, with the hinge there along y, for every w."""
    p = [numpy.array([x + 0j]) for x in NOMINAL]
    for signs in itertools.product((1, -1), repeat=5):
        far = 0.0
        for w in (0.3, 0.9, 2.0, 4.0):
            bars, end = chain(jet(numpy.array([w + 0j])), p, signs)
            hinge = apply(bars[-1][0], [0.0, 1.0, 0.0])
            off = [jet(x).v for x in end] + [jet(x).v - y for x, y in zip(hinge, [0, 1, 0])]
            far = max(far, max(abs(x).max() for x in off))
        if far < 1e-12:
            yield signs


def run(rate, signs):
    p = columns(NOMINAL)
    zero = 0 * p[0]

    def slope(t, y):
        w = Jet(y[0], 1 + zero)
        big, potential, bars = terms(w, p, signs)
        hinge = angles(w)[0].d * y[1]
        return [y[1], acceleration(big, potential, y[1]), hinge**2, bars[2][1][1].v]

    ends = integrate(slope, [zero + numpy.pi / 4, zero, zero, zero], TIMES, rate)
    y = ends[-1]
    point = lambda y, k: jet(chain(jet(y[0]), p, signs)[0][2][1][k]).v
    return [y[2], y[3], point(y, 0)] + [point(e, k) for e in ends for k in range(3)]


if __name__ == "__main__":
    signs = list(find_signs())
    print(signs, file=sys.stderr)
    names = ["swing", "drop", "final"] + [f"cd.C.{k} at {t}" for t in TIMES for k in "xyz"]
    report(names, NAMES, run(60, signs[0]), run(45, signs[0]))
