#!/usr/bin/env python3
"""Records the outputs of the command, and compares them with those of another build.

    guard.py record  FOLDER   [--idealparent BIN] [--paper BIN] [--python PYTHON] [--only NAME ...]
    guard.py compare FOLDER   [the same] [--exact]

`record` runs the commands of cases.py and stores their outputs in FOLDER, one file per case.
`compare` runs them again and shows the differences. Seconds, versions and names of temporary
folders are masked. Without --exact, numbers may differ by 1e-6 of their size, since other
processors round differently, and messages on standard error may be worded differently. With
--exact, the outputs must be identical.

Outputs above 8 kB (pages, long tables) are stored as a hash of everything but their numbers, and as
sums of their numbers. Each block of a hundred numbers gives one sum. Every number in a block has a
different weight, so that a changed sign or two swapped numbers change the sum. A hash of the whole
text is stored for --exact. A PNG is stored as a hash of its pixels. Only the data of a report page
are stored, with packed numbers unpacked, but not the code that shows them.
"""

import argparse
import base64
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases import CASES  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = 8_000
TOLERANCE = 1e-6
BLOCK = 100
PACKED = re.compile(r'"([A-Za-z0-9+/]{40,}={0,2})"')
NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![A-Za-z_0-9])")
PAPER = "(?:illegal|forget|resolve|moments|cluster_score|sparse)"
WORD = '(?:"[a-z]+"|true|false)'
# Parts of the output that are masked. The options of the paper's procedures are only recorded by
# the program that has them.
MASKS = [
    (re.compile(r'("seconds": ?)[-+.\deE]+'), r"\g<1>0"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min)\b"), "0 s"),
    (re.compile(r'("version": ?")\d+\.\d+\.\d+"'), r'\g<1>0"'),
    (re.compile(rf',\s*"{PAPER}": ?{WORD}|"{PAPER}": ?{WORD},\s*'), ""),
    (re.compile(r'("search": ?")(sparse|hill)"'), r'\g<1>hill"'),
]


def masked(text, folder):
    text = text.replace(str(folder), "FOLDER")
    for pattern, by in MASKS:
        text = pattern.sub(by, text)
    return text


def pixels(data):
    """The pixels of a PNG, independent of its compression."""
    at, header, body = 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            header = data[at + 8 : at + 8 + length]
        if kind == b"IDAT":
            body += data[at + 8 : at + 8 + length]
        at += length + 12
    return header + zlib.decompress(body)


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


def numbers(text):
    return [float(found) for found in NUMBER.findall(text)]


def unpacked(found):
    """The single precision numbers in a long base64 string, or the unchanged string."""
    packed = base64.b64decode(found[1])
    values = struct.unpack(f"<{len(packed) // 4}f", packed) if len(packed) % 4 == 0 else [math.nan]
    if not all(math.isfinite(x) and (x == 0 or 1e-9 < abs(x) < 1e9) for x in values):
        return found[0]
    return json.dumps([round(x, 5) for x in values])


def content(page):
    """The data of a report page."""
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return PACKED.sub(unpacked, found[1])


def block_sums(values):
    """For each block of numbers, their weighted sum and the sum of their absolute values."""
    blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
    weighted = [math.fsum((1 + i / BLOCK) * x for i, x in enumerate(block)) for block in blocks]
    sizes = [math.fsum(map(abs, block)) for block in blocks]
    return [[float(f"{x:.10g}") for x in pair] for pair in zip(weighted, sizes)]


def kept(path, folder):
    """What is stored of one output: the text, or a summary if it is long."""
    data = path if isinstance(path, bytes) else path.read_bytes()
    if data.startswith(b"\x89PNG"):
        return {"pixels": digest(pixels(data))}
    text = masked(data.decode(), folder)
    if text.startswith("<!DOCTYPE html"):
        text = content(text)
    if len(text) <= LONG:
        return text
    found = numbers(text)
    return {
        "rest": digest(NUMBER.sub("#", text)),
        "numbers": len(found),
        "sums": block_sums(found),
        "all": digest(text),
    }


def run(case, programs):
    """Runs a case; returns its outputs by name."""
    _, files, commands = case
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in files.items():
            (folder / file).write_text(text)
        given = set(os.listdir(folder))
        outputs = {}
        for number, command in enumerate(commands):
            words = command.format(**{key: shlex.quote(str(value)) for key, value in programs.items()})
            environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
            ran = subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, env=environment, timeout=600)
            outputs[f"{number}.exit"] = str(ran.returncode)
            outputs[f"{number}.stdout"] = kept(ran.stdout, folder)
            outputs[f"{number}.stderr"] = kept(ran.stderr, folder)
        for path in sorted(folder.rglob("*")):
            # The format of checkpoints may change between builds, so they are not compared.
            if path.is_file() and path.name not in given | {"state"}:
                outputs[path.name] = kept(path, folder)
        return outputs


def close(a, b):
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def same_sums(a, b):
    """Whether the sums of two blocks agree, up to the rounding of their numbers."""
    return abs(a[0] - b[0]) <= TOLERANCE * max(1.0, a[1]) and close(a[1], b[1])


def same(name, old, new, exact):
    """Whether two outputs agree."""
    if exact or old == new:
        return old == new
    if isinstance(old, dict) or isinstance(new, dict):
        if not (isinstance(old, dict) and isinstance(new, dict)) or "pixels" in old:
            return False
        if any(old[key] != new[key] for key in ("rest", "numbers")):
            return False
        return all(map(same_sums, old["sums"], new["sums"]))
    a, b = numbers(old), numbers(new)
    if len(a) != len(b) or not all(map(close, a, b)):
        return False
    # Messages may be worded differently.
    return name.endswith(".stderr") or NUMBER.sub("#", old) == NUMBER.sub("#", new)


def difference(old, new):
    """A description of the first line that differs."""
    if isinstance(old, dict) or isinstance(new, dict):
        return f"{old} -> {new}"
    for a, b in zip(old.splitlines() + [""], new.splitlines() + [""]):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            cut = slice(max(0, at - 40), at + 60)
            return f"{a[cut]!r} -> {b[cut]!r}"
    return "one output is longer"


def chosen(only):
    cases = [case for case in CASES if not only or case[0] in only]
    unknown = set(only or ()) - {case[0] for case in cases}
    if unknown:
        sys.exit(f"error: no such case: {', '.join(sorted(unknown))}")
    return cases


def differences(case, folder, programs, exact):
    """The differences of a case, one line each."""
    before = json.loads((folder / f"{case[0]}.json").read_text())
    after = run(case, programs)
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"{case[0]}: {name} is missing"
        elif name not in before:
            yield f"{case[0]}: {name} is new"
        elif not same(name, before[name], after[name], exact):
            yield f"{case[0]}: {name}: {difference(before[name], after[name])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    release = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"
    parser.add_argument("--idealparent", type=pathlib.Path, default=release / "idealparent")
    parser.add_argument("--paper", type=pathlib.Path, default=release / "paper")
    parser.add_argument("--python", type=pathlib.Path, default=pathlib.Path(sys.executable))
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--exact", action="store_true")
    args = parser.parse_args()
    programs = {key: getattr(args, key).absolute() for key in ("idealparent", "paper", "python")}
    cases = chosen(args.only)
    if args.what == "record":
        args.folder.mkdir(parents=True, exist_ok=True)
        for case in cases:
            text = json.dumps(run(case, programs), indent=1, sort_keys=True, ensure_ascii=False)
            (args.folder / f"{case[0]}.json").write_text(text + "\n")
        return 0
    found = [line for case in cases for line in differences(case, args.folder, programs, args.exact)]
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(cases)} cases, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
