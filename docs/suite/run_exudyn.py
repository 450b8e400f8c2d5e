"""Benchmarks in the plane and in space by Exudyn: values by its generalised-alpha solver with fixed steps.

Every body is one in space; those of plane models are kept in their plane by a joint with the ground.
pip install exudyn; python run_exudyn.py [NAME ...]
"""

import exudyn
import numpy
from exudyn.utilities import RigidBodyInertia

import benchmark
from benchmark import Unable
from frames import axes, full

STEPS = 20000


class Vector:
    def __init__(self, v):
        self.v = numpy.array(v)
        self.x, self.y, self.z = self.v

    def __sub__(self, o):
        return Vector(self.v - (o.v if isinstance(o, Vector) else full(o)))


class Body:
    """Where a body is at the end of a run."""

    def __init__(self, run, name):
        self.run = run
        self.name = name

    def __getattr__(self, name):
        get = self.run.mbs.GetObjectOutputBody
        kind = exudyn.OutputVariableType
        number = self.run.bodies[self.name]
        if name == "omega":
            return Vector(get(number, kind.AngularVelocity, [0, 0, 0]))
        if name == "angle":
            raise AttributeError("attitudes do not count turns")
        return Vector(get(number, kind.Position, self.run.local(self.name, name)))


class Run:
    """A benchmark as a system of Exudyn, at the start."""

    def __init__(self, b):
        self.m = b["model"]
        self.start = b["start"]
        self.plane = self.m.get("dimension", 2) == 2
        self.known = benchmark.values(b)
        for key in ("driver", "constraint", "event", "spline", "road"):
            if key in self.m:
                raise Unable(f"[{key}]")
        if "until" in self.m["study"]:
            raise Unable("a final time by a condition")
        if b["name"] == "bricard":
            raise Unable("redundant constraints: its solver needs independent ones")
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.bodies = {"ground": self.mbs.CreateGround()}
        gravity = full([self.number(x) for x in self.m.get("gravity", [0, 0])])
        for name, s in self.start.items():
            self.body(name, s, gravity)
        for joint in self.m["joint"].values():
            self.joint(joint)
        for force in self.m.get("force", {}).values():
            self.force(force)
        self.mbs.Assemble()

    def number(self, x):
        return benchmark.evaluate(x, self.known)

    def body(self, name, s, gravity):
        i = s["inertia"] if isinstance(s["inertia"], list) else [s["inertia"]] * 3
        if len(i) != 3:
            raise Unable("products of inertia")
        omega = [0, 0, s["omega"]] if self.plane else s["omega"]
        self.bodies[name] = self.mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=s["mass"], inertiaTensor=numpy.diag(i)),
            referencePosition=full(s["com"]), referenceRotationMatrix=axes(s), gravity=gravity,
            initialVelocity=full(s["velocity"]), initialAngularVelocity=omega,
        )
        if self.plane:
            self.generic([name, "ground"], full(s["com"]), [0, 0, 1, 1, 1, 0], numpy.eye(3))

    def generic(self, bodies, at, held, frame):
        self.mbs.CreateGenericJoint(
            itemNumbers=[self.bodies[x] for x in bodies], position=at, rotationMatrixAxes=frame,
            constrainedAxes=held, useGlobalFrame=True, show=False,
        )

    def place(self, text):
        """A point at the start, in space."""
        body, name = text.split(".")
        if body == "ground":
            return full([self.number(x) for x in self.m["ground"]["points"][name]])
        return full(self.start[body]["com"] if name == "com" else self.start[body]["point " + name])

    def local(self, body, name):
        """A point in the frame of the body, whose origin is the centre of mass."""
        if body == "ground":
            return self.place(f"ground.{name}")
        s = self.start[body]
        return axes(s).T @ (self.place(f"{body}.{name}") - full(s["com"]))

    def direction(self, body, axis):
        v = numpy.array([self.number(x) for x in axis], float)
        v = full(v) if body == "ground" else axes(self.start[body]) @ full(v)
        return v / numpy.linalg.norm(v)

    def joint(self, joint):
        if "between" not in joint:
            raise Unable(f"a joint of type {joint['type']}")
        bodies = [text.split(".")[0] for text in joint["between"]]
        kind, at = joint["type"], self.place(joint["between"][1])
        if self.plane:
            frame, held = numpy.eye(3), {"revolute": [1, 1, 0, 0, 0, 0]}.get(kind)
            if kind == "prismatic":
                x = self.direction(bodies[0], joint.get("axis", [1, 0]))
                z = numpy.array([0, 0, 1.0])
                frame, held = numpy.array([x, numpy.cross(z, x), z]).T, [0, 1, 0, 0, 0, 1]
        elif kind == "universal":
            # the x axis of body 1 stays across the y axis of body 2
            x, y = (self.direction(c, a) for c, a in zip(bodies, joint["axes"]))
            frame, held = numpy.array([x, y, numpy.cross(x, y)]).T, [1, 1, 1, 0, 0, 1]
        else:
            z = self.direction(bodies[0], joint.get("axis", [0, 0, 1]))
            x = numpy.cross(z, [0.3, 0.5, 0.8])
            x = x / numpy.linalg.norm(x)
            frame = numpy.array([x, numpy.cross(z, x), z]).T
            held = {
                "revolute": [1, 1, 1, 1, 1, 0], "prismatic": [1, 1, 0, 1, 1, 1],
                "cylindrical": [1, 1, 0, 1, 1, 0], "spherical": [1, 1, 1, 0, 0, 0],
            }.get(kind)
        if held is None:
            raise Unable(f"a joint of type {kind}")
        self.generic(bodies, at, held, frame)

    def force(self, f):
        if f["type"] == "spring-damper" and "force" not in f:
            ends = [text.split(".") for text in f["between"]]
            self.mbs.CreateSpringDamper(
                itemNumbers=[self.bodies[b] for b, _ in ends],
                localPosition0=self.local(*ends[0]), localPosition1=self.local(*ends[1]),
                referenceLength=self.number(f.get("length", 0)), stiffness=self.number(f.get("stiffness", 0)),
                damping=self.number(f.get("damping", 0)), show=False,
            )
        elif f["type"] == "torque" and "reaction" not in f:
            t = f["torque"] if isinstance(f["torque"], list) else [0, 0, f["torque"]]
            self.mbs.CreateTorque(itemNumber=self.bodies[f["on"]], loadVector=[self.number(x) for x in t])
        elif f["type"] == "actuator" and self.m["joint"][f["joint"]]["between"][0].startswith("ground"):
            joint = self.m["joint"][f["joint"]]
            body, point = joint["between"][1].split(".")
            load = self.number(f["effort"]) * self.direction("ground", joint.get("axis", [0, 0, 1]))
            self.mbs.CreateForce(
                itemNumber=self.bodies[body], localPosition=self.local(body, point), loadVector=load
            )
        else:
            raise Unable(f"a force of type {f['type']}")

    def sense(self, text):
        names = {n: Body(self, n) for n in self.m["body"]}
        norm2 = {"norm2": lambda x: float(x.v @ x.v)}
        points = {n: Vector(full([self.number(x) for x in v])) for n, v in self.m.get("points", {}).items()}
        return benchmark.evaluate(text, {**self.known, **points, **names}, {**benchmark.FUNCTIONS, **norm2})


def advance(b, end):
    """A run from the start to a time."""
    run = Run(b)
    s = exudyn.SimulationSettings()
    s.timeIntegration.numberOfSteps = max(1, round(STEPS * end / b["times"]["end"]))
    s.timeIntegration.endTime = end
    s.timeIntegration.verboseMode = 0
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    s.timeIntegration.newton.useModifiedNewton = True
    s.solution.file.write = False
    if not run.mbs.SolveDynamic(s):
        raise Unable("its solver stopped")
    return run


def solve(b):
    samples = [k for k, _, _ in benchmark.quantities(b) if len(k) == 2 and not isinstance(k[1], str)]
    end = b["times"]["end"]
    ours = {}
    terminal = {
        n: o["terminal"] for n, o in b["model"]["objective"].items() if "terminal" in o and "integral" not in o
    }
    for t in sorted({t for _, t in samples} | {end}):
        run = advance(b, t)
        for text in {s for s, at in samples if at == t}:
            record(ours, (text, t), run, text)
        if t == end:
            for name, text in terminal.items():
                record(ours, (name,), run, text)
    return ours


def record(ours, key, run, text):
    """A number, unless it is of a joint or a velocity, which are not translated."""
    try:
        ours[key] = run.sense(text)
    except (NameError, KeyError, AttributeError):
        pass


if __name__ == "__main__":
    benchmark.table(f"exudyn {exudyn.__version__}, generalised alpha, {STEPS} steps a run", solve)
