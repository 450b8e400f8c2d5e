"""Numbers from Python are those of the command, every bit."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import MODELS, command

import gradyn

#: Examples whose models take long to assemble or to run.
LONG = ("iltis", "four_wheeler", "coach")


def short(name: str) -> str:
    """A final time after a twentieth of the run."""
    start, end = gradyn.example(name).times
    return repr(start + (end - start) / 20)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n in LONG else n for n in gradyn.list_examples()]
)
def test_values_and_jacobian_are_those_of_the_command(name: str) -> None:
    t_end = short(name)
    path = MODELS / f"{name}.toml"
    expected, complaint = command("gradient", str(path), "--no-certificate", "--t-end", t_end)
    if expected is None:
        # what the command refuses, Python refuses with the same words
        with pytest.raises(gradyn.GradynError) as e:
            gradyn.load(path).gradient(t_end=t_end, certificate=False)
        words = " ".join(complaint.replace("│", " ").split())
        assert " ".join(e.value.message.split())[:60] in words
        return
    g = gradyn.load(path).gradient(t_end=t_end, certificate=False)
    assert list(g.objectives) == [o["name"] for o in expected["objectives"]]
    for k, objective in enumerate(expected["objectives"]):
        assert float(g.values[k]) == objective["value"], objective["name"]
        assert g.jacobian[k].tolist() == list(objective["gradient"].values()), objective["name"]
        assert list(g.parameters) == list(objective["gradient"])


@pytest.mark.parametrize(
    "sensitivity", ["discrete-direct", "automatic", "complex-step", "direct", "extrapolated"]
)
def test_sensitivities_are_those_of_the_command(sensitivity: str) -> None:
    path = str(MODELS / "five_bar.toml")
    expected, _ = command(
        "gradient", path, "--no-certificate", "--t-end", "0.2", "--sensitivity", sensitivity
    )
    g = gradyn.load(path).gradient(t_end=0.2, sensitivity=sensitivity, certificate=False)
    assert [list(o["gradient"].values()) for o in expected["objectives"]] == g.jacobian.tolist()
    assert g.method == sensitivity


def test_a_table_is_that_of_the_command() -> None:
    path = str(MODELS / "slider_crank.toml")
    expected, _ = command("simulate", path, "--t-end", "0.3", "--output-step", "0.01")
    run = gradyn.load(path).simulate(t_end=0.3, output_step=0.01)
    rows = np.array(expected["rows"])
    assert expected["columns"] == ["t", *run]
    assert rows[:, 0].tolist() == run.t.tolist()
    for k, name in enumerate(run):
        assert rows[:, k + 1].tolist() == run[name].tolist()


def test_settings_are_those_of_the_command() -> None:
    path = str(MODELS / "five_bar.toml")
    words = ["--formulation", "index1", "--integrator", "dopri5", "--rtol", "1e-9", "--option", "xi=0.7"]
    expected, _ = command("gradient", path, "--no-certificate", "--t-end", "0.2", "--set", "L_A1=1.5", *words)
    model = gradyn.load(path).with_(L_A1=1.5)
    g = model.gradient(t_end=0.2, method="index1+dopri5", rtol=1e-9, options={"xi": 0.7}, certificate=False)
    assert [list(o["gradient"].values()) for o in expected["objectives"]] == g.jacobian.tolist()


def test_a_certificate_is_that_of_the_command() -> None:
    path = str(MODELS / "pendulum.toml")
    expected, _ = command("gradient", path)
    certificate = gradyn.load(path).gradient().certificate
    assert certificate is not None
    found = dict(certificate.details)
    for o in (expected["certificate"], found):
        o.pop("seconds")
    assert found == expected["certificate"]
    assert certificate.trusted and certificate.error(next(iter(found["errors"]["objectives"]))) is not None


def test_the_certificate_of_a_fit_has_its_squares() -> None:
    result = gradyn.example("five_bar_identification").fit()
    errors = result.certificates[0].details["errors"]
    assert errors is not None and "½rᵀr" in errors["objectives"]


def test_an_equilibrium_is_that_of_the_command() -> None:
    path = str(MODELS / "quarter_car.toml")
    expected, _ = command("equilibrium", path, "--gradient")
    e = gradyn.load(path).equilibrium(gradient=True)
    assert e.coordinates == expected["coordinates"]
    assert (e.outputs, e.bodies, e.forces, e.reactions) == tuple(
        expected[k] for k in ("outputs", "bodies", "forces", "reactions")
    )
    assert e.gradient is not None
    for name, row in expected["gradient"].items():
        assert e.gradient[name] == row


def test_an_optimisation_is_that_of_the_command(tmp_path) -> None:
    path = str(MODELS / "five_bar_balance.toml")
    expected, _ = command("optimize", path, "--no-certificate", "--history", str(tmp_path / "h.jsonl"))
    result = gradyn.load(path).optimize(certificate=False)
    assert result.parameters == expected["parameters"]
    assert result.value == expected["objective"]["final"]
    assert result.evaluations == expected["evaluations"]
    assert result.status == expected["status"]


def test_an_expression_adds_a_sensor() -> None:
    model = gradyn.example("pendulum")
    run = model.simulate(t_end=0.2, outputs={"twice": "2 * bar.angle"})
    assert np.array_equal(run["twice"], 2 * run["angle"])


def test_contributions_sum_to_the_gradient(five_bar: gradyn.Model) -> None:
    g = five_bar.gradient(certificate=False)
    c = g.contributions()
    size = np.abs(c.records).sum(axis=0)
    # rounding of a sum over the records
    assert np.all(np.abs(c.records.sum(axis=0) - g.jacobian) <= 1e-10 * (size + 1e-300))
    assert c.initial_state.shape == (len(g.objectives), len(five_bar.coordinates))


def test_products_at_samples_are_transposes(five_bar: gradyn.Model) -> None:
    samples = five_bar.sampled([0.1, 0.25, 0.4])
    rng = np.random.default_rng(1)
    w = rng.standard_normal(samples.values.shape)
    d = rng.standard_normal(len(five_bar.parameters))
    # 1e-9: rounding of two sweeps
    assert samples.vjp(w) @ d == pytest.approx(np.sum(w * samples.jvp(d)), rel=1e-9)


def test_a_batch_has_the_bits_of_single_designs(balance: gradyn.Model) -> None:
    model = balance.using(t_end=0.3)
    x = np.linspace([2.0, 1.5], [2.8, 2.2], 7)
    psi, jacobian, errors = model.batch(x, threads=2)
    assert errors == [None] * 7
    for k, row in enumerate(x):
        one, slopes = model.value_and_jacobian(row)
        assert one.tolist() == psi[k].tolist() and slopes.tolist() == jacobian[k].tolist()
