"""Plane benchmarks by CasADi: absolute coordinates, index 1 with stabilisation, CVODES with its sensitivities.

    M a + Phi_q^T l = Q,  Phi_q a + (Phi_q v)_q v + 2 w Phi_q v + w^2 Phi = 0,  w = 10/s

pip install casadi; python run_casadi.py [NAME ...]
"""

import casadi as ca

import benchmark
from benchmark import Unable

W = 10.0
FUNCTIONS = {n: getattr(ca, n) for n in ("sqrt", "sin", "cos", "tan", "exp", "atan2", "tanh")}


class Vector:
    """A vector of the plane as expressions know it."""

    def __init__(self, v):
        self.v = v

    x = property(lambda self: self.v[0])
    y = property(lambda self: self.v[1])

    def __sub__(self, o):
        return Vector(self.v - (o.v if isinstance(o, Vector) else ca.vertcat(*o)))


class Body:
    """Coordinates of a body: centre of mass and angle."""

    def __init__(self, data, q, number):
        self.q = q
        rod = data.get("rod")
        if rod and "length" not in rod:
            raise Unable("rods between hard points")
        if "shape" in data or "hard" in data:
            raise Unable("shapes and hard points")
        if rod:
            length = number(rod["length"])
            self.mass = number(rod.get("mass", data.get("mass")))
            self.centre = ca.vertcat(length / 2, 0)
            self.inertia = self.mass * length**2 / 12
            self.points = dict(zip(rod["points"], (ca.vertcat(0, 0), ca.vertcat(length, 0))))
        else:
            self.mass = number(data.get("mass", 0))
            self.centre = ca.vertcat(*[number(x) for x in data.get("com", [0, 0])])
            self.inertia = number(data.get("inertia", 0))
            self.points = {}
        for name, at in data.get("points", {}).items():
            self.points[name] = ca.vertcat(*[number(x) for x in at])
        self.points["com"] = self.centre

    def place(self, name):
        c, s = ca.cos(self.q[2]), ca.sin(self.q[2])
        d = self.points[name] - self.centre
        return ca.vertcat(self.q[0] + c * d[0] - s * d[1], self.q[1] + s * d[0] + c * d[1])

    def __getattr__(self, name):
        return self.q[2] if name == "angle" else Vector(self.place(name))


def model(b):
    """Equations of a benchmark as expressions of (q, v, a, l, p)."""
    m = b["model"]
    if m.get("dimension", 2) != 2:
        raise Unable("in space")
    for key in ("driver", "constraint", "event", "spline", "road"):
        if key in m:
            raise Unable(f"[{key}]")
    if "until" in m["study"]:
        raise Unable("a final time by a condition")

    # parameters and bodies
    p = ca.SX.sym("p", len(b["parameters"]))
    names = {x["name"]: p[k] for k, x in enumerate(b["parameters"])}
    known = benchmark.values(b, FUNCTIONS, names)
    number = lambda x: benchmark.evaluate(x, known, FUNCTIONS)
    n = 3 * len(m["body"])
    q, v, a = (ca.SX.sym(s, n) for s in "qva")
    bodies = {name: Body(x, q[3 * k : 3 * k + 3], number) for k, (name, x) in enumerate(m["body"].items())}
    ground = {name: ca.vertcat(*[number(x) for x in at]) for name, at in m["ground"]["points"].items()}

    def point(text):
        body, name = text.split(".")
        return ground[name] if body == "ground" else bodies[body].place(name)

    def angle(text):
        body = text.split(".")[0]
        return 0.0 if body == "ground" else bodies[body].angle

    # constraints
    rows = []
    for joint in m["joint"].values():
        one, two = joint["between"]
        d = point(two) - point(one)
        if joint["type"] == "revolute":
            rows.append(d)
        elif joint["type"] == "prismatic":
            x, y = [number(x) for x in joint.get("axis", [1, 0])]
            c, s = ca.cos(angle(one)), ca.sin(angle(one))
            rows += [(c * x - s * y) * d[1] - (s * x + c * y) * d[0], angle(two) - angle(one)]
        else:
            raise Unable(f"a joint of type {joint['type']}")
    phi = ca.vertcat(*rows)

    # forces: weight, springs, torques
    gravity = [number(x) for x in m.get("gravity", [0, 0])]
    load = ca.SX.zeros(n)
    mass = []
    for k, x in enumerate(bodies.values()):
        mass += [x.mass, x.mass, x.inertia]
        load[3 * k : 3 * k + 2] += x.mass * ca.vertcat(*gravity)
    for force in m.get("force", {}).values():
        if force["type"] == "spring-damper" and "force" not in force:
            d = point(force["between"][1]) - point(force["between"][0])
            length = ca.norm_2(d)
            speed = ca.jtimes(length, q, v)
            stretch = length - number(force.get("length", 0))
            tension = number(force.get("stiffness", 0)) * stretch + number(force.get("damping", 0)) * speed
            load -= ca.jacobian(length, q).T * tension
        elif force["type"] == "torque" and "reaction" not in force:
            load[3 * list(bodies).index(force["on"]) + 2] += number(force["torque"])
        else:
            raise Unable(f"a force of type {force['type']}")

    # expressions of sensors
    rate = lambda x: ca.jtimes(x, q, v)
    lift = lambda f: lambda x: Vector(f(x.v)) if isinstance(x, Vector) else f(x)
    second = lambda x: ca.jtimes(rate(x), q, v) + ca.jtimes(rate(x), v, a)
    extra = {"vel": lift(rate), "acc": lift(second), "norm2": lambda x: ca.dot(x.v, x.v)}
    sense = lambda text: benchmark.evaluate(text, {**known, **bodies}, {**FUNCTIONS, **extra})
    return p, q, v, a, phi, ca.diag(ca.vertcat(*mass)), load, number, sense


def start(b, p, q, phi, number, sense, point):
    """(q, v) at the start over the parameters, by the conditions of the file."""
    initial = b["model"]["initial"]

    def conditions(entries):
        for text, x in entries.items():
            sensor = sense(text)
            if isinstance(sensor, list) or hasattr(sensor, "v"):
                yield from zip(ca.vertsplit(sensor.v), [number(y) for y in x])
            else:
                yield sensor, number(x)

    place = list(conditions(initial["position"]))
    rest = ca.vertcat(*[s - x for s, x in place])
    f = ca.Function("f", [q, p], [ca.vertcat(phi, rest)])
    if f.size1_out(0) != q.numel():
        raise Unable("conditions and constraints that are not as many as coordinates")
    q0 = ca.rootfinder("start", "newton", f, {"abstol": 1e-15})(point, p_mx := ca.MX.sym("p", p.numel()))
    velocity = initial.get("velocity", "rest")
    rates = [(s, 0.0) for s, _ in place] if velocity == "rest" else list(conditions(velocity))
    sensors = ca.vertcat(*[s for s, _ in rates])
    left = ca.vertcat(ca.jacobian(phi, q), ca.jacobian(sensors, q))
    right = ca.vertcat(ca.SX.zeros(phi.numel()), *[x for _, x in rates])
    system = ca.Function("rates", [q, p], [left, right])(q0, p_mx)
    return p_mx, q0, ca.solve(*system)


def drawn(b):
    """Coordinates of the start as the file has them."""
    at = []
    for body in b["start"].values():
        at += body["com"] + [body["angle"]]
    return at


def solve(b):
    order = {name: b["start"][name] for name in b["model"]["body"]}
    b = {**b, "start": order}
    p, q, v, a, phi, mass, load, number, sense = model(b)
    l = ca.SX.sym("l", phi.numel())
    jacobian = ca.jacobian(phi, q)
    speed = jacobian @ v
    rows = jacobian @ a + ca.jtimes(speed, q, v) + 2 * W * speed + W**2 * phi
    alg = ca.vertcat(mass @ a + jacobian.T @ l - load, rows)

    # objectives as quadratures and terminal values, samples
    objectives = b["model"]["objective"]
    integral = ca.vertcat(*[sense(o["integral"]) if "integral" in o else 0 for o in objectives.values()])
    terminal = ca.vertcat(*[sense(o["terminal"]) if "terminal" in o else 0 for o in objectives.values()])
    end = float(b["times"]["end"])
    samples = [k for k, _, _ in benchmark.quantities(b) if len(k) == 2 and not isinstance(k[1], str)]
    grid = sorted({t for _, t in samples} | {end})
    p_mx, q0, v0 = start(b, p, q, phi, number, sense, drawn(b))
    nominal = [x["value"] for x in b["parameters"]]

    # x' = (v, a), with (a, l) from the equations, which are linear in them
    n = q.numel()
    z = ca.vertcat(a, l)
    linear = ca.Function("z", [q, v, p], [ca.jacobian(alg, z), ca.substitute(alg, z, ca.SX.zeros(z.numel()))])
    quad = ca.Function("quad", [q, v, a, p], [integral])
    x = ca.MX.sym("x", 2 * n)
    rho = ca.MX.sym("rho", p.numel())
    matrix, constant = linear(x[:n], x[n:], rho)
    turn = ca.solve(matrix, -constant)[:n]
    dae = {"x": x, "p": rho, "ode": ca.vertcat(x[n:], turn), "quad": quad(x[:n], x[n:], turn, rho)}
    options = {"abstol": 1e-12, "reltol": 1e-12, "max_num_steps": 1000000, "quad_err_con": True}
    run = ca.integrator("run", "cvodes", dae, 0.0, grid, options)
    r = run(x0=ca.vertcat(q0, v0), p=p_mx)
    last = r["xf"][:, -1]
    ends = ca.Function("ends", [q, v, p], [terminal])(last[:n], last[n:], p_mx)
    psi = r["qf"][:, -1] + ends
    f = ca.Function("psi", [p_mx], [psi, ca.jacobian(psi, p_mx), r["xf"]])
    try:
        value, gradient, states = f(nominal)
    except RuntimeError as why:
        raise Unable(f"its integrator stopped: {str(why).splitlines()[-1]}") from why

    # numbers by their keys
    ours = {}
    for i, name in enumerate(objectives):
        ours[(name,)] = value[i]
        for k, x in enumerate(b["parameters"]):
            ours[(name, x["name"])] = gradient[i, k]
    for text in {s for s, _ in samples}:
        f = ca.Function("s", [q, v, p], [sense(text)])
        for k, t in enumerate(grid):
            ours[(text, t)] = f(states[:n, k], states[n:, k], nominal)
    return ours


if __name__ == "__main__":
    benchmark.table(f"casadi {ca.__version__}, CVODES at 1e-12", solve)
