"""The heavy top of Geradin and Cardona: a body that turns about a fixed point.

    J w' = (J w) x w + c x R^T m g,  R' = R [w]x,  J = J_c + m l^2 (1 - e2 e2^T),  c = l e2       (1)
    force on the top at the tip: m (R (w' x c + w x (w x c)) - g)                                 (2)
"""

from minimal import *

NAMES = ["m", "l", "J", "J2", "spin", "rate"]
NOMINAL = [15.0, 1.0, 0.234375, 0.46875, 150.0, -4.61538]
TIMES = [0.5, 1.0, 1.5, 2.0]
G = [0.0, 0.0, -9.81]


def motion(r, w, p):
    """w', and the square of the force at the tip; r has the rows of R."""
    m, l, j, j2, _, _ = p
    inertia = [j + m * l * l, j2, j + m * l * l]
    weight = [m * sum(r[i][k] * G[i] for i in range(3)) for k in range(3)]
    c = [0 * m, l, 0 * m]
    torque = [a + b for a, b in zip(cross([i * x for i, x in zip(inertia, w)], w), cross(c, weight))]
    turn = [x / i for x, i in zip(torque, inertia)]
    local = [a + b for a, b in zip(cross(turn, c), cross(w, cross(w, c)))]
    acceleration = [sum(r[i][k] * local[k] for k in range(3)) for i in range(3)]
    force = [m * (a - g) for a, g in zip(acceleration, G)]
    return turn, sum(x * x for x in force)


def slope(t, y, p):
    r, w = y[:9].reshape(3, 3, -1), y[9:12]
    turn, load = motion(r, w, p)
    rows = [x for row in r for x in cross(row, w)]
    return rows + turn + [load]


def run(rate):
    """Values with `rate` steps a second."""
    p = columns(NOMINAL)
    zero = 0 * p[0]
    identity = [zero + float(i == k) for i in range(3) for k in range(3)]
    start = identity + [zero, p[4], p[5], zero]
    ends = integrate(lambda t, y: slope(t, y, p), start, TIMES, rate)
    place = lambda y: [p[1] * y[3 * i + 1] for i in range(3)]
    return place(ends[-1]) + [ends[-1][12]] + [x for y in ends for x in place(y)]


if __name__ == "__main__":
    names = ["x", "y", "z", "load"] + [f"top.com.{k} at {t}" for t in TIMES for k in "xyz"]
    report(names, NAMES, run(2400), run(1800))
