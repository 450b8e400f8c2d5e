# %% [markdown]
# # Comfort of an off-road car, with bounds
#
# The Iltis drives down a step of 10 cm at 5 m/s; springs and dampers are to be chosen so that its chassis is
# shaken least.
# A run with its gradient takes some tenths of a second to a second.

# %%
import sys
import time

import matplotlib.pyplot as plt
from scipy.optimize import minimize

import gradyn

# `short` stops after some evaluations: the whole optimisation takes minutes
short = "short" in sys.argv
model = gradyn.example("iltis")
f = model.objective("psi")
print(f.parameters, f.bounds)

# %% [markdown]
# The parameters differ by four powers of ten, so that SciPy works on x divided by their scales.

# %%
import numpy as np

scale = np.array([model.parameters[name].scale for name in f.parameters])
values = []


def scaled(z):
    """Value and gradient over z = x/scale."""
    value, gradient = f(z * scale)
    values.append(value)
    print(f"  evaluation {len(values)}: {value:.6f}")
    return value, gradient * scale


begun = time.perf_counter()
bounds = [(a / s, b / s) for (a, b), s in zip(f.bounds, scale)]
options = {"maxfun": 4} if short else {"ftol": 1e-9, "gtol": 1e-4, "maxfun": 120}
found = minimize(scaled, f.x0 / scale, method="L-BFGS-B", jac=True, bounds=bounds, options=options)
print(f"{found.fun:.4f} after {found.nfev} evaluations, {time.perf_counter() - begun:.0f} s")
assert min(values) < values[0]
if not short:
    assert abs(found.fun - 42.1033) < 1e-3

# %%
figure, axes = plt.subplots(layout="constrained")
axes.semilogy(np.minimum.accumulate(values), "o-")
axes.set(xlabel="evaluation", ylabel="ψ", title="the best design so far")
figure.savefig("iltis_comfort.png")
