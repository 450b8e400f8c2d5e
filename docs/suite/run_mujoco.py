"""Benchmarks whose joints form a tree, by MuJoCo: values by RK4 with fixed steps (it has no gradients of runs).

Bodies are put where the file draws them, with axes along space; springs are tendons.
pip install mujoco; python run_mujoco.py [NAME ...]
"""

import mujoco
import numpy

import benchmark
from benchmark import Unable
from frames import axes, full

STEP = 1e-4


class Body:
    """Where a body is; vectors are numpy arrays."""

    def __init__(self, run, name):
        self.run = run
        self.id = mujoco.mj_name2id(run.model, mujoco.mjtObj.mjOBJ_BODY, name)
        start = run.start[name]
        self.points = {k[6:]: numpy.array(x) for k, x in start.items() if k.startswith("point ")}
        self.points = {k: full(x) - full(start["com"]) for k, x in self.points.items()}
        self.points["com"] = numpy.zeros(3)

    def __getattr__(self, name):
        if name == "omega":
            return Vector(self.run.data.cvel[self.id][:3])
        turn = self.run.data.xmat[self.id].reshape(3, 3)
        return Vector(self.run.data.xpos[self.id] + turn @ self.points[name])


class Vector:
    def __init__(self, v):
        self.v = v
        self.x, self.y, self.z = v

    def __sub__(self, o):
        return Vector(self.v - (o.v if isinstance(o, Vector) else numpy.array(o)))


class Joint:
    """The coordinates of a joint."""

    def __init__(self, run, name):
        at = lambda suffix: run.data.joint(name + suffix).qpos[0] + run.offset.get(name + suffix, 0.0)
        self.names = {"angle": lambda: at(" hinge"), "position": lambda: at(" slide")}

    def __getattr__(self, name):
        return self.names[name]()


class Run:
    """A benchmark as a model of MuJoCo, at the start."""

    def __init__(self, b):
        self.b = b
        self.m = b["model"]
        self.start = b["start"]
        self.plane = self.m.get("dimension", 2) == 2
        self.known = benchmark.values(b)
        self.offset = {}
        for key in ("driver", "constraint", "event", "spline", "road"):
            if key in self.m:
                raise Unable(f"[{key}]")
        if "until" in self.m["study"]:
            raise Unable("a final time by a condition")

        if len(self.m["joint"]) > len(self.m["body"]):
            raise Unable("closed loops: MuJoCo holds them by soft constraints")

        # bodies, from the ground outwards
        spec = mujoco.MjSpec()
        spec.option.timestep = STEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.gravity = full([self.number(x) for x in self.m.get("gravity", [0, 0])])
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.spec = spec
        self.bodies = {"ground": spec.worldbody}
        self.speeds = []
        left = dict(self.m["joint"])
        while left:
            ready = [n for n, j in left.items() if set(self.between(j)) & set(self.bodies)]
            for name in ready:
                self.joint(name, left.pop(name))
        self.forces()
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        for name, speed in self.speeds:
            self.data.joint(name).qvel[:] = speed

    def number(self, x):
        return benchmark.evaluate(x, self.known)

    def between(self, joint):
        if "between" not in joint:
            raise Unable(f"a joint of type {joint['type']}")
        return [text.split(".")[0] for text in joint["between"]]

    def point(self, text):
        """A point at the start, in space."""
        body, name = text.split(".")
        if body == "ground":
            return full([self.number(x) for x in self.m["ground"]["points"][name]])
        return full(self.start[body]["com"] if name == "com" else self.start[body]["point " + name])

    def moves(self, body, at):
        """Velocity of a point and angular velocity of a body at the start."""
        if body == "ground":
            return numpy.zeros(3), numpy.zeros(3)
        s = self.start[body]
        omega = numpy.array(s["omega"]) if not self.plane else numpy.array([0, 0, s["omega"]])
        return full(s["velocity"]) + numpy.cross(omega, at - full(s["com"])), omega

    def joint(self, name, joint):
        """Adds the outer body of a joint, with its freedoms."""
        one, two = self.between(joint)
        inner, outer = (one, two) if one in self.bodies else (two, one)
        if inner == two:
            raise Unable("a joint that is drawn from the outer body")
        s = self.start[outer]
        origin = numpy.zeros(3) if inner == "ground" else full(self.start[inner]["com"])
        body = self.bodies[inner].add_body(name=outer, pos=full(s["com"]) - origin)
        turn = axes(s)
        i = s["inertia"] if isinstance(s["inertia"], list) else [1.0, 1.0, s["inertia"]]
        if len(i) != 3:
            raise Unable("products of inertia")
        tensor = turn @ numpy.diag(i) @ turn.T
        body.mass, body.ipos, body.explicitinertial = s["mass"], [0, 0, 0], True
        body.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        self.bodies[outer] = body

        # freedoms
        at = self.point(joint["between"][1])
        axis = [self.number(x) for x in joint.get("axis", [1, 0] if self.plane else [0, 0, 1])]
        kind = joint["type"]
        axis = numpy.array([0.0, 0, 1]) if self.plane and kind == "revolute" else full(axis)
        if not (self.plane and kind == "revolute"):
            axis = (numpy.eye(3) if one == "ground" else axes(self.start[one])) @ axis
        axis = axis / numpy.linalg.norm(axis)
        (v1, w1), (v2, w2) = self.moves(inner, at), self.moves(outer, at)
        local = at - full(s["com"])
        if kind == "spherical":
            body.add_joint(name=name + " ball", type=mujoco.mjtJoint.mjJNT_BALL, pos=local)
            self.speeds.append((name + " ball", w2 - w1))
            return
        if kind not in ("revolute", "prismatic", "cylindrical"):
            raise Unable(f"a joint of type {kind}")
        initial = self.m["initial"]["position"]
        if kind != "revolute":
            body.add_joint(name=name + " slide", type=mujoco.mjtJoint.mjJNT_SLIDE, pos=local, axis=axis)
            self.speeds.append((name + " slide", axis @ (v2 - v1)))
            self.offset[name + " slide"] = self.number(initial.get(name + ".position", 0))
        if kind != "prismatic":
            body.add_joint(name=name + " hinge", type=mujoco.mjtJoint.mjJNT_HINGE, pos=local, axis=axis)
            self.speeds.append((name + " hinge", axis @ (w2 - w1)))
            self.offset[name + " hinge"] = self.number(initial.get(name + ".angle", 0))

    def site(self, text):
        body = text.split(".")[0]
        origin = numpy.zeros(3) if body == "ground" else full(self.start[body]["com"])
        name = f"site {text}"
        if all(s.name != name for s in self.spec.sites):
            self.bodies[body].add_site(name=name, pos=self.point(text) - origin)
        return name

    def forces(self):
        for name, f in self.m.get("force", {}).items():
            if f["type"] == "spring-damper" and "force" not in f:
                tendon = self.spec.add_tendon(name=name)
                for text in f["between"]:
                    tendon.wrap_site(self.site(text))
                length = self.number(f.get("length", 0))
                tendon.stiffness = [self.number(f.get("stiffness", 0)), 0, 0]
                tendon.damping = [self.number(f.get("damping", 0)), 0, 0]
                tendon.springlength = [length, length]
            elif f["type"] not in ("torque", "actuator") or "reaction" in f:
                raise Unable(f"a force of type {f['type']}")

    def push(self):
        """Constant torques and efforts along the first freedom of a joint with the ground."""
        self.data.xfrc_applied[:] = 0
        for f in self.m.get("force", {}).values():
            if f["type"] == "torque":
                t = f["torque"] if isinstance(f["torque"], list) else [0, 0, f["torque"]]
                self.data.body(f["on"]).xfrc_applied[3:] += [self.number(x) for x in t]
            elif f["type"] == "actuator":
                self.data.joint(f["joint"] + " slide").qfrc_applied[:] = self.number(f["effort"])

    def sense(self, text):
        names = {n: Body(self, n) for n in self.m["body"]}
        joints = {n: Joint(self, n) for n in self.m["joint"]}
        norm2 = {"norm2": lambda x: float(x.v @ x.v)}
        stars = {n: Vector(full([self.number(x) for x in v])) for n, v in self.m.get("points", {}).items()}
        return benchmark.evaluate(text, {**self.known, **stars, **names, **joints}, {**benchmark.FUNCTIONS, **norm2})


def solve(b):
    run = Run(b)
    samples = [k for k, _, _ in benchmark.quantities(b) if len(k) == 2 and not isinstance(k[1], str)]
    end = b["times"]["end"]
    times = sorted({t for _, t in samples} | {end})
    ours, now = {}, 0.0
    for t in times:
        # equal steps to each time
        steps = max(1, round((t - now) / STEP))
        run.model.opt.timestep = (t - now) / steps
        for _ in range(steps):
            run.push()
            mujoco.mj_step(run.model, run.data)
        now = t
        mujoco.mj_forward(run.model, run.data)
        for text in {s for s, at in samples if at == t}:
            ours[(text, t)] = run.sense(text)
    for name, o in b["model"]["objective"].items():
        if "terminal" in o and "vel" not in o["terminal"] and "integral" not in o:
            ours[(name,)] = run.sense(o["terminal"])
    return ours


if __name__ == "__main__":
    benchmark.table(f"mujoco {mujoco.__version__}, RK4 with steps of {STEP} s", solve)
