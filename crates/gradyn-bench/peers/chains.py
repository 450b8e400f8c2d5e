"""Question: what does an acceleration of the plane chain of `benches/long_chains.rs` take in other programs?

`python3 crates/gradyn-bench/peers/chains.py [sizes]`, with `pip install pin mujoco`.
One core, fastest of several calls; a call from Python is part of the times.
Pinocchio's `Data` does not fit into 5 GB for 512 bodies, and MuJoCo refuses 1024 bodies below each other.
"""

import sys
import time

import numpy as np


def fastest(call, budget=0.5):
    """Seconds of the fastest call within a budget of seconds, after one call to warm up."""
    call()
    best, end = float("inf"), time.perf_counter() + budget
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def leans(n):
    """Angles of the rods from straight down, as in the chain of the bench [rad]."""
    return 0.3 * np.cos(0.7 * np.arange(n))


def pinocchio(n):
    """Pinocchio: articulated bodies, `aba`."""
    import pinocchio as pin

    model = pin.Model()
    parent = 0
    rod = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([0.0, 1 / 12, 1 / 12]))
    for k in range(n):
        at = pin.SE3.Identity() if k == 0 else pin.SE3(np.eye(3), np.array([1.0, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), at, f"J{k}")
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
    model.gravity.linear = np.array([0, -9.81, 0])
    data = model.createData()
    angle = leans(n) - np.pi / 2
    q = np.diff(angle, prepend=0.0)
    zero = np.zeros(n)
    return fastest(lambda: pin.aba(model, data, q, zero, zero))


def mujoco(n):
    """MuJoCo: `mj_forward`, kinematics and accelerations by the sparse factor of M."""
    import mujoco

    # bodies that move, nested; deep nesting of XML is limited, so that the model is made by its editor
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, -9.81, 0]
    body = spec.worldbody
    for k in range(n):
        body = body.add_body(pos=[0.0 if k == 0 else 1.0, 0, 0])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        body.mass, body.inertia, body.ipos = 1.0, [1e-9, 1 / 12, 1 / 12], [0.5, 0, 0]
        body.explicitinertial = True
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = np.diff(leans(n) - np.pi / 2, prepend=0.0)
    return fastest(lambda: mujoco.mj_forward(model, data))


if __name__ == "__main__":
    sizes = [int(x) for x in sys.argv[1:]] or [8, 32, 128, 256]
    print("| bodies | program | µs/acceleration | µs/body |")
    print("| --- | --- | --- | --- |")
    for n in sizes:
        for program in [pinocchio, mujoco]:
            try:
                seconds = program(n)
            except Exception as e:  # a peer may be absent, or refuse a size
                print(f"| {n} | {program.__name__} | {type(e).__name__}: {str(e).splitlines()[:1]} | |")
                continue
            print(f"| {n} | {program.__name__} | {seconds * 1e6:.1f} | {seconds * 1e6 / n:.3f} |")
