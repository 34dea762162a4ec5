"""What a processor is told to do, read from the assembly that Numba emits: which loops work on many numbers at once.

Only what the tests need, for x86-64 in AT&T spelling, where the last operand is written to. A loop is a backward jump
with no other inside; its sums are the registers that nothing but additions write to.
"""

import re
from collections import Counter

FUNCTION = re.compile(r"^\s+\.type\s+(\S+),@function", re.MULTILINE)
LABEL = re.compile(r"^([\w.$]+):")
JUMP = re.compile(r"^\s+j\w+\s+([\w.$]+)")
ARITHMETIC = re.compile(r"\s+v(?:fn?m(?:add|sub)\w*|add|sub|mul|max|min|cmp\w*)(pd|sd)\t")
STORE = re.compile(r"\s+vmov\w*(?:pd|ps|sd)\t%[xyz]mm\d+, .*\(")
OPERAND = re.compile(r"%[xyz]mm\d+|[^,(]*\([^)]*\)|[^,]+")
REGISTER = re.compile(r"%[xyz]mm(\d+)")
WIDTHS = {"pd": "packed", "sd": "scalar"}


def functions(assembly: str) -> list[tuple[str, str]]:
    """Each function of ours, by room and name, `row_loop.run_line`, with its text."""
    names_and_texts = FUNCTION.split(assembly)[1:]
    pairs = zip(names_and_texts[::2], names_and_texts[1::2], strict=True)
    return [(plain(name), text) for name, text in pairs if name.startswith("_ZN9tailproof")]


def packed(text: str) -> int:
    """Instructions that calculate with many doubles at once."""
    return sum((found := ARITHMETIC.match(line)) is not None and found.group(1) == "pd" for line in text.splitlines())


def fused(text: str) -> int:
    """Of these, how many add a product in one go."""
    return len(re.findall(r"\svfn?m(?:add|sub)\d+pd\t", text))


def plain(mangled: str) -> str:
    """`_ZN9tailproof8row_loop8run_lineB3v17...` is row_loop.run_line: each name stands behind its length."""
    rest, names = mangled.removeprefix("_ZN9tailproof"), []
    while found := re.match(r"(\d+)", rest):
        length = int(found.group(1))
        rest = rest[found.end() :]
        names.append(rest[:length])
        rest = rest[length:]
    return ".".join(names)


def loops(text: str) -> Counter[str]:
    """How many loops sum or store doubles, one at a time (scalar) or many at once (packed)."""
    return Counter(kind for loop in innermost(text.splitlines()) for kind in kinds(loop))


def innermost(lines: list[str]) -> list[list[str]]:
    labels: dict[str, int] = {}
    spans: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if label := LABEL.match(line):
            labels[label.group(1)] = at
        elif (jump := JUMP.match(line)) and jump.group(1) in labels:
            spans.append((labels[jump.group(1)], at))
    inside = [span for span in spans if not any(within(other, span) for other in spans)]
    return [lines[begin : end + 1] for begin, end in inside]


def within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]


def kinds(loop: list[str]) -> set[str]:
    found = {f"{WIDTHS[width]} sum" for width in sums(loop)}
    widths = {match.group(1) for line in loop if (match := ARITHMETIC.match(line))}
    if widths and any(STORE.match(line) for line in loop):
        found.add(f"{'packed' if 'pd' in widths else 'scalar'} store")
    return found


def sums(loop: list[str]) -> set[str]:
    """The widths of the registers that only additions to themselves write to."""
    written: dict[str, list[str]] = {}
    for line in loop:
        name, _, operands = line.split("#")[0].strip().partition("\t")
        *read, target = (part.strip() for part in OPERAND.findall(operands)) if operands else ("",)
        if register := REGISTER.fullmatch(target):
            added = re.fullmatch(r"vfn?m(?:add|sub)231(?:pd|sd)", name) or (
                re.fullmatch(r"v(?:add|sub)(?:pd|sd)", name)
                and any(register.group(1) in REGISTER.findall(part) for part in read)
            )
            written.setdefault(register.group(1), []).append(name[-2:] if added else "")
    return {widths[0] for widths in written.values() if all(widths)}
