# %% [markdown]
# # A four-bar whose coupler point passes eight given points, with SciPy
#
# The bundled model measures the place of the coupler point at eight times of a turn.
# Its residuals and their exact Jacobian are what `least_squares` asks for.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import gradyn

model = gradyn.example("four_bar_synthesis")
residuals = model.residuals()
print(residuals.parameters)
print(len(residuals(residuals.x0)), "residuals at the start, norm", np.linalg.norm(residuals(residuals.x0)))

# %% [markdown]
# One start ends at some linkage.
# Many starts end at many linkages, and the best of them passes all points: a design between the bounds that
# cannot be assembled raises, and is left out.

# %%
rng = np.random.default_rng(4)
lower, upper = residuals.bounds
best = None
for start in [residuals.x0, *(lower + (upper - lower) * rng.random((12, len(lower))))]:
    try:
        found = least_squares(
            residuals, start, jac=residuals.jac, bounds=residuals.bounds, x_scale="jac", max_nfev=60
        )
    except gradyn.GradynError as e:
        print("  left out:", e.message.splitlines()[0][:80])
        continue
    print(f"  cost {found.cost:.3e} after {found.nfev} evaluations")
    if best is None or found.cost < best.cost:
        best = found
assert best is not None and best.cost < 1e-2 * 0.5 * np.sum(residuals(residuals.x0) ** 2)
design = dict(zip(residuals.parameters, best.x.tolist()))
print(design)

# %% [markdown]
# The same by Gradyn's own optimiser, which tells each evaluation and can be resumed: `model.optimize()`.

# %%
run = model.with_(design).simulate()
before = model.simulate()
figure, axes = plt.subplots(layout="constrained")
axes.plot(before["x"], before["y"], ":", label="start")
axes.plot(run["x"], run["y"], label="found")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes.legend()
figure.savefig("four_bar_synthesis.png")
