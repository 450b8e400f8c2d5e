# %% [markdown]
# # A neural feedback law, trained through JAX
#
# A pendulum is to be swung up and held by a torque that eight `tanh` units make from its angle and its speed.
# The units are composed with the builder, as expressions of the model: their weights are parameters, and the
# gradient over all of them costs one backward sweep.

# %%
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import gradyn
import gradyn.jax
from gradyn.expressions import sin, tanh, vel

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(0)
UNITS = 8

m = gradyn.Mechanism("neural pendulum", gravity=[0, -9.81])
m.ground(O=[0, 0])
bar = m.body("bar", rod={"points": ["A", "B"], "length": 1, "mass": 1})
m.joint("pin", "revolute", between=["ground.O", bar.at("A")])

# the inputs: the angle from the upright position, and the speed
error = bar["angle"] - np.pi / 2
speed = vel(bar["angle"])
torque = 0
for k in range(UNITS):
    w = [m.parameter(f"w{k}_{i}", float(x), scale=1) for i, x in enumerate(0.5 * rng.standard_normal(4))]
    torque = torque + w[3] * tanh(w[0] * sin(error) + w[1] * speed + w[2])
m.force("motor", "torque", on="bar", torque=10 * torque)

m.initial(position={"bar.angle": "60 deg"}, velocity={"bar.angle": 0})
m.objective("miss", integral=(error**2 + 0.05 * speed**2 + 0.001 * torque**2))
m.study(t_end=2, method={"formulation": "index1", "integrator": "dopri5", "rtol": 1e-8})
model = m.model()
print(model)

# %% [markdown]
# Training: Adam, written out.
# `f` is a function of JAX: `jit`, `grad` and `vmap` work on it.

# %%
f = gradyn.jax.function(model, "miss")
step = jax.jit(jax.value_and_grad(f))


def adam(x, steps, rate=0.05):
    """x after some steps of Adam, and the values on the way."""
    mean, square, values = jnp.zeros_like(x), jnp.zeros_like(x), []
    for k in range(1, steps + 1):
        value, gradient = step(x)
        values.append(float(value))
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        x = x - rate * (mean / (1 - 0.9**k)) / (jnp.sqrt(square / (1 - 0.999**k)) + 1e-8)
    return x, values


x, values = adam(f.x0, 150)
print(f"{values[0]:.4f} → {values[-1]:.4f}")
assert values[-1] < 0.2 * values[0]

# %% [markdown]
# The trained law from other starts, which it has not seen.

# %%
trained = model.with_(dict(zip(f.parameters, np.asarray(x).tolist())))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.semilogy(values)
left.set(xlabel="step of Adam", ylabel="miss")
for angle in (45, 60, 75, 105, 120):
    text = trained.text.replace("60 deg", f"{angle} deg")
    other = gradyn.loads(text).with_({k: p.value for k, p in trained.parameters.items()})
    run = other.simulate(outputs={"upright": "bar.angle - pi/2"})
    right.plot(run.t, np.degrees(run["upright"]), label=f"from {angle}°")
right.set(xlabel="t [s]", ylabel="from upright [°]")
right.legend()
figure.savefig("neural_feedback.png")
