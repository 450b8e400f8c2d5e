"""The stiff flyball governor of the IFToMM benchmarks, both arms alike: angle b of the arms below the
horizontal, height s of the slider, angle f of the shaft.

    J(b) f' = H,  M b'' = J_b f'^2 / 2 + 2 g cos b (m/2 + mb) - 2 F l_b,  m_s s'' = -m_s g - 2 F l_s     (1)
    F = k (l - l0) + c l',  l^2 = (cos(b)/2)^2 + (1 - sin(b)/2 - s)^2                                    (2)
    J = J_0 + 2 (m (o + cos(b)/2)^2 + I_x sin^2 b + I cos^2 b + mb (o + cos b)^2),  o = 0.05             (3)
    M = 2 (m/4 + I + mb)
"""

from minimal import *

NAMES = ["k", "c", "mb", "w0", "l0", "b0"]
NOMINAL = [8e5, 4e4, 5.0, 2 * numpy.pi, 0.5, numpy.pi / 6]
TIMES = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0]
M, MS, O, G = 0.3, 3.0, 0.05, 9.81
IX, I = M * 2e-4 / 12, M * 1.0001 / 12
J0 = M * 2e-4 / 12 + MS * 0.02 / 12


def turning_inertia(b, mb):
    c, s = numpy.cos(b), numpy.sin(b)
    j = J0 + 2 * (M * (O + c / 2) ** 2 + IX * s * s + I * c * c + mb * (O + c) ** 2)
    slope = 2 * (-M * (O + c / 2) * s + 2 * (IX - I) * s * c - 2 * mb * (O + c) * s)
    return j, slope


def slope(t, y, p, h):
    k, c, mb, _, l0, _ = p
    b, db, s, ds, _, _ = y
    cos_b, sin_b = numpy.cos(b), numpy.sin(b)
    across, down = cos_b / 2, 1 - sin_b / 2 - s
    l = numpy.sqrt(across**2 + down**2)
    l_b = (-across * sin_b - down * cos_b) / (2 * l)
    l_s = -down / l
    force = k * (l - l0) + c * (l_b * db + l_s * ds)
    j, j_b = turning_inertia(b, mb)
    turn = h / j
    ddb = (j_b * turn**2 / 2 + 2 * G * cos_b * (M / 2 + mb) - 2 * force * l_b) / (2 * (M / 4 + I + mb))
    dds = -G - 2 * force * l_s / MS
    return [db, ddb, ds, dds, turn, ds * ds]


def run(rate):
    """Values with `rate` steps a second."""
    p = columns(NOMINAL)
    zero = 0 * p[0]
    h = turning_inertia(p[5] + zero, p[2])[0] * p[3]
    start = [p[5] + zero, zero, zero + 0.5, zero, zero, zero]
    ends = integrate(lambda t, y: slope(t, y, p, h), start, TIMES, rate)
    y = ends[-1]
    return [y[2], y[4], y[5]] + [x for e in ends for x in (e[2], h / turning_inertia(e[0], p[2])[0])]


if __name__ == "__main__":
    names = ["height", "turn", "motion"] + [f"{n} at {t}" for t in TIMES for n in ("slider.com.z", "shaft.omega.z")]
    report(names, NAMES, run(7000), run(5600))
