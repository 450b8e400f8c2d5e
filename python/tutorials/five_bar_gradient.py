# %% [markdown]
# # The gradient of a five-bar linkage, and its proof
#
# A model is a file, or one of the bundled examples.
# This one has five parameters and three objectives: integrals of where a point is, how fast it moves, and how
# it accelerates.

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradyn

model = gradyn.example("five_bar")
print(model)
for name, p in model.parameters.items():
    print(f"{name:6} = {p.value:.6f} {p.unit:4} {p.doc}")

# %% [markdown]
# A run is a mapping of sensors to arrays.

# %%
run = model.simulate()
print(run, list(run)[:4], run.t.shape)

# %% [markdown]
# The gradient is that of the computed result itself.
# `certificate` says whether it is that of the problem, and what every entry is known to.

# %%
gradient = model.gradient()
print(gradient.jacobian)
print(gradient.certificate)
certificate = gradient.certificate
assert certificate is not None and certificate.trusted
print("dpsi1/dL_A1 =", gradient["psi1", "L_A1"], "±", certificate.error("psi1", "L_A1"))

# %% [markdown]
# The proof: what is left of ψ(ρ + ε δ) - ψ - ε ∇ψ·δ shrinks as ε², down to where subtraction
# of two nearly equal numbers leaves no digits.

# %%
rng = np.random.default_rng(1)
delta = rng.standard_normal(len(model.x0))
psi, jacobian = model.value_and_jacobian()
epsilon = 10.0 ** np.arange(-6, -1.5, 0.5)
rest = np.array([abs(model.values(model.x0 + e * delta) - psi - e * jacobian @ delta) for e in epsilon])
slope = np.polyfit(np.log(epsilon[3:]), np.log(rest[3:, 0]), 1)[0]
print("slope", slope)
assert abs(slope - 2) < 0.1

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot(run["B12.P2.x"], run["B12.P2.y"])
left.set(xlabel="x [m]", ylabel="y [m]", title="path of P2", aspect="equal")
right.loglog(epsilon, rest, "o-", label=model.objectives)
right.loglog(epsilon, epsilon**2 * rest[-1, 0] / epsilon[-1] ** 2, "k:", label="ε²")
right.set(xlabel="ε", ylabel="what the gradient leaves")
right.legend()
figure.savefig("five_bar_gradient.png")
