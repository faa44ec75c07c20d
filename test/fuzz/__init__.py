"""Random inputs: mutated texts, and random programs with random schedules of them.

- `texts`: mutated programs, which may be refused but may not crash the compiler.
- `recipe`: a program as data, which can be built, shrunk and printed as Python.
- `draw`: what a proposal of an operation looks at.
- `operations`: the table of operations that programs are made of. New ones go there.
- `programs`: arguments, states, results around them.
- `steps`: the table of transformations that schedules are made of. New ones go there.
- `pairs`: what must hold of a program and a schedule.
- `numbers`: compiled results against the reference interpreter.
- `shrink`: a failing pair made small.
- `known`: bugs that are known, with their messages.
- `worker`, `campaign`: many pairs, in child processes that may crash or hang.
"""
