"""The slider-crank in space of the IFToMM benchmarks, in the angle w of its crank.

    B = (0, 0.1 - r sin w, 0.12 + r cos w),  C = (x, 0, 0),  x = sqrt(l^2 - B_y^2 - B_z^2)                (1)
    axes of the rod: e1 = (C - B)/l, e3 = e1 x y/|e1 x y|, e2 = e3 x e1                                   (2)

e3 across e1 and the fixed y axis is what a universal joint with the slider leaves.
"""

from minimal import *

NAMES = ["r", "l", "m_slider", "w0", "m_rod"]
NOMINAL = [0.08, 0.3, 2.0, 6.0, 0.5]
TIMES = [0.1, 0.2, 0.3, 0.5, 1.0]
G = 9.81


def places(w, p):
    r, l = p[0], p[1]
    b = [0.0, 0.1 - r * sin(w), 0.12 + r * cos(w)]
    x = sqrt(l * l - b[1] * b[1] - b[2] * b[2])
    return b, x


def terms(w, p):
    """M, V and the place of the slider."""
    r, l, m_slider, _, m_rod = p
    b, x = places(w, p)
    e1 = [x / l, -b[1] / l, -b[2] / l]
    size = sqrt(e1[0] * e1[0] + e1[2] * e1[2])
    e3 = [-e1[2] / size, 0.0, e1[0] / size]
    e2 = cross(e3, e1)
    spin = turning([e1, e2, e3])
    middle = [x / 2, b[1] / 2, b[2] / 2]
    crank = [0.0, 0.1 - r / 2 * sin(w), 0.12 + r / 2 * cos(w)]
    big = mass(0.12, crank) + 1e-4 + mass(m_rod, middle) + mass(m_slider, [x])
    big = big + 4e-4 * spin[0] * spin[0] + 4e-3 * (spin[1] * spin[1] + spin[2] * spin[2])
    return big, G * (0.12 * crank[2] + m_rod * middle[2]), x


def run(rate):
    """Values with `rate` steps a second."""
    p = columns(NOMINAL)
    zero = 0 * p[0]

    def slope(t, y):
        big, potential, x = terms(Jet(y[0], 1 + zero), p)
        return [y[1], acceleration(big, potential, y[1]), x.d**2 * y[1] ** 2]

    ends = integrate(slope, [zero, p[3] + zero, zero], TIMES, rate)
    place = lambda y: places(jet(y[0]), p)[1].v
    end = ends[-1]
    return [end[0], end[2], place(end)] + [x for y in ends for x in (place(y), y[0])]


if __name__ == "__main__":
    names = ["turn", "motion", "place"] + [f"{n} at {t}" for t in TIMES for n in ("slider.C.x", "axle.angle")]
    report(names, NAMES, run(1500), run(1200))
