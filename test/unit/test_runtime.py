"""The thread runtime, driven by hand-written C programs in place of compiled ones."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from coconet_mlir import _runtime
from coconet_mlir._runtime import CollectiveError, World

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "lib" / "Runtime"


def site(group: str, op: str = "all_reduce", name: str = "", location: str = "") -> ctypes.c_char_p:
    return ctypes.c_char_p("\n".join([op, name, location, group]).encode())


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("runtime") / "programs.so"
    runtime = _runtime.library_path()
    _runtime.load_library()
    compiler = os.environ.get("CC", "cc")
    assert shutil.which(compiler), f"{compiler} is needed; set CC"
    subprocess.run(
        [
            compiler,
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{SOURCES}",
            str(HERE / "runtime_program.c"),
            "-o",
            str(library),
        ]
        + [str(runtime), f"-Wl,-rpath,{runtime.parent}"],
        check=True,
    )
    return ctypes.CDLL(str(library))


def entry(programs: ctypes.CDLL, name: str) -> int:
    address = ctypes.cast(getattr(programs, name), ctypes.c_void_p).value
    assert address
    return address


def addresses(*values: object) -> list[int]:
    return [ctypes.addressof(value) for value in values]  # type: ignore[arg-type]


class Script:
    """One script a rank over common sites; see ``script`` in runtime_program.c."""

    def __init__(self, programs: ctypes.CDLL, sites: Sequence[ctypes.c_char_p]) -> None:
        self.function = entry(programs, "script")
        self.sites = (ctypes.c_char_p * len(sites))(*(s.value for s in sites))
        self.flag = ctypes.c_int64(0)

    def run(self, world: World, *steps: str, repeat: int = 1) -> None:
        texts = [ctypes.c_char_p(s.encode()) for s in steps]
        sites = ctypes.c_void_p(ctypes.addressof(self.sites))
        flag = ctypes.c_void_p(ctypes.addressof(self.flag))
        rows = [addresses(text, sites, flag) for text in texts]
        keep = (self, texts, sites, flag)
        world.run(self.function, world.pack(rows, keep=keep), repeat=repeat)


@pytest.fixture
def world2() -> Iterator[World]:
    with World(2, timeout=0.3) as world:
        yield world


def all_reduce(
    programs: ctypes.CDLL, world: World, group: str, n: int, repeat: int = 1
) -> tuple[np.ndarray, ...]:
    inputs = np.random.default_rng(0).normal(size=(world.ranks, n))
    outputs = np.zeros_like(inputs)
    where, count = site(group), ctypes.c_int64(n)
    rows, keep = [], []
    for rank in range(world.ranks):
        buffers = [ctypes.c_void_p(a[rank].ctypes.data) for a in (inputs, outputs)]
        keep.append(buffers)
        rows.append(addresses(where, *buffers, count))
    world.run(entry(programs, "all_reduce"), rows, repeat=repeat)
    return inputs, outputs


def sum_in_order(inputs: np.ndarray, members: Sequence[int]) -> np.ndarray:
    total = np.zeros_like(inputs[0])
    for member in members:
        total += inputs[member]
    return total


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_all_reduce_sums_in_rank_order_on_every_rank(programs: ctypes.CDLL, ranks: int) -> None:
    with World(ranks) as world:
        inputs, outputs = all_reduce(programs, world, f"axes {ranks}:1", 1000, repeat=50)
    for rank in range(ranks):
        np.testing.assert_array_equal(outputs[rank], sum_in_order(inputs, range(ranks)))


@pytest.mark.parametrize(
    ("group", "groups"),
    [
        ("axes 2:1", [[0, 1], [2, 3], [4, 5], [6, 7]]),
        ("axes 2:2", [[0, 2], [1, 3], [4, 6], [5, 7]]),
        ("axes 2:4 2:1", [[0, 1, 4, 5], [2, 3, 6, 7]]),
        ("axes 2:1 2:4", [[0, 4, 1, 5], [2, 6, 3, 7]]),
        ("axes", [[r] for r in range(8)]),
        ("axes 1:1", [[r] for r in range(8)]),
        ("groups 7,0,3 1,2 4 5,6", [[7, 0, 3], [1, 2], [4], [5, 6]]),
    ],
)
def test_groups_reduce_in_order_of_position(
    programs: ctypes.CDLL, group: str, groups: list[list[int]]
) -> None:
    with World(8) as world:
        inputs, outputs = all_reduce(programs, world, group, 17)
    for members in groups:
        for member in members:
            np.testing.assert_array_equal(outputs[member], sum_in_order(inputs, members))


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_overlapping_sites_and_writes_to_peers(programs: ctypes.CDLL, ranks: int) -> None:
    group, repeat = f"axes {ranks}:1", 200
    source, target = site(group, "permute", "source"), site(group, "permute", "target")
    values = [ctypes.c_int64(rank) for rank in range(ranks)]
    with World(ranks) as world:
        world.run(
            entry(programs, "rotate"), [addresses(source, target, v) for v in values], repeat=repeat
        )
    assert [v.value for v in values] == [(rank - repeat) % ranks for rank in range(ranks)]


def test_chains_of_overlapping_groups(programs: ctypes.CDLL) -> None:
    pairs = [site(f"groups {r},{r + 1}", name=str(r)) for r in range(3)]
    with World(4, timeout=5) as world:
        Script(programs, pairs).run(world, "*0", "*0 *1", "*1 *2", "*2", repeat=500)


def test_ranks_may_run_different_functions(programs: ctypes.CDLL, world2: World) -> None:
    where = site("axes 2:1")
    value, result = ctypes.c_double(2.0), ctypes.c_double()
    pointers = [ctypes.c_void_p(ctypes.addressof(v)) for v in (value, result)]
    count = ctypes.c_int64(1)
    row = addresses(where, *pointers, count)
    function = entry(programs, "all_reduce")
    world2.run([function, function], [row, row])
    assert result.value == 4.0
    with pytest.raises(ValueError, match="1 functions given, but the world has 2 ranks"):
        world2.run([function], [row, row])


def test_eight_ranks_are_quick_on_few_cores(programs: ctypes.CDLL) -> None:
    with World(8) as world:
        start = time.perf_counter()
        all_reduce(programs, world, "axes 8:1", 8, repeat=2000)
        assert time.perf_counter() - start < 2.0


def test_a_missing_rank_is_named_with_what_it_does(programs: ctypes.CDLL) -> None:
    script = Script(
        programs,
        [site("axes 4:1", name="avg", location="adam.mlir:12:8"), site("axes 4:1", "all_gather")],
    )
    with World(4, timeout=0.2) as world, pytest.raises(CollectiveError) as error:
        script.run(world, "*1 *0", "*1 *0", "*1 z300 *0", "*1 *0")
    assert str(error.value) == (
        "rank 2 did not arrive at all_reduce 'avg' (adam.mlir:12:8) within 0.2 s; "
        "rank 2 is computing since it left all_gather; ranks 0, 1, 3 wait; "
        "if a rank only needs longer, raise the time-out with timeout= or COCONET_TIMEOUT (seconds)"
    )


@pytest.mark.parametrize(
    ("late", "text"),
    [
        (
            "z450",
            "rank 1 did not arrive at .*; "
            "rank 1 is computing since the start of the program; rank 0 waits",
        ),
        (
            "+0 z450 -0",
            "rank 1 did not arrive at the end of .*; rank 1 is computing inside all_reduce 'x'",
        ),
    ],
)
def test_a_late_rank_is_told_from_its_state(
    programs: ctypes.CDLL, world2: World, late: str, text: str
) -> None:
    with pytest.raises(CollectiveError, match=text):
        Script(programs, [site("axes 2:1", name="x")]).run(world2, "*0", late)


def test_a_timeout_follows_the_chain_of_waits(programs: ctypes.CDLL) -> None:
    pairs = [site("groups 0,1", name="a"), site("groups 1,2", name="b")]
    with World(3, timeout=0.3) as world, pytest.raises(CollectiveError) as error:
        Script(programs, pairs).run(world, "*0", "z20 *1 *0", "z450 *1")
    assert "rank 1 waits at all_reduce 'b' for rank 2; rank 2 is computing since the start" in str(
        error.value
    )


def test_a_mismatch_is_found_at_once(programs: ctypes.CDLL) -> None:
    script = Script(
        programs,
        [site("axes 3:1", name="a", location="m:1:1"), site("axes 3:1", "broadcast", "b", "m:2:1")],
    )
    start = time.perf_counter()
    with World(3, timeout=20) as world, pytest.raises(CollectiveError) as error:
        script.run(world, "*0", "z30 *1", "z100")
    assert time.perf_counter() - start < 1.0
    assert str(error.value).startswith(
        "mismatched collectives: rank 1 is at broadcast 'b' (m:2:1), "
        "but rank 0 waits for it at all_reduce 'a' (m:1:1); every member"
    )


def test_different_numbers_of_buffers_are_found_at_once(programs: ctypes.CDLL) -> None:
    with World(2, timeout=20) as world, pytest.raises(CollectiveError) as error:
        Script(programs, [site("axes 2:1")]).run(world, "*0", "z20 p2 *0")
    assert "rank 1 publishes 2 buffers at all_reduce, but rank 0 publishes 1" in str(error.value)


def test_the_number_of_buffers_may_change_between_runs(
    programs: ctypes.CDLL, world2: World
) -> None:
    script = Script(programs, [site("axes 2:1")])
    for count in (1, 3, 2):
        script.run(world2, f"p{count} *0", f"p{count} *0")


def test_a_finished_rank_is_found_at_once(programs: ctypes.CDLL) -> None:
    start = time.perf_counter()
    with World(3, timeout=20) as world, pytest.raises(CollectiveError) as error:
        Script(programs, [site("axes 3:1", name="x")]).run(world, "*0", "", "*0")
    assert time.perf_counter() - start < 1.0
    assert "rank 1 has finished without arriving at all_reduce 'x', where rank" in str(error.value)


def test_a_cycle_over_different_groups_is_found_at_once(programs: ctypes.CDLL) -> None:
    pairs = [site(f"groups {g}", name=n) for g, n in (("0,1", "a"), ("1,2", "b"), ("0,2", "c"))]
    start = time.perf_counter()
    with (
        World(3, timeout=20) as world,
        pytest.raises(CollectiveError, match="deadlock: rank") as error,
    ):
        Script(programs, pairs).run(world, "*0 *2", "*1 *0", "*2 *1")
    assert time.perf_counter() - start < 1.0
    assert "waits at all_reduce 'b' for rank 2" in str(error.value)
    assert str(error.value).endswith("start these collectives in the same order on all ranks")


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ("s5", "size mismatch at all_reduce 'x': expected 1, but rank . has 5"),
        ("r4", "the program's mesh has 4 devices, but the world has 2 ranks"),
        ("+0 +0", "all_reduce 'x' entered twice by rank .; leave it first"),
        ("-0", "all_reduce 'x' left by rank ., which is not inside"),
        ("+1", "mesh axis 3:1 \\(size:stride\\) does not fit a world of 2 ranks"),
        ("+2", "mesh axis '2' is malformed"),
        ("+3", "the mesh axes overlap"),
        ("+4", "group 0,5 names rank 5, but the world has 2 ranks"),
        ("+5", "rank 0 is listed twice"),
        ("+6", "rank . is in none of its groups"),
        ("+7", "group '0,x' is malformed"),
        ("+8", "group 'ring' is malformed; expected 'axes"),
        ("+9", "malformed site 'all_reduce'; expected op, name, location and group on four lines"),
        ("a4611686018427387904", "out of memory: rank . asked for 4611686018427387904 bytes"),
    ],
)
def test_errors_say_what_is_wrong(
    programs: ctypes.CDLL, world2: World, steps: str, text: str
) -> None:
    groups = [
        "axes 2:1",
        "axes 3:1",
        "axes 2",
        "axes 2:1 2:1",
        "groups 0,5",
        "groups 0,1 0",
        "groups",
        "groups 0,x",
    ]
    sites = [site(g, name="x") for g in [*groups, "ring"]] + [ctypes.c_char_p(b"all_reduce")]
    script = Script(programs, sites)
    with pytest.raises(CollectiveError, match=text):
        script.run(world2, steps, steps)
    script.run(world2, "*0", "*0")


def test_a_world_is_usable_after_errors(programs: ctypes.CDLL, world2: World) -> None:
    script = Script(programs, [site("axes 2:1", name="x"), site("axes 2:1", name="y")])
    for wrong in (("*0", ""), ("*0", "*1"), ("+0 *1", "+0 z10"), ("*0", "z400 *0")):
        with pytest.raises(CollectiveError):
            script.run(world2, *wrong)
        script.run(world2, "*0 *1", "*0 *1", repeat=20)


def test_text_at_a_reused_address_is_read_again(programs: ctypes.CDLL) -> None:
    text = ctypes.create_string_buffer(site("axes 2:1").value, 64)
    pointer = ctypes.c_char_p(ctypes.addressof(text))
    with World(4) as world:
        values = [ctypes.c_double(1.0) for _ in range(4)]
        results = [ctypes.c_double() for _ in range(4)]
        pointers = [
            [ctypes.c_void_p(ctypes.addressof(v)) for v in pair]
            for pair in zip(values, results, strict=True)
        ]
        count = ctypes.c_int64(1)
        rows = [addresses(pointer, *pair, count) for pair in pointers]
        for size in (2, 4):
            text.value = site(f"axes {size}:1").value
            world.run(entry(programs, "all_reduce"), rows)
            assert [r.value for r in results] == [size] * 4


def test_a_rank_that_never_returns_breaks_the_world(programs: ctypes.CDLL) -> None:
    script = Script(programs, [site("axes 2:1")])
    world = World(2, timeout=0.2)
    for _ in range(2):
        with pytest.raises(
            CollectiveError,
            match="note: still inside compiled code: rank 1; this world cannot be used",
        ):
            script.run(world, "*0", "w *0")
    world.close()
    script.flag.value = 1
    with World(2) as other:
        script.run(other, "*0", "*0")


def test_an_error_is_printed_when_the_caller_is_stuck(
    programs: ctypes.CDLL, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        World(2, timeout=0.2) as world,
        pytest.raises(CollectiveError, match="rank 0 did not arrive"),
    ):
        Script(programs, [site("axes 2:1")]).run(world, "z900 *0", "*0")
    assert (
        "rank 0 is still inside its function and cannot return this error" in capfd.readouterr().err
    )


def test_one_run_at_a_time(programs: ctypes.CDLL) -> None:
    script = Script(programs, [site("axes 2:1")])
    with World(2, timeout=5) as world:
        thread = threading.Thread(target=script.run, args=(world, "w", "w"))
        thread.start()
        time.sleep(0.05)
        try:
            with pytest.raises(CollectiveError, match="the world is already running"):
                script.run(world, "*0", "*0")
        finally:
            script.flag.value = 1
            thread.join()


def test_worlds_run_side_by_side(programs: ctypes.CDLL) -> None:
    script = Script(programs, [site("axes 2:1")])
    worlds = [World(2) for _ in range(3)]
    threads = [
        threading.Thread(target=script.run, args=(w, "*0", "*0"), kwargs={"repeat": 300})
        for w in worlds
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for world in worlds:
        world.close()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="fork with threads warns")
def test_a_world_does_not_survive_a_fork(programs: ctypes.CDLL, world2: World) -> None:
    script = Script(programs, [site("axes 2:1")])
    child = os.fork()
    if child == 0:
        try:
            script.run(world2, "*0", "*0")
        except CollectiveError as error:
            os._exit(0 if "lost in the fork" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_arguments_of_a_world_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for ranks in (0, -1, 1 << 20):
        with pytest.raises(
            CollectiveError, match=f"a world of {ranks} ranks is not possible; ask for 1 to"
        ):
            World(ranks)
    with pytest.raises(ValueError, match="timeout is -1; give a positive number"):
        World(1, timeout=-1)
    monkeypatch.setenv("COCONET_TIMEOUT", "soon")
    with pytest.raises(
        CollectiveError, match="COCONET_TIMEOUT is 'soon'; set it to a positive number"
    ):
        World(1)
    world = World(2, timeout=1)
    with pytest.raises(ValueError, match="arguments for 1 ranks given, but the world has 2"):
        world.pack([[]])
    assert repr(world) == "World(ranks=2)"
    world.close()
    world.close()
    assert repr(world) == "World(closed)"
    with pytest.raises(CollectiveError, match="the world is closed"):
        world.run(0, [[], []])


def test_the_environment_sets_the_timeout(
    programs: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COCONET_TIMEOUT", "0.15")
    with World(2) as world, pytest.raises(CollectiveError, match="within 0.15 s"):
        Script(programs, [site("axes 2:1")]).run(world, "*0", "z500")


class Results:
    """Blocks that ``allocate`` makes on each rank and the caller frees."""

    def __init__(self, programs: ctypes.CDLL, world: World, size: int) -> None:
        self.function, self.world = entry(programs, "allocate"), world
        self.size = ctypes.c_int64(size)
        self.blocks = [ctypes.c_void_p() for _ in range(world.ranks)]

    def step(self) -> list[int]:
        self.world.run(self.function, [addresses(self.size, block) for block in self.blocks])
        values = [block.value or 0 for block in self.blocks]
        for value in values:
            _runtime.free(value)
        return values


@pytest.mark.parametrize("size", [0, 1, 100, 65535, 65536, 1 << 20, (1 << 22) + 12345])
def test_blocks_are_aligned_and_counted(programs: ctypes.CDLL, world2: World, size: int) -> None:
    live, count = _runtime.allocation_statistics()
    blocks = Results(programs, world2, size).step()
    assert all(block % 64 == 0 for block in blocks) and len(set(blocks)) == 2
    assert _runtime.allocation_statistics() == (live, count + 2)


@pytest.mark.parametrize("size", [1 << 17, 1 << 24])
def test_freed_results_are_reused_without_new_pages(
    programs: ctypes.CDLL, world2: World, size: int
) -> None:
    results = Results(programs, world2, size)
    first = results.step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        assert results.step() == first
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 32


def test_a_failed_run_gives_its_memory_back(programs: ctypes.CDLL, world2: World) -> None:
    live, _ = _runtime.allocation_statistics()
    with pytest.raises(CollectiveError):
        Script(programs, [site("axes 2:1")]).run(world2, "a100 a1000000 *0", "a2000000")
    assert _runtime.allocation_statistics()[0] == live


def test_blocks_of_any_alignment() -> None:
    library = _runtime.load_library()
    allocate = library._mlir_memref_to_llvm_aligned_alloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
    release = library._mlir_memref_to_llvm_free
    release.argtypes = [ctypes.c_void_p]
    for alignment in (1, 16, 64, 256, 4096):
        for size in (10, 100_000, 10_000_000):
            block = allocate(alignment, size)
            assert block % max(alignment, 64) == 0
            ctypes.memset(block, 1, size)
            release(block)
    release(None)


def test_numpy_arrays_in_the_memory_of_the_runtime() -> None:
    live, _ = _runtime.allocation_statistics()
    arrays = [_runtime.empty((2, 1 << 15), np.float32) for _ in range(4)]
    arrays.append(_runtime.empty((), np.int8))
    arrays.append(_runtime.empty((0, 3), np.float64))
    assert [a.shape for a in arrays[3:]] == [(2, 1 << 15), (), (0, 3)]
    assert len({a.ctypes.data % 4096 for a in arrays[:4]}) == 4
    part = arrays[0][1]
    arrays.clear()
    part[:] = 1
    assert _runtime.allocation_statistics()[0] == live + 4 * 2 * (1 << 15)
    del part
    assert _runtime.allocation_statistics()[0] == live


TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def matmul(dtype: str, a: np.ndarray, b: np.ndarray, c: np.ndarray, **options: int) -> None:
    """``c`` [batch, m, n] from ``a`` and ``b``, each [batch or 1, rows, columns].

    They may be parts of larger matrices.
    """
    function = _runtime.load_library().coconet_rt_matmul
    function.restype = None
    pointer, integer = ctypes.c_void_p, ctypes.c_int64
    function.argtypes = [
        ctypes.c_char_p,
        *[integer] * 6,
        *[pointer, integer, integer] * 2,
        pointer,
        integer,
    ]
    ta, tb = options.get("transpose_a", 0), options.get("transpose_b", 0)
    batch, m, n = c.shape
    k = a.shape[1] if ta else a.shape[2]
    sizes = (ta, tb, batch, m, n, k)
    operands = []
    for x in (a, b):
        batch_stride, row_stride = x.shape[1] * x.shape[2], x.shape[2]
        if not x.flags.c_contiguous:
            batch_stride, row_stride, _ = (stride // x.itemsize for stride in x.strides)
        operands += [x.ctypes.data, 0 if x.shape[0] == 1 else batch_stride, row_stride]
    function(dtype.encode(), *sizes, *operands, c.ctypes.data, options.get("accumulate", 0))


@pytest.mark.parametrize("dtype", TYPES)
def test_matmul_of_parts_of_matrices(dtype: str) -> None:
    pytest.importorskip("scipy_openblas32")
    random = np.random.default_rng(2)
    a = random.integers(-9, 10, (2, 8, 9)).astype(TYPES[dtype])
    b = random.integers(-9, 10, (7, 10)).astype(TYPES[dtype])
    for rows, columns in ((slice(2, 5), slice(0, 7)), (slice(0, 8), slice(2, 9))):
        left, right = a[:, rows, columns], b[None, :, 3:9]
        c = np.empty((2, left.shape[1], 6), TYPES[dtype])
        matmul(dtype, left, right, c)
        np.testing.assert_array_equal(c, left @ b[:, 3:9])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("transpose_a", [0, 1])
@pytest.mark.parametrize("transpose_b", [0, 1])
@pytest.mark.parametrize("accumulate", [0, 1])
@pytest.mark.parametrize("shared", [(0, 0), (0, 1), (1, 0)])
def test_matmul(
    dtype: str, transpose_a: int, transpose_b: int, accumulate: int, shared: tuple[int, int]
) -> None:
    pytest.importorskip("scipy_openblas32")
    random = np.random.default_rng(1)
    for batch, m, n, k in [
        (3, 4, 5, 6),
        (1, 33, 65, 17),
        (2, 1, 7, 1),
        (2, 3, 4, 0),
        (0, 3, 4, 5),
        (2, 0, 4, 5),
        (2, 4, 0, 5),
    ]:
        a, b = (
            random.integers(-100, 100, (1 if once else batch, rows, columns)).astype(TYPES[dtype])
            for once, (rows, columns) in zip(shared, [(m, k), (k, n)], strict=True)
        )
        start = random.integers(-100, 100, (batch, m, n)).astype(TYPES[dtype])
        expected = np.matmul(a, b) + (start if accumulate else 0)
        c = start.copy()
        if not accumulate and c.dtype.kind == "f":
            c[:] = np.nan
        stored_a = np.ascontiguousarray(a.swapaxes(1, 2)) if transpose_a else a
        stored_b = np.ascontiguousarray(b.swapaxes(1, 2)) if transpose_b else b
        matmul(
            dtype,
            stored_a,
            stored_b,
            c,
            transpose_a=transpose_a,
            transpose_b=transpose_b,
            accumulate=accumulate,
        )
        np.testing.assert_array_equal(c, expected.astype(TYPES[dtype]))


def test_matmul_of_an_unknown_type_fails_the_run(programs: ctypes.CDLL, world2: World) -> None:
    name = ctypes.c_char_p(b"f8")
    with pytest.raises(
        CollectiveError, match="matmul of element type 'f8' is not available; cast to f32"
    ):
        world2.run(entry(programs, "multiply"), [addresses(name)] * 2)


def test_a_library_that_is_no_blas_is_refused() -> None:
    with pytest.raises(
        CollectiveError,
        match="cannot open BLAS: /nowhere/blas.so: .*; install the package scipy-openblas32",
    ):
        _runtime.set_blas("/nowhere/blas.so")
    with pytest.raises(CollectiveError, match="has no symbol scipy_cblas_sgemm"):
        _runtime.set_blas(_runtime.library_path())


def test_missing_blas_is_named(programs: ctypes.CDLL) -> None:
    # A process of its own, since BLAS stays once it is loaded.
    code = (
        "import ctypes, sys\n"
        "from coconet_mlir._runtime import World\n"
        "name = ctypes.c_char_p(b'f64')\n"
        "function = ctypes.cast(ctypes.CDLL(sys.argv[1]).multiply, ctypes.c_void_p).value\n"
        "World(1).run(function, [[ctypes.addressof(name)]])\n"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"COCONET_BLAS": "/nowhere/blas.so", "PYTHONPATH": path}
    result = subprocess.run(
        [sys.executable, "-c", code, programs._name],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "matmul of floats needs BLAS: cannot open BLAS: /nowhere/blas.so" in result.stderr
    assert "or set COCONET_BLAS to the path" in result.stderr
