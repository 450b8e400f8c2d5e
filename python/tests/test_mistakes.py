"""Mistakes: each message names the thing, and every exception pickles."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest

import gradyn

PENDULUM = gradyn.example("pendulum").text


def again(e: BaseException) -> BaseException:
    """The exception after a journey to another process."""
    return pickle.loads(pickle.dumps(e))


def test_a_mistake_in_a_file_has_its_place(tmp_path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(PENDULUM.replace("revolute", "revolut", 1))
    with pytest.raises(gradyn.ModelError) as caught:
        gradyn.load(path)
    for e in (caught.value, again(caught.value)):
        assert isinstance(e, ValueError)
        assert e.file == str(path)
        assert e.marked is not None and e.marked.strip('"') == "revolut"
        line = path.read_text().splitlines()[e.line - 1]
        assert "revolut" in line[e.column - 1 :]
        assert "revolute" in (e.help or "") + str(e)


def test_a_name_that_does_not_exist_is_named(five_bar: gradyn.Model) -> None:
    with pytest.raises(gradyn.ArgumentError, match="there is no parameter `L_A2`"):
        five_bar.gradient({"L_A2": 1.0})
    with pytest.raises(gradyn.ArgumentError, match="there is no parameter or constant `nothing`"):
        five_bar.with_(nothing=1.0)
    with pytest.raises(gradyn.ArgumentError, match="there is no objective `psi9`"):
        five_bar.objective("psi9")
    with pytest.raises(gradyn.MethodError, match="newmrk"):
        five_bar.simulate(integrator="newmrk")
    with pytest.raises(gradyn.MethodError, match="xj"):
        five_bar.simulate(options={"xj": 1})
    with pytest.raises(gradyn.ArgumentError, match="there is no example `five_bars`"):
        gradyn.example("five_bars")
    with pytest.raises(KeyError, match="there is no sensor `no_such`"):
        five_bar.simulate()["no_such"]
    with pytest.raises(gradyn.ArgumentError, match="there is no keyword `tend`"):
        five_bar.simulate(tend=2)
    with pytest.raises(gradyn.UnknownNameError, match="'L_A1': 1.0"):
        five_bar.gradient(L_A1=1.5)
    with pytest.raises(gradyn.ArgumentError, match="which objective"):
        five_bar.objective()


def test_arrays_that_do_not_fit_are_refused(five_bar: gradyn.Model) -> None:
    with pytest.raises(gradyn.ArgumentError, match=r"shape \(2,\) for 5 parameters"):
        five_bar.gradient(np.ones(2))
    with pytest.raises(gradyn.ArgumentError, match=r"shape \(1, 5\)"):
        five_bar.gradient(np.ones((1, 5)))
    with pytest.raises(gradyn.ArgumentError, match="complex128"):
        five_bar.gradient(np.ones(5, dtype=complex))
    with pytest.raises(gradyn.ArgumentError, match="no real numbers"):
        five_bar.gradient(np.array(["a"] * 5))
    with pytest.raises(gradyn.ArgumentError, match="`L_B1`|`L_A1`"):
        x = five_bar.x0.copy()
        x[list(five_bar.parameters).index("L_A1")] = np.nan
        five_bar.gradient(x)
    with pytest.raises(gradyn.ArgumentError, match="samples"):
        five_bar.batch(np.ones((3, 2)))


def test_counts_names_and_sizes_of_calls_are_checked(balance: gradyn.Model) -> None:
    for call, name in (
        (lambda: balance.using(memory=-1), "memory: -1"),
        (lambda: balance.using(memory=1.5), "memory: 1.5"),
        (lambda: balance.using(memory=True), "memory: True"),
        (lambda: balance.using(formulation=3), "formulation: 3"),
        (lambda: balance.using(integrator=b"rk4"), "integrator: b'rk4'"),
        (lambda: balance.optimize(starts=-1), "starts: -1"),
        (lambda: balance.optimize(starts=0), "starts: 0"),
        (lambda: balance.optimize(seed=-1), "seed: -1"),
        (lambda: balance.optimize(max_evaluations=2**70), "max_evaluations: "),
        (lambda: balance.optimize(optimizer=3), "optimizer: 3"),
        (lambda: balance.sweep([[2.0, 1.5]], chunk=0), "chunk: 0"),
        (lambda: balance.sweep([[2.0, 1.5]], retries=-1), "retries: -1"),
    ):
        with pytest.raises(gradyn.ArgumentError, match=name):
            call()
    assert balance.using(memory=np.int64(10**9))._spec.complete()["memory"] == 10**9


def test_values_by_name_have_one_number_each(five_bar: gradyn.Model) -> None:
    with pytest.raises(gradyn.ArgumentError, match=r"parameter `L_A1`: an array of shape \(2,\)"):
        five_bar.values({"L_A1": [1.0, 2.0]})
    with pytest.raises(gradyn.ArgumentError, match=r"parameter `L_A1`: an array of shape \(0,\)"):
        five_bar.values({"L_A1": []})
    with pytest.raises(gradyn.ArgumentError, match=r"parameter `L_A1`: an array of shape \(2, 2\)"):
        five_bar.batch({"L_A1": np.ones((2, 2))})
    with pytest.raises(gradyn.ArgumentError, match=r"`L_A1`.*complex128"):
        five_bar.values({"L_A1": 1j})


def test_masked_arrays_are_refused_by_name(five_bar: gradyn.Model) -> None:
    masked = np.ma.masked_array(five_bar.x0, mask=[True, False, False, False, False])
    with pytest.raises(gradyn.ArgumentError, match="parameters: a masked array"):
        five_bar.values(masked)
    with pytest.raises(gradyn.ArgumentError, match="parameter `L_A1`: a masked array"):
        five_bar.batch({"L_A1": np.ma.masked_array([1.0, 2.0], mask=[True, False])})
    with pytest.raises(gradyn.ArgumentError, match="x: a masked array"):
        five_bar.objective("psi1")(masked)


def test_a_series_goes_by_its_names(five_bar: gradyn.Model) -> None:
    pandas = pytest.importorskip("pandas")
    names = list(five_bar.parameters)
    expected = five_bar.values().tolist()
    turned = pandas.Series(five_bar.x0[::-1], index=names[::-1])
    assert five_bar.values(turned).tolist() == expected
    assert five_bar.batch([turned])[0][0].tolist() == expected
    assert five_bar.objective("psi1")(turned)[0] == expected[0]
    samples = five_bar.sampled([0.1])
    assert samples.jvp(turned).tolist() == samples.jvp(five_bar.x0).tolist()
    with pytest.raises(gradyn.UnknownNameError, match="there is no parameter `0`"):
        five_bar.values(pandas.Series(five_bar.x0))
    with pytest.raises(gradyn.ArgumentError, match="the label `L_A1` twice"):
        five_bar.values(pandas.Series([1.0, 2.0], index=["L_A1", "L_A1"]))
    with pytest.raises(gradyn.ArgumentError, match="`L_A1` is there twice"):
        five_bar.batch(pandas.DataFrame([[1.0, 2.0]], columns=["L_A1", "L_A1"]))


def test_a_table_of_any_library_goes_by_its_columns(five_bar: gradyn.Model) -> None:
    class Table(dict):
        """Columns by name, as tables of other libraries than pandas have them."""

        columns = property(lambda self: list(self))

        def to_numpy(self) -> None:
            raise AssertionError("columns have names")

    class Column(list):
        def to_numpy(self) -> np.ndarray:
            return np.array(self)

    lengths = Column([five_bar.parameters["L_A1"].value])
    assert five_bar.batch(Table(L_A1=lengths))[0][0].tolist() == five_bar.values(five_bar.x0).tolist()


def test_directions_that_do_not_fit_are_refused(five_bar: gradyn.Model) -> None:
    samples = five_bar.sampled([0.1, 0.2])
    with pytest.raises(gradyn.ArgumentError, match="direction: an array of complex128"):
        samples.jvp(np.ones(5, dtype=complex))
    for shape in ((4,), (5, 1), (1, 5), ()):
        with pytest.raises(gradyn.ArgumentError, match="for 5 parameters"):
            samples.jvp(np.ones(shape))
    with pytest.raises(gradyn.ArgumentError, match="weights: an array of complex128"):
        samples.vjp(samples.values * 1j)


def test_arrays_of_any_layout_are_the_same_numbers(five_bar: gradyn.Model) -> None:
    expected = five_bar.value_and_jacobian()[1].tolist()
    wide = np.zeros((5, 2))
    wide[:, 0] = five_bar.x0
    assert five_bar.value_and_jacobian(wide[:, 0])[1].tolist() == expected
    assert five_bar.value_and_jacobian(five_bar.x0[::-1].copy()[::-1])[1].tolist() == expected
    assert five_bar.value_and_jacobian(five_bar.x0.tolist())[1].tolist() == expected
    assert five_bar.batch(np.asfortranarray(np.tile(five_bar.x0, (2, 1))))[1][1].tolist() == expected


def test_results_are_read_only(five_bar: gradyn.Model) -> None:
    g = five_bar.gradient(certificate=False)
    run = g.run
    for array in (
        g.values,
        g.jacobian,
        run.t,
        run[five_bar.sensors[0]],
        five_bar.x0,
        g.contributions().records,
    ):
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[...] = 0
    assert np.shares_memory(run.t, run._rows()[1])


def test_a_run_that_fails_says_when_and_where() -> None:
    text = PENDULUM + '\n[force.wall]\ntype = "torque"\non = "bar"\ntorque = "1/(0.1 - t) * 1e9"\n'
    model = gradyn.loads(text)
    with pytest.raises(gradyn.SimulationError) as caught:
        model.simulate(t_end=1.0)
    for e in (caught.value, again(caught.value)):
        assert isinstance(e, RuntimeError)
        assert e.t is None or 0 <= e.t <= 1.0
        assert e.message


def test_a_time_limit_is_an_error_of_its_own() -> None:
    with pytest.raises(gradyn.TimeLimitError) as caught:
        gradyn.example("five_bar").simulate(time_limit=0.0)
    assert caught.value.t is not None and caught.value.step == 1


def test_a_panic_asks_to_be_reported(capfd) -> None:
    with pytest.raises(gradyn.InternalError, match="please report"):
        gradyn._core.provoke_panic()
    again(gradyn.InternalError("x"))


def test_warnings_have_a_category_of_their_own() -> None:
    model = gradyn.example("catapult")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = model.simulate(t_end=0.25)
    assert all(issubclass(w.category, gradyn.GradynWarning) for w in caught)
    assert [w.message.code for w in caught] == [w.code for w in run.warnings]
    assert "not-reached" in [w.code for w in run.warnings]
    assert again(run.warnings[0]).code == run.warnings[0].code


def test_models_are_made_by_functions() -> None:
    with pytest.raises(TypeError, match="gradyn.load"):
        gradyn.Model()


def test_html_is_escaped() -> None:
    text = PENDULUM.replace("name", "name", 1)
    model = gradyn.loads(re.sub(r"^name\s*=.*$", 'name = "<b>&"', text, count=1, flags=re.MULTILINE))
    run = model.simulate(t_end=0.1)
    g = run.gradient()
    for html in (run._repr_html_(), g._repr_html_()):
        assert "<b>" not in html and "&lt;b&gt;&amp;" in html
