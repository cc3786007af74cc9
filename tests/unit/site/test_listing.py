from docs.site.listing import parted


def test_checks_are_apart_and_comments_go_with_what_is_below_them():
    code = """\
x = 3
# why
assert x == 3
for k in range(2):
    assert k < 2
for k in range(2):
    print(k)
    assert k < 2
y = 4  # kept
assert y == 4
"""
    shown, checks = parted(code)
    assert shown.splitlines() == [
        "x = 3",
        "for k in range(2):",
        "    print(k)",
        "    assert k < 2",
        "y = 4  # kept",
    ]
    assert checks.splitlines() == [
        "# why",
        "assert x == 3",
        "for k in range(2):",
        "    assert k < 2",
        "assert y == 4",
    ]


def test_a_function_is_no_check():
    code = "def f():\n    assert True"
    assert parted(code) == (code, "")
