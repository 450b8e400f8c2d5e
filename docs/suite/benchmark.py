"""The benchmarks of this folder, for other programs: reading, expressions, and one table.

A file has the model with every part written out (keys as in docs/MODEL_FILE.md), the bodies at the start, and the
numbers to compare with. Nothing here needs a package.
"""

import json
import math
import os
import re
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
UNITS = {"deg": math.pi / 180, "mm": 1e-3, "cm": 1e-2, "ms": 1e-3, "m": 1.0, "s": 1.0, "kg": 1.0, "rad": 1.0}
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "exp", "atan2", "tanh")}


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def names():
    return sorted(f[:-5] for f in os.listdir(FOLDER) if f.endswith(".json"))


def python(text):
    """An expression of a model file as one of Python."""
    text = re.sub(r"(\d)\s+(deg|mm|cm|ms|kg|rad|m|s)\b", lambda u: f"{u[1]}*{UNITS[u[2]]!r}", str(text))
    return text.replace("^", "**")


def evaluate(x, values, functions=FUNCTIONS):
    """The value of a number or expression; `values` are those of names."""
    if not isinstance(x, str):
        return x
    return eval(python(x), {"__builtins__": {}, "pi": math.pi, **functions}, values)


def values(benchmark, functions=FUNCTIONS, parameters=None):
    """Parameters and constants by name."""
    known = dict(parameters or {p["name"]: p["value"] for p in benchmark["parameters"]})
    left = dict(benchmark["model"].get("constants", {}))
    while left:
        ready = [n for n in left if not set(re.findall(r"\b[A-Za-z_]\w*", str(left[n]))) & set(left)]
        if not ready:
            raise Unable("constants that refer to each other")
        for n in ready:
            known[n] = evaluate(left.pop(n), known, functions)
    return known


class Unable(Exception):
    """What a program cannot do with a benchmark."""


def quantities(benchmark):
    """(key, value, accuracy) of every number: key = (objective,), (objective, parameter) or (sample, time)."""
    for r in benchmark["references"]:
        a = r["accuracy"]
        bound = lambda x: a.get("absolute", 0.0) + a.get("relative", 0.0) * abs(x)
        for name, x in r.get("objectives", {}).items():
            yield (name,), x, bound(x)
        for name, row in r.get("gradient", {}).items():
            for over, x in row.items():
                yield (name, over), x, bound(x)
        for name, column in r.get("samples", {}).items():
            for t, x in zip(r["times"], column):
                yield (name, t), x, bound(x)


def word(key):
    if len(key) == 1:
        return key[0]
    return f"d {key[0]}/d {key[1]}" if isinstance(key[1], str) else f"{key[0]} at {key[1]} s"


def table(program, solve, chosen=None):
    """Runs `solve(benchmark)`, a dictionary of numbers by key, and prints each beside its reference."""
    unable, summary = [], []
    for name in chosen or sys.argv[1:] or names():
        benchmark = load(name)
        started = time.perf_counter()
        try:
            ours = solve(benchmark)
            if not ours:
                raise Unable("none of its numbers is translated")
        except Unable as why:
            unable.append(f"{name}: {why}")
            continue
        seconds = time.perf_counter() - started
        worst, count, all_numbers = 0.0, 0, list(quantities(benchmark))
        for key, x, bound in all_numbers:
            if key in ours:
                difference = float(ours[key]) - x
                relative = max(abs(difference) - bound, 0.0) / max(abs(x), 1e-12)
                worst, count = max(worst, relative), count + 1
                print(f"{name:20} {word(key):32} {x:20.12e} {float(ours[key]):20.12e} {difference:9.1e} {bound:9.1e}")
        summary.append(f"| {name} | {count} of {len(all_numbers)} | {worst:.0e} | {seconds:.2f} |")
    print(f"\n{program}\n\n| benchmark | numbers | largest relative difference beyond the accuracy | seconds |")
    print("| --- | --: | --: | --: |")
    print("\n".join(summary))
    if unable:
        print("\nNot done:\n" + "\n".join(f"* {line}" for line in unable))
