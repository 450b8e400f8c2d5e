# %% [markdown]
# # Identification from a noisy record
#
# Which masses and free lengths explain a measured motion?
# The measurement is made here: a run of a model that is then forgotten, with noise.

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradyn

truth = {"m_A1": 1.0, "m_B12": 1.5, "m_B23": 1.5, "m_B3": 1.0, "L_s1": 5**0.5, "L_s2": 4.25**0.5}
model = gradyn.example("five_bar_identification")
rng = np.random.default_rng(7)
t = np.linspace(0.05, 1.0, 20)
exact = model.with_(truth).sampled(t)
noise = 0.002
data = {
    name: exact.values[:, k] + noise * rng.standard_normal(len(t)) for k, name in enumerate(exact.sensors)
}
print("measured:", ", ".join(data), "at", len(t), "times")

# %% [markdown]
# The fit starts at the values of the file.
# It says how well each parameter is known, and which combinations cannot be told apart.

# %%
names = list(truth)
result = model.fit(t, data, scales=dict.fromkeys(data, noise), parameters=names)
print(result, result.message)
assert result.success and result.fit is not None
for e in result.fit["estimates"]:
    low, high = e["interval"]
    value, true = e["value"], truth[e["name"]]
    print(
        f"{e['name']:6} = {value:.5f} ± {e['deviation']:.5f}, 95 %: {low:.4f} … {high:.4f}, true {true:.4f}"
    )
off = [abs(e["value"] - truth[e["name"]]) / e["deviation"] for e in result.fit["estimates"]]
assert max(off) < 4

# %%
fitted = model.with_(result.parameters).simulate(t_end=1)
before = model.simulate(t_end=1)
first = next(iter(data))
figure, axes = plt.subplots(layout="constrained")
axes.plot(t, data[first], "k.", label="measured")
axes.plot(before.t, before[first], ":", label="start")
axes.plot(fitted.t, fitted[first], label="fitted")
axes.set(xlabel="t [s]", ylabel=first)
axes.legend()
figure.savefig("identification.png")
