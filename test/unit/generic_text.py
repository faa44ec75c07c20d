"""Programs in generic form for tests, legal or not, and coconet-opt to read them."""

from __future__ import annotations

import re
import subprocess

from coconet_mlir._tools import TOOL_DIR


class Value(str):
    """An SSA name that knows its type."""

    type: str

    def __new__(cls, name: str, type_: str) -> Value:
        value = super().__new__(cls, name)
        value.type = type_
        return value


class Text:
    """A module with one function, op by op. `mesh` is the body of its mesh attribute."""

    def __init__(self, mesh: str = "dp = ?") -> None:
        self.mesh = f"#coconet.mesh<{mesh}>"
        self.arguments: list[Value] = []
        self.argument_attributes: list[str] = []
        self.lines: list[str] = []
        self.returned: list[Value] = []
        self.result_attributes: list[str] = []
        self.count = 0
        self.stack: list[list[str]] = []

    def layout(self, parts: str) -> str:
        """A layout attribute."""
        return f"#coconet.layout<{self.mesh}, {parts}>"

    def type(self, shape: str, parts: str = "") -> str:
        """A tensor type, such as `type("?x4xf32", "flat = {dp}")`."""
        return f"tensor<{shape}, {self.layout(parts)}>" if parts else f"tensor<{shape}>"

    def arg(self, type_: str, attributes: str = "") -> Value:
        value = Value(f"%arg{len(self.arguments)}", type_)
        self.arguments.append(value)
        self.argument_attributes.append(attributes)
        return value

    def op(
        self, name: str, operands: list[Value], type_: str, properties: str = "", label: str = ""
    ) -> Value:
        """An op of one result. Names without a dot are coconet's."""
        self.count += 1
        value = Value(f"%v{self.count}", type_)
        full = name if "." in name and not name.startswith("rank.") else f"coconet.{name}"
        types = ", ".join(operand.type for operand in operands)
        held = f" <{{{properties}}}>" if properties else ""
        given = f' {{coconet.name = "{label}"}}' if label else ""
        self.lines.append(
            f'{value} = "{full}"({", ".join(operands)}){held}{given} : ({types}) -> {type_}'
        )
        return value

    def collective(
        self,
        name: str,
        operand: Value,
        type_: str,
        *,
        axes: str = '"dp"',
        groups: str = "",
        reduction: str = "",
        properties: str = "",
        mesh: bool = False,
        more: tuple[Value, ...] = (),
        label: str = "",
    ) -> Value:
        # Lists of ranks are written [[0, 1], [2, 3]] here.
        lists = re.sub(r"\[([\d, ]+)\]", r"array<i64: \1>", groups)
        parts = [f"groups = {lists}" if groups else f"axes = [{axes}]"]
        if reduction:
            parts.append(f"reduction = #coconet<reduction {reduction}>")
        if properties:
            parts.append(properties)
        if mesh:
            parts.append(f"mesh = {self.mesh}")
        return self.op(name, [operand, *more], type_, ", ".join(parts), label)

    def constant(self, value: str, type_: str) -> Value:
        return self.op("constant", [], type_, f"value = dense<{value}> : {type_}")

    def begin_fused(self) -> None:
        """Ops up to `end_fused` go into a region."""
        self.stack.append(self.lines)
        self.lines = []

    def end_fused(self, yielded: list[Value], kind: str = "computation") -> list[Value]:
        body, self.lines = self.lines, self.stack.pop()
        types = ", ".join(value.type for value in yielded)
        self.count += 1
        results = [Value(f"%v{self.count}#{i}", v.type) for i, v in enumerate(yielded)]
        body.append(f'"coconet.yield"({", ".join(yielded)}) : ({types}) -> ()')
        inner = "\n".join(body)
        self.lines.append(
            f'%v{self.count}:{len(yielded)} = "coconet.fused"() '
            f"<{{kind = #coconet<fused_kind {kind}>}}> ({{\n{inner}\n}}) : () -> ({types})"
        )
        return results

    def ret(self, *values: Value, attributes: tuple[str, ...] = ()) -> Text:
        self.returned = list(values)
        self.result_attributes = list(attributes)
        return self

    def text(self) -> str:
        inputs = ", ".join(value.type for value in self.arguments)
        outputs = ", ".join(value.type for value in self.returned)
        block = ", ".join(f"{value}: {value.type}" for value in self.arguments)
        attributes = ""
        if any(self.argument_attributes):
            listed = ", ".join(f"{{{a}}}" for a in self.argument_attributes)
            attributes += f", arg_attrs = [{listed}]"
        if any(self.result_attributes):
            listed = ", ".join(f"{{{a}}}" for a in self.result_attributes)
            attributes += f", res_attrs = [{listed}]"
        body = "\n    ".join(self.lines)
        header = f"^bb0({block}):" if self.arguments else ""
        return f'''"builtin.module"() ({{
  "func.func"() <{{function_type = ({inputs}) -> ({outputs}), sym_name = "main"{attributes}}}> ({{
  {header}
    {body}
    "func.return"({", ".join(self.returned)}) : ({outputs}) -> ()
  }}) : () -> ()
}}) : () -> ()
'''


def optimize(text: str, *flags: str) -> str:
    """What coconet-opt prints, in generic form."""
    command = [str(TOOL_DIR / "coconet-opt"), "--mlir-print-op-generic", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr + text
    return done.stdout
