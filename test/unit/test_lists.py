"""Lists of tensors: traced, interpreted, scheduled and compiled."""

from __future__ import annotations

import re
from pathlib import Path

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import _runtime, workloads
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.check import equivalent
from coconet_mlir.dtypes import to_numpy
from coconet_mlir.workloads import AdamOptions, LambOptions, data_parallel, data_parallel_list
from coconet_mlir.workloads import data_parallel_schedules as dp
from compiled_support import Pair, operations, traced

DP = cc.mesh(dp="?")
# Empty, single, prime and odd sizes; fewer elements than ranks, and several vectors.
SHAPES = [(3, 4), (0,), (1,), (7,), (13, 2), (), (5, 29)]
RANKS = (1, 2, 3, 5, 8)
ADAM = [dp.ar_opt, dp.rs_opt_ag, dp.fuse_rs_opt_ag, dp.adam_sliced]
LAMB = [dp.lamb_ar_opt, dp.lamb_rs_opt_ag, dp.lamb_fuse, dp.lamb_sliced]


def kernels(program: cc.Program | cc.Schedule, ranks: int = 2) -> list[str]:
    """Kernels and loops that a program is lowered to, in order."""
    own = program if isinstance(program, cc.Program) else program.program
    lowered = bind(own, ranks=ranks).copy()
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank,coconet-to-kernels)")
    return re.findall(
        r"coconet\.list_kernel|coconet\.symmetric_kernel|linalg\.generic", str(lowered)
    )


# ===- Optimizers -------------------------------------------------------------===


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(
    ("optimizer", "steps"),
    [(AdamOptions(), each) for each in ADAM] + [(LambOptions(), each) for each in LAMB],
)
def test_optimizer_over_a_list(optimizer, steps, ranks):
    program = data_parallel_list(optimizer, SHAPES)
    schedule = steps(program.schedule(), "p")
    assert schedule.verify(ranks=ranks).error_bound < 2**-30
    pair = Pair(schedule, ranks=ranks, base=program)
    arrays = pair.inputs()
    arrays |= {name: array**2 for name, array in arrays.items() if name.startswith("v_p")}
    arrays["t_p"] = np.full_like(arrays["t_p"], 3)
    pair.check(terms=200 * ranks, **arrays)
    pair.executable.close()


@pytest.mark.parametrize("steps", ADAM)
def test_a_list_gives_the_same_bits_as_each_tensor_alone(steps):
    # A single element has no dimension for the schedules of one tensor to cut.
    shapes = [shape for shape in SHAPES if shape]
    named = {f"w{i}": shape for i, shape in enumerate(shapes)}
    rng = np.random.default_rng(1)
    given = {
        kind: [rng.standard_normal((2, *s) if kind == "g_" else s).astype("f4") for s in shapes]
        for kind in ("g_", "", "m_", "v_")
    }
    given["v_"] = [v * v for v in given["v_"]]
    together = cc.compile(steps(data_parallel_list(AdamOptions(), shapes).schedule(), "p"), ranks=2)
    alone = data_parallel(AdamOptions(), named).schedule()
    for name in named:
        steps(alone, name)
    apart = cc.compile(alone, ranks=2)
    together(**{f"{kind}p": arrays for kind, arrays in given.items()})
    apart(**{f"{kind}{n}": a for kind, of in given.items() for n, a in zip(named, of, strict=True)})
    for kind in ("", "m_", "v_"):
        for name, ours in zip(named, together.read_list(f"{kind}p"), strict=True):
            assert ours.tobytes() == apart.read(f"{kind}{name}").tobytes(), (kind, name)
    together.close()
    apart.close()


def test_a_fused_region_is_one_kernel_for_the_list():
    program = data_parallel_list(AdamOptions(), SHAPES)
    fused = dp.fuse_rs_opt_ag(program.schedule(), "p")
    assert kernels(fused).count("coconet.list_kernel") == 1
    automatic = program.schedule().fuse_allreduce(slice_state=True)
    assert kernels(automatic).count("coconet.list_kernel") == 1
    # What is computed once for all tensors: step count, its cast, two corrections.
    assert kernels(automatic) == kernels(fused)
    assert kernels(dp.ar_opt(program.schedule(), "p")).count("coconet.list_kernel") == 2


def test_norms_of_a_list_are_kernels_over_it():
    program = data_parallel_list(LambOptions(), SHAPES)
    schedule = dp.lamb_sliced(program.schedule(), "p")
    longer = dp.lamb_sliced(data_parallel_list(LambOptions(), SHAPES * 3).schedule(), "p")
    assert kernels(schedule) == kernels(longer)


def test_trust_ratios_are_those_of_each_tensor():
    """Case N04: the norm is that of the parameter, however it is cut and whatever else there is."""
    options = LambOptions(lr=0.1, eps=1e-30, weight_decay=0.0)
    for shapes in ([(2,)], [(2,), (1,)]):
        program = data_parallel_list(options, shapes)
        for steps in LAMB:
            for ranks in (1, 2):
                exe = cc.compile(steps(program.schedule(), "p"), ranks=ranks)
                g = [np.zeros((ranks, *s), "f4") for s in shapes]
                g[0][0] = [1, 0]
                exe.init(p=[np.array([3, 4], "f4"), np.array([0.5], "f4")][: len(shapes)])
                exe(g_p=g)
                np.testing.assert_allclose(exe.read("p.0"), [2.5, 4.0], rtol=1e-6)
                exe.close()


# ===- Memory -----------------------------------------------------------------===


def test_memory_beside_the_tensors_is_below_one_percent():
    shapes = workloads.transformer_shapes(layers=4, width=64, vocabulary=512)
    own = 4 * sum(int(np.prod(shape)) for shape in shapes)
    schedule = dp.adam_sliced(data_parallel_list(AdamOptions(), shapes).schedule(), "p")
    lowered = bind(schedule.program, ranks=2).copy()
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank,coconet-to-kernels,cse)")
    run_pipeline(lowered, "builtin.module(coconet-bufferize)")
    text = str(lowered)
    assert "memref.copy" not in text
    # What is left are single elements: the step count and what is computed from it.
    for line in text.splitlines():
        if "memref.alloc" in line:
            assert line.split(" : ")[-1] in ("memref<f32>", "memref<i32>"), line
    # Tables: an address of each tensor on each list and rank, and a size.
    tables = len(shapes) * 8 * (5 * 2 + 1)
    assert tables < own / 100
    g = [np.zeros((2, *shape), "f4") for shape in shapes]
    with cc.compile(schedule, ranks=2) as exe:
        exe(g_p=g)
        before = _runtime.allocation_statistics()
        exe(g_p=g)
        assert _runtime.allocation_statistics() == before


# ===- Other computations -------------------------------------------------------===


def test_scalars_and_flattenings_of_a_list():
    shapes = [(2, 3), (5,), (0,), ()]

    def body(x, y, c):
        def each(a, b):
            scaled = a * c + b
            return {"scaled": scaled, "norm": cc.norm(scaled), "largest": cc.reduce("max", a, [0])}

        return cc.for_each(each, x, y)

    program = traced(body, x=cc.tensors(shapes), y=cc.tensors(shapes), c=cc.tensor())
    assert [port.name for port in program.signature().results][:2] == ["scaled.0", "scaled.1"]
    pair = Pair(program)
    results = pair.check(terms=10)
    assert results["scaled.0"].shape == (2, 3) and results["norm.0"].shape == ()
    assert results["largest.2"] == -np.inf


def test_operations_without_a_kernel_over_lists_are_done_tensor_by_tensor():
    shapes = [(6,), (2, 5), (1,)]

    def body(x, step):
        def each(a):
            kept = cc.dropout(a, step=step, rate=0.5, seed=3)
            mean = cc.reduce("mean", a, [0])
            return kept - mean, cc.softmax(a, 0)

        return cc.for_each(each, x)

    pair = Pair(traced(body, x=cc.tensors(shapes), step=cc.tensor(dtype="i32")))
    pair.check(terms=10)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i32"])
@pytest.mark.parametrize("reduction", ["sum", "max"])
def test_element_types(dtype, reduction):
    shapes = [(4, 5), (17,), (1,)]

    def body(g):
        return cc.for_each(lambda a: cc.all_reduce(a), g)

    program = traced(body, DP, g=cc.partials(shapes, dtype, dp=reduction))
    for ranks in (1, 3):
        Pair(program, ranks=ranks).check(terms=ranks)


def test_many_ranks_and_explicit_groups():
    shapes = [(40,), (3,)]
    program = traced(
        lambda g: cc.for_each(lambda a: cc.all_reduce(a), g), DP, g=cc.partials(shapes, dp="sum")
    )
    Pair(program, ranks=11).check(terms=11)
    groups = [[0, 2], [1, 3]]
    program = traced(
        lambda x: cc.for_each(lambda a: cc.all_reduce(a, groups=groups, reduction="max"), x),
        cc.mesh(dp=4),
        x=cc.tensors(shapes, local="dp"),
    )
    Pair(program).check()


def test_open_sizes():
    def body(g, p):
        def each(a, b):
            return b - cc.all_reduce(a, name="g")

        cc.update(p, cc.for_each(each, g, p))

    shapes = [("n", 3), ("n",), ("k",)]
    program = traced(body, DP, g=cc.partials(shapes, dp="sum"), p=cc.states(shapes))
    for schedule in (program.schedule(), program.schedule().fuse_allreduce(slice_state=True)):
        pair = Pair(schedule, ranks=3, base=program)
        for sizes in ({"n": 4, "k": 7}, {"n": 1, "k": 0}):
            pair.check(sizes, terms=3)
        pair.executable.close()


@pytest.mark.parametrize("kind", ["mean", "sum", "max"])
def test_a_fused_region_of_a_list_reduces_what_is_computed(kind):
    shapes = [(5,), (1,), (2, 0, 3), (4, 3)]

    def body(g):
        def each(a):
            v = cc.all_reduce(a, name="ar")
            return cc.tanh(v - cc.reduce(kind, v, [0]))

        return {"v": cc.for_each(each, g)}

    program = traced(body, DP, g=cc.partials(shapes, dp="sum"))
    schedule = program.schedule().fuse_allreduce()
    for ranks in (1, 2, 3):
        assert schedule.verify(ranks=ranks)
        pair = Pair(schedule, ranks=ranks, base=program)
        pair.check(terms=20)
        pair.executable.close()


def test_results_of_open_sizes_that_no_state_takes():
    shapes = [("n", 3), ("n",), ("k", "n"), ()]

    def body(g, p):
        def each(a, b):
            total = cc.all_reduce(a, name="g")
            return {"new": b - total, "total": total, "kept": cc.softmax(b, 0) * cc.norm(b)}

        found = cc.for_each(each, g, p)
        cc.update(p[1], found["new"][1])
        return {"new": found["new"], "total": found["total"], "kept": found["kept"]}

    program = traced(
        body,
        DP,
        g=cc.partials(shapes, dp="sum"),
        p=[cc.state(*shape) if i == 1 else cc.tensor(shape) for i, shape in enumerate(shapes)],
    )
    for schedule in (program.schedule(), program.schedule().split("g", dim="flat")):
        pair = Pair(schedule, ranks=3, base=program)
        for sizes in ({"n": 4, "k": 7}, {"n": 1, "k": 0}):
            pair.check(sizes, terms=10)
        pair.executable.close()


def test_open_sizes_of_tensors_that_are_cut_flat():
    cut = cc.tensors([("k", "n"), (3, 4)], cut={"flat": "dp"})
    program = traced(lambda x: cc.for_each(lambda a: cc.all_gather(a, "flat"), x), DP, x=cut)
    for ranks in (1, 3):
        pair = Pair(program, ranks=ranks)
        for sizes in ({"k": 5, "n": 7}, {"k": 1, "n": 0}):
            pair.check(sizes)
        pair.executable.close()


def test_rank_programs_of_lists_are_equivalent():
    program = data_parallel_list(LambOptions(), [(3, 4), (7,)])
    for steps in LAMB:
        bound = bind(steps(program.schedule(), "p").program, ranks=3)
        lowered = bound.copy()
        run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
        assert equivalent(bound.generic(), lowered.generic())


def test_overlap_within_a_list_of_tensors_that_are_shorter_than_the_chunks():
    def body(g, p):
        def each(a, b):
            return cc.sub(b, cc.all_reduce(a, name="g"), name="s")

        return cc.for_each(each, g, p)

    for shapes in ([(8,), (1,), (0,)], [(1,)], [(3, 5), ("n", 2), ("n",)]):
        program = traced(body, DP, g=cc.partials(shapes, dp="sum"), p=cc.tensors(shapes))
        for chunks in (2, 3):
            schedule = program.schedule().overlap("g", "s", chunks=chunks)
            assert schedule.verify(ranks=2)
            pair = Pair(schedule, ranks=2, base=program)
            for size in (0, 1, 5):
                pair.check({"n": size}, terms=2)
            pair.executable.close()


def test_slices_of_a_list_divide_into_chunks():
    shapes = [(8,), (1, 1)]
    program = traced(
        lambda g: cc.for_each(lambda a: cc.all_reduce(a, name="g"), g),
        cc.mesh(dp=2),
        g=cc.partials(shapes, dp="sum"),
    )
    schedule = program.schedule().split("g", dim=0)
    with pytest.raises(cc.ScheduleError, match="dimension 0 of 1 elements, which is cut by {dp}"):
        schedule.overlap("g.rs", "g.ag", chunks=2)


# ===- Buckets ----------------------------------------------------------------===


def bucketed(count: int, **options) -> cc.Schedule:
    shapes = [(7 + i,) if i % 2 else (2, 3 + i) for i in range(count)]
    program = traced(
        lambda g: [cc.all_reduce(each, name=f"a{i}") for i, each in enumerate(g)],
        DP,
        g=cc.partials(shapes, dp="sum"),
    )
    return program.schedule().bucket(*(f"a{i}" for i in range(count)), **options)


def test_a_bucket_is_one_kernel():
    schedule = bucketed(6, name="all")
    assert operations(schedule.program, "all_reduce") == 1
    assert kernels(schedule).count("coconet.list_kernel") == 1
    for ranks in (1, 2, 5):
        schedule.verify(ranks=ranks)
        Pair(schedule, ranks=ranks, base=schedule.base).check(terms=ranks)


def test_bytes_bound_a_bucket():
    schedule = bucketed(6, name="all", bytes=100)
    names = [f'"all.{i}"' for i in range(3)]
    assert all(name in str(schedule.program) for name in names)
    schedule.verify(ranks=3)
    schedule.split("all.0", dim="flat").verify(ranks=3)


@pytest.mark.parametrize("kind", ["reduce_scatter", "all_gather", "broadcast"])
def test_buckets_of_other_collectives(kind):
    shapes = [(7,), (2, 3), (1,)]

    def body(x):
        make = {
            "reduce_scatter": lambda a, n: cc.reduce_scatter(a, "flat", name=n),
            "all_gather": lambda a, n: cc.all_gather(a, "flat", name=n),
            "broadcast": lambda a, n: cc.broadcast(a, 1, name=n),
        }[kind]
        return [make(each, f"a{i}") for i, each in enumerate(x)]

    specs = {
        "reduce_scatter": cc.partials(shapes, dp="max"),
        "all_gather": cc.tensors(shapes, cut={"flat": "dp"}),
        "broadcast": cc.tensors(shapes, local="dp"),
    }[kind]
    program = traced(body, DP, x=specs)
    schedule = program.schedule().bucket("a0", "a1", "a2")
    assert operations(schedule.program, kind) == 1
    for ranks in (2, 3):
        schedule.verify(ranks=ranks)
        Pair(schedule, ranks=ranks, base=program).check()


# ===- Python ------------------------------------------------------------------===


def test_a_list_is_declared_by_annotations_and_given_as_a_list():
    @cc.program(mesh=DP)
    def step(g: cc.partials([(2, 2), 3], dp="sum"), p: cc.states([(2, 2), 3])):
        new = cc.for_each(lambda a, b: b - cc.all_reduce(a), g, p, name="all")
        return {"p": cc.update(p, new)}

    assert [port.name for port in step.signature().arguments] == ["g.0", "g.1", "p.0", "p.1"]
    assert [port.name for port in step.signature().results] == ["p.0", "p.1"]
    with cc.compile(step, ranks=2) as exe:
        exe.init(p=[np.ones((2, 2), "f4"), np.zeros(3, "f4")])
        exe(g=[np.ones((2, 2, 2), "f4"), np.ones((2, 3), "f4")])
        assert exe.read("p.0").tolist() == [[-1, -1], [-1, -1]]
        assert [each.shape for each in exe.read_list("p")] == [(2, 2), (3,)]
        with pytest.raises(
            cc.InputError, match="'p' is 1 arrays; the program declares a list of 2"
        ):
            exe.init(p=[np.zeros(3, "f4")])
        with pytest.raises(cc.InputError, match="'p' is no list; the program declares a list of 2"):
            exe.init(p=np.zeros(3, "f4"))
        with pytest.raises(
            cc.InputError, match="'g' is no list of states; read gives a single one"
        ):
            exe.read_list("g")


def test_mistakes_in_lists():
    x = cc.tensors([3, 4])

    def refused(body, message, **specs):
        with pytest.raises(cc.ProgramError, match=message):
            traced(body, DP, **(specs or {"x": x}))

    refused(lambda x: cc.for_each(lambda: None), "for_each has no list")
    refused(lambda x: cc.for_each(lambda a: a, x[0]), "Tensor is no list of tensors")
    refused(lambda x: cc.for_each(lambda a, b: a, x, x[:1]), "lists of 2 and of 1 tensors")
    refused(lambda x: cc.for_each(lambda a: 3.0, [x[0]]), "returns tensors, not float")
    refused(
        lambda x: cc.for_each(lambda a: a + x[1], x), "from outside, which is no single element"
    )
    refused(
        lambda x: cc.for_each(lambda a: a, x),
        "takes a tensor cut along a dimension",
        x=cc.tensors([(4, 2)], cut={0: "dp"}),
    )
    refused(
        lambda x, p: cc.update(p, x[:1]),
        "a list of 2 states is updated with 1 values",
        x=x,
        p=cc.states([3, 4]),
    )
    with pytest.raises(cc.InputError, match="a step has no parameter; give at least one shape"):
        data_parallel_list(AdamOptions(), [])


def test_constants_of_a_region_are_not_used_outside():
    def body(x):
        (half,) = cc.for_each(lambda a: a * 0.5, x[:1])
        return half, x[0] * 0.5

    with cc.compile(traced(body, x=cc.tensors([(2,)]))) as exe:
        results = exe(x=[np.ones(2, to_numpy("f32"))])
        assert [each.tolist() for each in results.values()] == [[0.5, 0.5]] * 2


def test_the_example_of_the_page_runs():
    page = (Path(__file__).resolve().parents[2] / "docs/lists.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(compile(example, "lists.md", "exec"), names)
    assert kernels(names["schedule"]) == ["coconet.list_kernel"]


# ===- With other features --------------------------------------------------------===


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_fused_region_with_norms_has_two_phases(ranks):
    program = data_parallel_list(LambOptions(), SHAPES)
    schedule = dp.lamb_rs_opt_ag(program.schedule(), "p").as_slice("m_p", "v_p")
    parts = ["g_p.rs", "opt_p", "trust_p", "trust_p.ar", "step_p", "g_p.ag"]
    schedule.fuse(*parts, name="all").verify(ranks=ranks)
    # To the norms of slices, the norms of parameters, their exchange, and the rest.
    assert kernels(schedule).count("coconet.list_kernel") == 4
    pair = Pair(schedule, ranks=ranks, base=program)
    arrays = pair.inputs()
    arrays |= {name: array**2 for name, array in arrays.items() if name.startswith("v_p")}
    pair.check(terms=200 * ranks, **arrays)
    pair.executable.close()


def test_lists_in_loops():
    shapes = [(4, 3), (5,)]

    def body(g, n):
        def turn(index, *x):
            return cc.for_each(lambda a, b: a * 0.5 + cc.all_reduce(b), list(x), g)

        return list(cc.loop(n, turn, *(cc.all_reduce(each) for each in g)))

    program = traced(body, DP, g=cc.partials(shapes, dp="sum"), n=cc.tensor(dtype="i32"))
    pair = Pair(program, ranks=2)
    pair.check(terms=20, n=np.array(3, "i4"))
    pair.executable.close()


def test_the_watch_names_the_tensor():
    program = data_parallel_list(AdamOptions(), [(3,), (7,)])
    g = [np.zeros((2, 3), "f4"), np.zeros((2, 7), "f4")]
    with cc.compile(program, ranks=2, watch="nonfinite") as exe:
        exe(g_p=g)
        g[1][1, 2] = np.inf
        with pytest.raises(
            cc.CollectiveError, match="'g_p.1' .* is not finite on rank 1: element 2"
        ):
            exe(g_p=g)
