"""Models built in Python are those of their files."""

from __future__ import annotations

import numpy as np
import pytest

import gradyn
from gradyn.expressions import Expr, if_, tanh, vec

LONG = ("iltis", "four_wheeler", "coach")


@pytest.mark.parametrize("name", gradyn.list_examples())
def test_a_file_goes_through_the_builder_and_back(name: str) -> None:
    first = gradyn.Mechanism.from_toml(gradyn.example(name).text)
    second = gradyn.Mechanism.from_toml(first.to_toml())
    assert second.sections == first.sections


@pytest.mark.parametrize("name", [n for n in gradyn.list_examples() if n not in LONG])
def test_a_model_through_the_builder_has_the_same_start(name: str) -> None:
    model = gradyn.example(name)
    twin = gradyn.Mechanism.from_toml(model.text).model()
    assert twin.sensors == model.sensors and twin.objectives == model.objectives
    assert twin.x0.tolist() == model.x0.tolist() and twin.times == model.times


def pendulum() -> gradyn.Mechanism:
    """A pendulum with a parameter, as the README has it."""
    m = gradyn.Mechanism("swing", gravity=[0, -9.81])
    L = m.parameter("L", 1.0, unit="m", min=0.5, max=2.0)
    theta = m.parameter("theta0", "-60 deg")
    m.ground(O=[0, 0])
    bar = m.body("bar", rod={"points": ["A", "B"], "length": L, "mass": 2})
    m.joint("pin", "revolute", between=["ground.O", bar.at("A")])
    m.initial(position={str(bar["angle"]): theta})
    m.objective("tip", terminal=bar["B.x"])
    m.objective("load", integral="norm2(pin.reaction)")
    m.study(t_end=1, method={"formulation": "index1", "integrator": "dopri5", "rtol": 1e-10})
    return m


def test_the_first_model_of_the_readme_has_its_gradient() -> None:
    g = pendulum().model().gradient(certificate=False)
    assert g.value("tip") == pytest.approx(-4.116874896437e-1, rel=1e-11)
    assert g["tip", "L"] == pytest.approx(-9.378089705553e-1, rel=1e-11)
    assert g["load"]["theta0"] == pytest.approx(8.239489884049e1, rel=1e-11)


def test_operators_are_the_expressions_of_the_file() -> None:
    a, b = Expr("a"), Expr("b")
    for found, text in [
        (a + b * 2, "a + b * 2"),
        ((a + b) * 2, "(a + b) * 2"),
        (a - (b - 1), "a - (b - 1)"),
        (-(a**2), "-a^2"),
        ((-a) ** 2, "(-a)^2"),
        (a / (b * 2), "a / (b * 2)"),
        (2 - a, "2 - a"),
        (a * -2.5, "a * (-2.5)"),
        (a**-1, "a^(-1)"),
        (if_(a > 0, tanh(a), -b), "if(a > 0, tanh(a), -b)"),
        ("x + 1" * a, "(x + 1) * a"),
        (Expr("x + 1") * 2, "(x + 1) * 2"),
        (-Expr("a - b"), "-(a - b)"),
        (Expr("a > b") + 1, "(a > b) + 1"),
        (Expr("bar.angle") * 2, "bar.angle * 2"),
        (vec([a, 1]), "[a, 1]"),
        (abs(a - b), "abs(a - b)"),
        (np.float64(2.0) * a, "2.0 * a"),
    ]:
        assert str(found) == text


def test_an_identity_of_python_is_no_condition() -> None:
    a = Expr("a")
    for wrong in (a == 0, a != 0, np.bool_(True)):
        with pytest.raises(gradyn.ArgumentError, match="are the same") as caught:
            if_(wrong, a, 1)
        assert ">=" in (caught.value.help or "")


def test_operators_have_the_values_of_python() -> None:
    rng = np.random.default_rng(3)

    # random trees of operators, evaluated by Python and by a model
    def tree(depth: int, leaf) -> object:
        if depth == 0:
            return leaf(rng.integers(2))
        x, y = tree(depth - 1, leaf), tree(depth - 1, leaf)
        return [lambda: x + y, lambda: x - y, lambda: x * y, lambda: x / (y * y + 1.5), lambda: -x][
            rng.integers(5)
        ]()

    values = (0.7, -1.3)
    for k in range(10):
        state = rng.bit_generator.state
        expected = tree(4, lambda i: values[i])
        rng.bit_generator.state = state
        text = tree(4, lambda i: [Expr("u"), Expr("w")][i])
        m = pendulum()
        m.parameter("u", values[0])
        m.parameter("w", values[1])
        m.objective("value", terminal=text + 0 * Expr("bar.angle"))
        found = m.model().using(t_end=0.01).values()[2]
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-13), str(text)


def test_a_function_of_python_is_no_law() -> None:
    m = pendulum()
    with pytest.raises(gradyn.ArgumentError, match="`spring` is a function of Python") as caught:

        def spring(angle: float) -> float:
            return -angle

        m.force("motor", "torque", on="bar", torque=spring)
    assert "gradyn.expressions" in (caught.value.help or "")
    with pytest.raises(gradyn.ArgumentError, match="known in a run only"):
        max(Expr("a"), 1)


def test_a_name_that_is_there_twice_is_refused() -> None:
    m = pendulum()
    with pytest.raises(gradyn.ArgumentError, match="body `bar`"):
        m.body("bar")
    with pytest.raises(gradyn.ArgumentError, match="point `O`"):
        m.ground(O=[1, 1])


def test_a_mistake_has_its_line_in_the_text() -> None:
    m = pendulum()
    m.joint("other", "revolut", between=["ground.O", "bar.B"])
    with pytest.raises(gradyn.ModelError) as caught:
        m.model()
    assert "revolut" in m.to_toml().splitlines()[caught.value.line - 1]


def test_texts_of_any_kind_are_written_so_that_they_are_read() -> None:
    m = gradyn.Mechanism('a "b" \\ \n\t é', gravity=np.array([0, -9.81]))
    m.point("p q", (1, np.float64(2.5), True))
    back = gradyn.Mechanism.from_toml(m.to_toml())
    assert back.sections == m.sections
