"""A cell's code in two parts: what computes and draws, and what checks."""

import ast


def parted(code: str) -> tuple[str, str]:
    """Return the code without its checks, and the checks.

    A check is an assert, or a loop or block of asserts that prints nothing. Comments go with the
    statement below them.

    >>> parted("x = 3\\nassert x == 3\\nprint(x)")
    ('x = 3\\nprint(x)', 'assert x == 3')
    """
    lines = code.splitlines()
    shown: list[str] = []
    checks: list[str] = []
    start = 0
    for statement in ast.parse(code).body:
        end = statement.end_lineno or statement.lineno
        (checks if _is_check(statement) else shown).extend(lines[start:end])
        start = end
    shown += lines[start:]
    return "\n".join(shown).strip("\n"), "\n".join(checks).strip("\n")


def _is_check(statement: ast.stmt) -> bool:
    nodes = list(ast.walk(statement))
    if not any(isinstance(node, ast.Assert) for node in nodes):
        return False
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return not isinstance(statement, ast.FunctionDef | ast.ClassDef) and "print" not in names
