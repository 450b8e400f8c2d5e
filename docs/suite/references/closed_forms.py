"""Closed forms with their derivatives, by mpmath with 40 digits.

rolling_disc   a disc that leans by l turns about the vertical at a steady rate r:                   (1)
               the rate s = w_a of its turn about its own axis follows from Euler's equations
               x = R s sin(r t)/r,  y = R s (1 - cos(r t))/r,  z = R cos l,
               |reaction|^2 = m^2 ((R s r)^2 + g^2)
knife_edge     Chaplygin's sleigh, u' = a w^2, w' = -(m a/J) u w, J = I + m a^2:                     (2)
               u = U tanh x, w = U sqrt(m/J)/cosh x, x = x0 + (a m/J) U t, U^2 = u0^2 + J w0^2/m
skate          a blade below its centre of mass on an inclined plane turns at a constant rate w:     (3)
               h = w t, u = u0 + (G/w) sin h, G = g sin(slope), until h = turn
event_pendulum a rod falls from an angle to the vertical: quarter of a period, by elliptic integrals  (4)
"""

import json
import sys

from mpmath import atan, cos, cosh, diff, ellipk, log, mp, mpf, pi, quad, sin, sqrt, tanh

mp.dps = 40


def rolling_disc(m, R, lean, rate, g):
    t = 2
    A, C = m * R**2 / 4, m * R**2 / 2
    s = (A * rate**2 * cos(lean) - m * g * R) * sin(lean) / ((C + m * R**2) * rate * cos(lean))
    return {
        "place_x": R * s * sin(rate * t) / rate,
        "place_y": R * s * (1 - cos(rate * t)) / rate,
        "height": R * cos(lean),
        "grip": m**2 * ((R * s * rate) ** 2 + g**2) * t,
    }


def knife_edge(m, I, a, u0, w0):
    J = I + m * a * a
    U = sqrt(u0 * u0 + J / m * w0 * w0)
    x0 = log((U + u0) / (U - u0)) / 2
    gd = lambda x: 2 * atan(tanh(x / 2))
    heading = lambda t: (gd(x0 + a * m / J * U * t) - gd(x0)) / (a * sqrt(m / J))
    speed = lambda t: U * tanh(x0 + a * m / J * U * t)
    return {
        "speed": speed(mpf(2)),
        "spin": U * sqrt(m / J) / cosh(x0 + a * m / J * U * 2),
        "heading": heading(mpf(2)),
        "place_x": quad(lambda t: speed(t) * cos(heading(t)), [0, mpf(1) / 2, 1, mpf(3) / 2, 2]),
        "place_y": quad(lambda t: speed(t) * sin(heading(t)), [0, mpf(1) / 2, 1, mpf(3) / 2, 2]),
    }


def skate(slope, g, u0, w, turn):
    G = g * sin(slope)
    return {
        "time": turn / w,
        "speed": u0 + G / w * sin(turn),
        "place_x": (u0 * sin(turn) + G / (2 * w) * sin(turn) ** 2) / w,
        "place_y": (u0 * (1 - cos(turn)) + G / w * (turn / 2 - sin(2 * turn) / 4)) / w,
    }


def event_pendulum(L, theta0):
    w = sqrt(mpf(3) / 2 * mpf("9.81") / L)
    k = sin((theta0 + pi / 2) / 2)
    return {"time": ellipk(k * k) / w, "speed": -2 * w * k}


CASES = {
    "rolling_disc": (rolling_disc, dict(m="0.5", R="0.3", lean="0.3", rate="-1", g="9.81")),
    "knife_edge": (knife_edge, dict(m="2", I="0.3", a="0.4", u0="0.5", w0="2")),
    "skate": (skate, dict(slope="0.3", g="9.81", u0="0.4", w="1.5", turn="4")),
    "event_pendulum": (event_pendulum, dict(L="1", theta0=-pi / 6)),
}


def numbers(f, values):
    """Values and derivatives of a case."""
    names = list(values)
    at = [mpf(x) for x in values.values()]
    objectives = f(*at)
    slope = lambda key, k: diff(lambda x: f(*at[:k], x, *at[k + 1 :])[key], at[k])
    gradient = {o: {n: float(slope(o, k)) for k, n in enumerate(names)} for o in objectives}
    return {"objectives": {o: float(x) for o, x in objectives.items()}, "gradient": gradient}


if __name__ == "__main__":
    json.dump({name: numbers(*case) for name, case in CASES.items()}, sys.stdout, indent=1)
    print()
