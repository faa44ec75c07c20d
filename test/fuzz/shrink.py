"""A failing pair made small: fewer steps, calls, arguments and results, smaller sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from fuzz.pairs import Pair
from fuzz.recipe import Recipe, Ref, needs

SMALLER = (1, 2, 3)


def shrink(pair: Pair, fails: Callable[[Pair], bool], seconds: float = 60) -> Pair:
    """The smallest pair found that still fails, by greedy removal."""
    limit = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < limit:
        changed = False
        for smaller in _smaller(pair):
            if time.monotonic() > limit:
                break
            if fails(smaller):
                pair, changed = smaller, True
                break
    return pair


def _smaller(pair: Pair) -> Iterator[Pair]:
    """Pairs with something less, larger cuts first."""
    if len(pair.meshes) > 1:
        yield from (replace(pair, meshes=(mesh,)) for mesh in pair.meshes)
    for index in range(len(pair.steps)):
        yield replace(pair, steps=pair.steps[:index] + pair.steps[index + 1 :])
    if pair.compiles:
        yield replace(pair, compiles=False)
    for recipe in _smaller_recipes(pair.recipe):
        yield replace(pair, recipe=recipe)
    for index, mesh in enumerate(pair.meshes):
        for axis, size in mesh.items():
            for less in SMALLER:
                if less < size:
                    meshes = list(pair.meshes)
                    meshes[index] = {**mesh, axis: less}
                    recipe = pair.recipe if pair.recipe.open else _on(pair.recipe, meshes[index])
                    yield replace(pair, recipe=recipe, meshes=tuple(meshes))


def _on(recipe: Recipe, mesh: dict[str, int]) -> Recipe:
    return replace(recipe, mesh=mesh)


def _smaller_recipes(recipe: Recipe) -> Iterator[Recipe]:
    for number in recipe.results:
        if len(recipe.results) > 1:
            yield replace(recipe, results=tuple(n for n in recipe.results if n != number))
    for call in reversed(recipe.calls):
        yield _without(recipe, {call.number})
    for call in reversed(recipe.calls):
        # What used the result uses an operand of it.
        for operand in sorted(needs(call)):
            yield _without(_renamed(recipe, call.number, operand), {call.number})
    used = {n for call in recipe.calls for n in needs(call)} | set(recipe.results)
    for argument in recipe.arguments:
        if argument.number not in used:
            rest = tuple(a for a in recipe.arguments if a.number != argument.number)
            yield replace(recipe, arguments=rest)
    for name, size in recipe.sizes.items():
        for less in SMALLER:
            if less < size:
                yield replace(recipe, sizes={**recipe.sizes, name: less})


def _without(recipe: Recipe, gone: set[int]) -> Recipe:
    """The recipe without these calls and all that depends on them."""
    kept = []
    for call in recipe.calls:
        if call.number in gone or needs(call) & gone:
            gone = gone | {call.number}
        else:
            kept.append(call)
    results = tuple(number for number in recipe.results if number not in gone)
    return replace(recipe, calls=tuple(kept), results=results)


def _renamed(recipe: Recipe, old: int, new: int) -> Recipe:
    def swap(part: object) -> object:
        if isinstance(part, Ref):
            return Ref(new) if part.number == old else part
        if isinstance(part, list | tuple):
            return type(part)(swap(each) for each in part)
        return part

    calls = tuple(
        replace(
            call,
            operands=tuple(swap(operand) for operand in call.operands),
            options={key: swap(value) for key, value in call.options.items()},
        )
        for call in recipe.calls
    )
    results = tuple(new if number == old else number for number in recipe.results)
    return replace(recipe, calls=calls, results=tuple(dict.fromkeys(results)))
