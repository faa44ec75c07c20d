"""Faults that people met in practice, by id: small inputs with their right answers, compiled."""

from __future__ import annotations

import re

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.binding import bind, run_pipeline
from compiled_support import f32, results, traced

DP = cc.mesh(dp="?")


# ===- Shapes and layout -----------------------------------------------------===


def test_case_S01_uneven_chunks_keep_the_logical_size():
    def body(x, w):
        part = cc.shard(x, "dp")
        cc.update(w, part)
        return cc.all_gather(part), part

    program = traced(body, DP, x=cc.tensor(("n", 2)), w=cc.state("n", 2, cut={0: "dp"}))
    for ranks, sizes in ((4, [3, 3, 3, 0]), (8, [2, 2, 2, 2, 1, 0, 0, 0])):
        x = np.arange(18, dtype=np.float32).reshape(9, 2)
        with program.compile(ranks=ranks) as exe:
            for result in exe(x=x).values():
                np.testing.assert_array_equal(result, x)
            assert [len(part) for part in exe.state["w"]] == sizes
            np.testing.assert_array_equal(np.concatenate(exe.state["w"]), x)

    def scatter(g, w):
        cc.update(w, cc.reduce_scatter(g))

    program = traced(scatter, DP, g=cc.partial("n", dp="sum"), w=cc.state("n", cut={0: "dp"}))
    with program.compile(ranks=3) as exe:
        exe(g=np.ones((3, 7), np.float32))
        assert [list(part) for part in exe.state["w"]] == [[3, 3, 3], [3, 3, 3], [3]]


def test_case_S03_all_to_all_concatenates_in_the_order_of_senders():
    def body(x):
        y = cc.all_to_all(x, 1, 0, groups=[[0, 1]])
        return y, cc.all_to_all(y, 0, 1, groups=[[0, 1]])

    program = traced(body, cc.mesh(dp=2), x=cc.local(4, 2, axes="dp"))
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    x = np.stack([x, x + 10])
    moved, back = results(program, {"x": x})
    expected = [[[0, 1, 10, 11], [2, 3, 12, 13]], [[4, 5, 14, 15], [6, 7, 16, 17]]]
    np.testing.assert_array_equal(moved, expected)
    np.testing.assert_array_equal(back, x)


def test_case_S05_gather_and_scatter_along_another_dimension():
    def body(x, a, b):
        return cc.all_gather(x, 1, groups=[[0, 1]]), cc.reduce_scatter(a @ b, 1)

    program = traced(
        body,
        cc.mesh(dp=2),
        x=cc.local(2, 2, axes="dp"),
        a=cc.tensor((2, 2), cut={1: "dp"}),
        b=cc.tensor((2, 4), cut={0: "dp"}),
    )
    x, a, b = f32([[1, 2], [3, 4]], [[5, 6], [7, 8]]), f32([1, 3], [2, 4]), np.arange(1, 9)
    fused = program.schedule()
    gathered, product = results(fused, {"x": x, "a": a, "b": b.reshape(2, 4).astype(np.float32)})
    np.testing.assert_array_equal(gathered, [[[1, 2, 5, 6], [3, 4, 7, 8]]] * 2)
    np.testing.assert_array_equal(product, [[16, 20, 24, 28], [22, 28, 34, 40]])


@pytest.mark.parametrize("chunks", [1, 2, 4])
def test_case_S05_scattering_another_dimension_beside_its_product(chunks):
    def body(a, b):
        return (cc.reduce_scatter(cc.matmul(a, b, name="mm"), 1, name="rs"),)

    program = traced(
        body,
        cc.mesh(dp=2),
        a=cc.tensor((2, 2), cut={1: "dp"}),
        b=cc.tensor((2, 4), cut={0: "dp"}),
    )
    a, b = f32([1, 3], [2, 4]), np.arange(1, 9, dtype=np.float32).reshape(2, 4)
    for dim, parts in ((0, chunks), (1, min(chunks, 2))):
        schedule = program.schedule()
        if parts > 1:
            schedule = schedule.overlap("mm", "rs", chunks=parts, dim=dim)
            assert schedule.verify()
        product = results(schedule, {"a": a, "b": b})[0]
        np.testing.assert_array_equal(product, [[16, 20, 24, 28], [22, 28, 34, 40]])


@pytest.mark.parametrize("ranks", [2, 3])
def test_case_S06_empty_tensors_and_empty_chunks(ranks):
    def body(g, x, y):
        return cc.all_reduce(g), cc.all_gather(x), cc.all_to_all(y, 0, 1)

    program = traced(
        body,
        DP,
        g=cc.partial("n", dp="sum"),
        x=cc.sliced("n", dp=0),
        y=cc.tensor(("n", 3), cut={0: "dp"}),
    )
    for size in (0, 1):
        ones = np.ones((ranks, size), np.float32)
        y = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
        total, x, moved = results(program, {"g": ones, "x": ones[0], "y": y}, ranks=ranks)
        assert list(total) == [ranks] * size
        assert list(x) == [1] * size
        np.testing.assert_array_equal(moved, y)


# ===- Verifier --------------------------------------------------------------===


@pytest.mark.parametrize("groups", [[[0, 1], [1, 2]], [[0, 4]], [], [[]]])
def test_case_V01_groups_are_checked(groups):
    with pytest.raises(cc.ProgramError, match="groups"):
        traced(
            lambda x: (cc.all_reduce(x, groups=groups),), cc.mesh(dp=4), x=cc.local(4, axes="dp")
        )


def test_case_V01_sizes_of_groups_are_equal_where_the_shape_depends_on_them():
    mesh, x = cc.mesh(dp=4), cc.local(1, axes="dp")
    with pytest.raises(cc.ProgramError, match="groups"):
        traced(lambda x: (cc.all_gather(x, groups=[[0], [1, 2, 3]]),), mesh, x=x)
    values = f32([1], [2], [3], [4])
    for groups, expected in (
        ([[0, 2], [1, 3]], [[1, 3], [2, 4], [1, 3], [2, 4]]),
        ([[3, 2, 1, 0]], [[4, 3, 2, 1]] * 4),
    ):
        program = traced(lambda x, g=groups: (cc.all_gather(x, groups=g),), mesh, x=x)
        np.testing.assert_array_equal(results(program, {"x": values})[0], expected)


# ===- Legality of rewrites --------------------------------------------------===


def test_case_L02_gathers_that_differ_stay_apart():
    def body(x):
        return cc.all_gather(x, groups=[[0, 1], [2, 3]]), cc.all_gather(x, groups=[[0, 2], [1, 3]])

    program = traced(body, cc.mesh(dp=4), x=cc.local(1, axes="dp"))
    near, far = results(program, {"x": f32([0], [1], [2], [3])})
    np.testing.assert_array_equal(near, [[0, 1], [0, 1], [2, 3], [2, 3]])
    np.testing.assert_array_equal(far, [[0, 2], [1, 3], [0, 2], [1, 3]])


LOCAL = "tensor<2x2xf32, #local>"
GATHER, OTHER_GROUPS, OTHER_DIM = (
    f"coconet.all_gather %x from {dim} on groups {groups} : {LOCAL} -> tensor<{shape}xf32, #local>"
    for dim, groups, shape in (
        (0, "[[0, 1], [2, 3]]", "4x2"),
        (0, "[[0, 2], [1, 3]]", "4x2"),
        (1, "[[0, 1], [2, 3]]", "2x4"),
    )
)
SUM, MAX, OTHER_SUM = (
    f"coconet.all_reduce {kind} %x on groups {groups} : {LOCAL} -> {LOCAL}"
    for kind, groups in (
        ("sum", "[[0, 1], [2, 3]]"),
        ("max", "[[0, 1], [2, 3]]"),
        ("sum", "[[0, 2], [1, 3]]"),
    )
)
ROOT_0, ROOT_1 = (
    f"coconet.broadcast %x root {root} on groups [[0, 1], [2, 3]] : {LOCAL} -> {LOCAL}"
    for root in (0, 1)
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (GATHER, OTHER_GROUPS),
        (GATHER, OTHER_DIM),
        (GATHER, GATHER.replace("[0, 1]", "[1, 0]")),
        (SUM, MAX),
        (SUM, OTHER_SUM),
        (ROOT_0, ROOT_1),
    ],
)
def test_case_L02_only_equal_collectives_are_merged(first, second):
    def left(*operations):
        types = ", ".join(operation.split(" -> ")[1] for operation in operations)
        lines = "\n".join(f"%{i} = {operation}" for i, operation in enumerate(operations))
        values = ", ".join(f"%{i}" for i in range(len(operations)))
        program = cc.parse(
            "#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>\n"
            f"func.func @f(%x: {LOCAL}) -> ({types}) {{\n{lines}\nreturn {values} : {types}\n}}"
        )
        run_pipeline(program, "builtin.module(cse,canonicalize)")
        return len(re.findall(r"= coconet\.(?:all|broadcast)", str(program)))

    assert left(first, second) == 2
    assert left(first, first) == 1


def test_case_L02_a_real_shard_by_another_axis_stays():
    """Rank (i, j) holds 10 i + j and has a function of its own."""
    functions = [
        f"""
    func.func @f{rank}(%x: tensor<1xf32> {{coconet.arg_name = "x{rank}"}})
        -> (tensor<1xf32> {{coconet.result_name = "y{rank}"}})
        attributes {{coconet.ranks = array<i64: {rank}>}} {{
      %two = arith.constant 2 : index
      %0 = coconet.rank.all_gather %x size %two from 0 on {{i}} of #mesh
          : tensor<1xf32> -> tensor<2xf32>
      %1 = coconet.rank.shard %0 into 0 on {{j}} of #mesh : tensor<2xf32> -> tensor<1xf32>
      return %1 : tensor<1xf32>
    }}"""
        for rank in range(4)
    ]
    program = cc.parse("#mesh = #coconet.mesh<i = 2, j = 2>" + "".join(functions))
    given = {f"x{rank}": f32(value) for rank, value in enumerate((0, 1, 10, 11))}
    assert [float(y[0]) for y in results(program, given)] == [0, 11, 0, 11]


def test_case_L02_a_slice_by_another_axis_does_not_undo_a_gather():
    def body(x, j):
        over_i = cc.all_gather(x, groups=[[0, 2], [1, 3]])
        mine = cc.compare("eq", cc.iota((2,), 0, "i32"), j)
        return (cc.reduce("sum", cc.select(mine, over_i, 0.0), [0]),)

    axes = ("i", "j")
    program = traced(
        body, cc.mesh(i=2, j=2), x=cc.local(1, axes=axes), j=cc.local(axes=axes, dtype="i32")
    )
    given = {"x": f32([0], [1], [10], [11]), "j": np.array([0, 1, 0, 1], np.int32)}
    assert list(results(program, given)[0]) == [0, 11, 0, 11]


def test_case_L02_reductions_that_differ_in_wire_type_or_root_stay_apart():
    def body(g, w):
        cc.update(w, cc.all_reduce(g, name="plain"))
        first, second = (cc.reduce_to_root(g, root) for root in (0, 1))
        return {"narrow": cc.all_reduce(g, name="narrow"), "first": first, "second": second}

    program = traced(body, DP, g=cc.partial(1, dp="sum"), w=cc.state(1))
    schedule = program.schedule().wire_type("narrow", "bf16")
    with schedule.compile(ranks=2) as exe:
        out = exe(g=f32([257], [1]))
        assert exe.read("w") == 258
        assert [out[name][0] for name in ("narrow", "first", "second")] == [256, 258, 258]


def test_case_L05_a_shard_of_a_pending_sum_is_a_reduce_scatter():
    def body(p, w):
        cc.update(w, cc.shard(cc.all_reduce(p), "dp"))
        return (cc.reduce_scatter(p),)

    cut = {0: "dp"}
    program = traced(body, DP, p=cc.partial(4, dp="sum"), w=cc.state(4, cut=cut))
    with program.compile(ranks=2) as exe:
        out = exe(p=f32([1, 2, 3, 4], [10, 20, 30, 40]))
        assert [list(part) for part in exe.state["w"]] == [[11, 22], [33, 44]]
        assert list(out["result 0"]) == [11, 22, 33, 44]
    with pytest.raises(cc.ProgramError, match="pending sum"):
        traced(lambda p: (cc.shard(p, "dp"),), DP, p=cc.partial(4, dp="sum"))
    with pytest.raises(cc.ProgramError, match="cut along dimension 0"):
        traced(
            lambda x: (cc.all_reduce(x, axes="dp", reduction="sum"),), DP, x=cc.tensor(4, cut=cut)
        )


def test_case_L03_a_bucket_holds_collectives_of_one_kind():
    local = {"x": cc.local(2, axes="dp"), "y": cc.local(2, axes="dp")}

    def refused(body, reason, mesh=DP, **specs):
        schedule = traced(body, mesh, **(specs or local)).schedule()
        with pytest.raises(cc.ScheduleError, match=reason):
            schedule.bucket("a", "b")

    def both(first, second):
        return lambda x, y: (first(x, name="a"), second(y, name="b"))

    def reduce(reduction="sum", **group):
        group = group or {"axes": "dp"}
        return lambda x, name: cc.all_reduce(x, reduction=reduction, name=name, **group)

    def scatter(x, name):
        return cc.reduce_scatter(x, "flat", axes="dp", reduction="sum", name=name)

    def from_root(root):
        return lambda x, name: cc.broadcast(x, root, axes="dp", name=name)

    refused(both(reduce(), scatter), "differ in kind")
    refused(both(reduce(), reduce("max")), "differ in reduction")
    mixed = {"x": cc.partial(2, dp="sum"), "y": cc.partial(2, dtype="bf16", dp="sum")}
    refused(both(reduce(), reduce()), "differ in element type", **mixed)
    groups = [reduce(groups=[[0, 1], [2, 3]]), reduce(groups=[[0, 2], [1, 3]])]
    refused(both(*groups), "differ in group", mesh=cc.mesh(dp=4))
    refused(both(from_root(0), from_root(1)), "differ in root")
    refused(
        lambda x, y: groups[0](groups[0](x, name="a"), name="b"),
        "the second depends on the first",
        mesh=cc.mesh(dp=4),
    )
    one = {"x": cc.partial(2, dp="sum"), "y": cc.partial(1, dp="sum")}
    fused = traced(both(reduce(), reduce()), DP, **one).schedule().bucket("a", "b")
    given = {"x": f32([1, 2], [3, 4]), "y": f32([5], [6])}
    assert [each.tolist() for each in results(fused, given, ranks=2)] == [[4, 6], [11]]


# ===- Lowering --------------------------------------------------------------===


def test_case_W01_scalars_stay_scalars_and_buffers_may_be_one():
    program = traced(lambda g: (cc.all_reduce(g),), DP, g=cc.partial(dp="sum"))
    assert "tensor<f32, #partial> -> tensor<f32>" in str(program)
    total = results(program, {"g": f32(1, 2, 4)}, ranks=3)[0]
    assert total == 7 and total.shape == ()

    def in_place(w):
        cc.update(w, cc.all_reduce(w, groups=[[0, 1]]))

    program = traced(in_place, cc.mesh(dp=2), w=cc.tensor(2, local="dp", state=True))
    with program.compile() as exe:
        exe.init(w=f32([0, 0], [1, 1]))
        exe()
        assert [list(part) for part in exe.state["w"]] == [[1, 1], [1, 1]]


def test_case_W03_counts_have_64_bits():
    rows = 2**29
    reduced = cc.partial(2**31, dtype="i8", dp="sum")
    gathered = cc.tensor(8 * rows, "i8", cut={0: "dp"})
    for body, specs, count in (
        (lambda g: (cc.all_reduce(g),), {"g": reduced}, 2**31),
        (lambda x: (cc.all_gather(x),), {"x": gathered}, 8 * rows),
    ):
        lowered = bind(traced(body, DP, **specs), ranks=8).copy()
        run_pipeline(lowered, "builtin.module(coconet-to-cpu)")
        numbers = [int(found) for found in re.findall(r"constant\((-?\d+) :", str(lowered))]
        assert count in numbers
        # -1 is no count: rounding up divides by way of it.
        assert min(numbers) >= -1


# ===- Run time --------------------------------------------------------------===


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 6, 7])
def test_case_R01_any_number_of_ranks_and_any_count(ranks):
    def body(g):
        return cc.all_reduce(g), cc.all_gather(cc.reduce_scatter(g))

    program = traced(body, DP, g=cc.partial("n", dp="sum"))
    total = ranks * (ranks + 1) // 2
    with program.compile(ranks=ranks) as exe:
        for size in (1, 3, 31, 32, 33, 127, 129):
            g = np.repeat(np.arange(1, ranks + 1, dtype=np.float32)[:, None], size, axis=1)
            for result in exe(g=g).values():
                assert list(result) == [total] * size
