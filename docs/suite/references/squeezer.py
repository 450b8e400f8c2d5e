"""Andrews' squeezing mechanism (Hairer & Wanner II, section VII.7), in the angle of its crank.

The loops are two points with given distances from two others, so that all positions are explicit.
"""

from minimal import *

NAMES = ["mom", "c0", "l0", "m5", "i1", "rr"]
NOMINAL = [0.033, 4530, 0.07785, 0.07050, 2.194e-6, 0.007]
START = -0.06171389001427645


def meet(p, q, a, b, side):
    """The point at a from p and at b from q, on one side of the line from p to q."""
    d = [q[0] - p[0], q[1] - p[1]]
    dd = dot(d, d)
    x = (a * a - b * b + dd) / (2 * dd)
    y = side * sqrt(a * a / dd - x * x)
    return [p[0] + x * d[0] - y * d[1], p[1] + x * d[1] + y * d[0]]


def along(p, q, at, length):
    """Cosine and sine of the angle of a body whose point `at` (body axes, from p) is at q."""
    d = [q[0] - p[0], q[1] - p[1]]
    c = (d[0] * at[0] + d[1] * at[1]) / (length * length)
    s = (d[1] * at[0] - d[0] * at[1]) / (length * length)
    return c, s


def place(p, turn, at):
    c, s = turn
    return [p[0] + c * at[0] - s * at[1], p[1] + s * at[0] + c * at[1]]


def spin(turn):
    """Rate of the angle over w."""
    c, s = turn
    return plain(c) * rate(s) - plain(s) * rate(c)


def plain(x):
    return Jet(jet(x).v, jet(x).d)


def places(w, p):
    """Turns and reference points of the seven bodies."""
    rr = p[5]
    a, b = [-0.06934, -0.00227], [-0.03635, 0.03273]
    crank = (cos(w), sin(w))
    f = place([0, 0], crank, [rr, 0])
    e = meet(f, b, 0.028, 0.035, 1)
    g = meet(e, a, 0.02, 0.04, -1)
    h = meet(e, a, 0.02, 0.04, 1)
    return [
        (crank, [0, 0]), (along(f, e, [-0.028, 0], 0.028), f), (along(b, e, [0, -0.035], 0.035), b),
        (along(g, e, [0, -0.02], 0.02), g), (along(a, g, [0.04, 0], 0.04), a),
        (along(h, e, [0.02, 0], 0.02), h), (along(a, h, [0, -0.04], 0.04), a),
    ]


def motion(w, speed, p):
    mom, c0, l0, m5, i1, _ = p
    bodies = places(Jet(w, 1.0 + 0 * w), p)
    masses = [0.04325, 0.00365, 0.02373, 0.00706, m5, 0.00706, 0.05498]
    inertias = [i1, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
    centres = [[0.00092, 0], [-0.0115, 0], [0.01043, -0.01874], [0, -0.00579], [0.02308, 0.00916],
               [0.00579, 0], [-0.00449, -0.01228]]
    big = 0.0
    for (turn, at), m, i, c in zip(bodies, masses, inertias, centres):
        big = big + mass(m, place(at, turn, c)) + i * spin(turn) * spin(turn)
    d = place(bodies[2][1], bodies[2][0], [0.02, -0.018])
    length = sqrt((d[0] - 0.014) * (d[0] - 0.014) + (d[1] - 0.072) * (d[1] - 0.072))
    potential = 0.5 * c0 * (length - l0) * (length - l0) - mom * Jet(w, 1.0 + 0 * w)
    k4 = [rate(x).v for x in place(bodies[3][1], bodies[3][0], centres[3])]
    return acceleration(big, potential, speed), (k4[0] ** 2 + k4[1] ** 2) * speed**2, bodies


def run(rate):
    """Values with `rate` steps a second."""
    p = columns(NOMINAL)
    f = lambda t, y: (lambda a: [y[1], a[0], a[1]])(motion(y[0], y[1], p))
    zero = 0 * p[0]
    end = integrate(f, [zero + START, zero, zero], [0.03], rate)[0]
    bodies = motion(end[0], end[1], p)[2]
    angle = lambda k: numpy.angle(bodies[k][0][0].v.real + 1j * bodies[k][0][1].v.real) + 0j * zero
    return [end[0], end[2], end[1]] + [angle(k) for k in (2, 4, 6)]


if __name__ == "__main__":
    names = ["turn", "path", "speed of K1", "angle of K3", "angle of K5", "angle of K7"]
    report(names, NAMES, run(26000), run(20000))
