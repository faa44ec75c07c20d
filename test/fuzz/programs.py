"""Random programs: a mesh, arguments of all layouts, operations on them, updates, results."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import coconet_mlir as cc

from fuzz.draw import NUMBERS, Draw, Value
from fuzz.operations import OPERATIONS, POINTWISE, Proposal, all_reduce
from fuzz.recipe import Argument, Builder, Call, Recipe, Size, build, mesh_of, needs, specs_of

RANKS = (1, 2, 3, 4, 5, 8)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16)
MOST_RANKS = 8
_TRIES = 10

Watch = Callable[[Recipe], None]


def draw_recipe(seed: int, watch: Watch = lambda recipe: None) -> Recipe:
    """A well typed program. `watch` sees it before each call that is tried on it."""
    rng = random.Random(seed)
    mesh = _mesh(rng)
    sizes = dict(zip("nmk", rng.sample(SIZES, 3), strict=True))
    draw = Draw(rng, mesh, sizes)
    recipe = Recipe(mesh, sizes, False, _arguments(draw), (), ())
    calls: list[Call] = []
    results: list[int] = []

    def f(**arguments: cc.Tensor) -> dict[str, cc.Tensor]:
        builder = Builder(recipe, {int(name[1:]): value for name, value in arguments.items()})
        for argument in recipe.arguments:
            tensor = builder.tensors[argument.number]
            draw.values.append(Value(argument.number, tensor, argument.state))

        def attempt(call: Call) -> bool:
            watch(replace(recipe, calls=(*calls, call)))
            try:
                tensor = builder.apply(call)
            except (cc.ProgramError, cc.InputError):
                return False
            calls.append(call)
            draw.values.append(Value(call.number, tensor))
            return True

        if draw.chance(0.6):
            _computation(draw, attempt)
        _operations(draw, attempt)
        _updates(draw, attempt, calls)
        results.extend(_results(draw, calls))
        return {f"r{number}": builder.tensors[number] for number in results}

    cc.trace(f, mesh=mesh_of(recipe), **specs_of(recipe))
    static = replace(recipe, calls=tuple(calls), results=tuple(results))
    return _opened(static, watch) if rng.random() < 0.6 else static


def _opened(static: Recipe, watch: Watch) -> Recipe:
    """The same with open sizes, where it is well typed without them too."""
    opened = replace(static, open=True)
    watch(opened)
    try:
        build(opened)
    except (cc.ProgramError, cc.InputError):
        return static
    return opened


def _mesh(rng: random.Random) -> dict[str, int]:
    if rng.random() < 0.7:
        return {"dp": rng.choice(RANKS)}
    pairs = [(a, b) for a in range(1, 5) for b in range(1, 5) if a * b <= MOST_RANKS]
    return dict(zip(("dp", "tp"), rng.choice(pairs), strict=True))


# ===- Arguments -------------------------------------------------------------===


def _arguments(draw: Draw) -> tuple[Argument, ...]:
    """At least one pending value of the program's main shape and type, mostly with states."""
    rng = draw.rng
    main = rng.choice(["f32", "f32", "f32", *NUMBERS])
    dims = [Size(name) if rng.random() < 0.75 else rng.choice(SIZES[1:]) for name in "nmk"]
    shape = tuple(dims[: rng.choice([0, 1, 1, 2, 2, 2, 3])])
    kinds = ["partial", *rng.choices(_KINDS, _WEIGHTS, k=rng.randint(1, 5))]
    arguments = []
    for kind in kinds:
        dtype = main if rng.random() < 0.85 else rng.choice(NUMBERS)
        own = _shape(rng, shape, dims) if kind not in ("partial", "state") else shape
        if kind == "mask":
            dtype = "i1"
        options = _options(draw, kind, len(own), dtype)
        arguments.append(Argument(len(arguments), own, dtype, options))
    if rng.random() < 0.3:
        arguments.append(Argument(len(arguments), (), rng.choice(["i32", "i64"])))
    return tuple(arguments)


_LIKELY = {
    "tensor": 4,
    "state": 4,
    "partial": 2,
    "cut": 2,
    "flat": 0.7,
    "local": 1.2,
    "rooted": 0.4,
    "mask": 0.7,
}
_KINDS, _WEIGHTS = list(_LIKELY), list(_LIKELY.values())


def _shape(rng: random.Random, main: tuple[Any, ...], dims: list[Any]) -> tuple[Any, ...]:
    choice = rng.random()
    if choice < 0.5:
        return main
    if choice < 0.7:
        return main[rng.randint(0, len(main)) :]
    if choice < 0.8:
        return tuple(1 if rng.random() < 0.5 else dim for dim in main)
    return tuple(rng.sample(dims, rng.randint(1, 3)))


def _options(draw: Draw, kind: str, rank: int, dtype: str) -> dict[str, Any]:
    rng = draw.rng
    if kind == "partial":
        # Reductions of unlike kinds do not commute, so one value has one.
        reduction = rng.choice(["sum", "sum", "sum", "max", "min"])
        return {"partial": dict.fromkeys(draw.axes(), reduction)}
    if kind == "local":
        return {"local": tuple(sorted(draw.axes()))}
    if kind == "rooted":
        axis = rng.choice(list(draw.mesh))
        return {"rooted": {axis: rng.randrange(draw.mesh[axis])}}
    options: dict[str, Any] = {"state": True} if kind == "state" else {}
    cut = kind in ("cut", "flat") or (kind in ("state", "mask") and rng.random() < 0.3)
    if cut and (kind == "flat" or rank == 0 or rng.random() < 0.1):
        options["cut"] = {"flat": draw.axes()}
    elif cut:
        options["cut"] = _cuts(draw, rank)
    return options


def _cuts(draw: Draw, rank: int) -> dict[int, tuple[str, ...]]:
    axes = draw.axes()
    if len(axes) == 2 and rank >= 2 and draw.chance(0.6):
        dims = draw.rng.sample(range(rank), 2)
        return {dims[0]: axes[:1], dims[1]: axes[1:]}
    return {draw.rng.randrange(rank): axes}


# ===- Body ------------------------------------------------------------------===


Attempt = Callable[[Call], bool]
Table = list[tuple[float, Proposal]]


def _one_of(draw: Draw, attempt: Attempt, table: Table) -> bool:
    weights = [weight for weight, _ in table]
    for _ in range(_TRIES):
        _, propose = draw.rng.choices(table, weights)[0]
        call = propose(draw)
        if call is not None and attempt(call):
            return True
    return False


def _computation(draw: Draw, attempt: Attempt) -> None:
    """What optimizers are made of: a reduction, and a chain of pointwise operations after it."""
    if not _one_of(draw, attempt, [(1, all_reduce)]):
        return
    draw.chained = True
    for _ in range(draw.rng.randint(1, 5)):
        _one_of(draw, attempt, POINTWISE)
    draw.chained = False
    last = draw.values[-1]
    for state in [value for value in draw.values if value.state]:
        function = draw.rng.choice(["add", "sub", "mul", "max"])
        group = {"name": draw.group}
        if attempt(draw.plain(function, state.ref, last.ref, **group)) and draw.chance(0.9):
            attempt(draw.plain("update", state.ref, draw.values[-1].ref))
            # Whole uses elsewhere keep a state from being held in slices.
            state.hidden = draw.chance(0.7)
    if draw.chance(0.7):
        draw.new_group()


def _operations(draw: Draw, attempt: Attempt) -> None:
    for _ in range(draw.rng.randint(2, 12)):
        _one_of(draw, attempt, OPERATIONS)
        if draw.chance(0.1):
            draw.new_group()


def _updates(draw: Draw, attempt: Attempt, calls: list[Call]) -> None:
    done = {call.operands[0].number for call in calls if call.function == "update"}
    for state in [value for value in draw.values if value.state]:
        if state.number in done or draw.chance(0.1):
            continue
        ready = [
            value
            for value in draw.values
            if value.tensor.type == state.tensor.type and value.number > state.number
        ]
        if ready and draw.chance(0.8):
            attempt(draw.plain("update", state.ref, draw.rng.choice(ready).ref))
            continue
        function = "add" if state.dtype in NUMBERS else "select"
        for _ in range(_TRIES):
            value = draw.like(state)
            if value is None:
                break
            operands = [state.ref, value.ref]
            if function == "select":
                operands.insert(0, state.ref)
            if attempt(draw.call(function, *operands)):
                attempt(draw.plain("update", state.ref, draw.values[-1].ref))
                break


def _results(draw: Draw, calls: list[Call]) -> list[int]:
    """Values that nothing else uses, and now and then another one."""
    used = {number for call in calls for number in needs(call)}
    idle = [call.number for call in calls if call.number not in used and call.function != "update"]
    rest = [call.number for call in calls if call.number not in idle]
    wanted = draw.rng.sample(idle, min(len(idle), 3))
    if rest and draw.chance(0.3):
        wanted.append(draw.rng.choice(rest))
    return wanted
