"""Runs the shell and Python blocks of Markdown files.

    python3 tests/python/run_document.py README.md docs/*.md

Each file gets a temporary copy of the repository; two files run at the same time. Its ```sh blocks run there one after another with
`bash -euo pipefail`. `idealparent` is on the PATH, and `cargo run --release -- …` runs it too. The
```python blocks of a file run in one Python session in the same folder.

A block is skipped, and counted as skipped, if the line before it is `<!-- not run: reason -->`. A
block that runs ./test is ignored, since ./test runs this script.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
COMMAND = pathlib.Path(os.environ.get("IDEALPARENT_BIN") or TARGET / "release/idealparent")
PAPER = pathlib.Path(os.environ.get("IDEALPARENT_PAPER_BIN") or COMMAND.with_name("paper"))
EXAMPLES = pathlib.Path(os.environ.get("IDEALPARENT_EXAMPLES") or COMMAND.with_name("examples"))
SECONDS = 300

FENCE = re.compile(r"( *)(`{3,}|~{3,})\s*(\S*)")
NOT_RUN = re.compile(r"<!--\s*not run:\s*(.*?)\s*-->")

# `cargo run --release` runs the programs and examples that are already built.
SHIM = """#!/bin/bash
case "$*" in
    "run --release -- "*) shift 3; exec {command} "$@" ;;
    "run --release -p paper -- "*) shift 5; exec {paper} "$@" ;;
    "run --release -p idealparent-examples --example "*) exec {examples}/"$6" ;;
esac
exec {cargo} "$@"
"""


def blocks(text):
    """Every ```sh and ```python block: line, language, commands, and the reason not to run them."""
    lines = iter(enumerate(text.splitlines(), 1))
    before = ""
    for number, line in lines:
        opening = FENCE.fullmatch(line.rstrip())
        if opening:
            body = []
            for _, inner in lines:
                closing = FENCE.fullmatch(inner.rstrip())
                if closing and closing[2].startswith(opening[2]) and not closing[3]:
                    break
                body.append(inner)
            else:
                raise SystemExit(f"line {number}: the block is not closed")
            if opening[3] in ("sh", "python"):
                reason = NOT_RUN.fullmatch(before.strip())
                yield number, opening[3], textwrap.dedent("\n".join(body)) + "\n", reason and reason[1]
        before = line


def copy_of_repository(folder):
    """Copies the files of the repository without build outputs."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
    )
    if listed.returncode == 0:
        for name in filter(None, listed.stdout.decode().split("\0")):
            source, target = ROOT / name, folder / name
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
    else:
        ignored = shutil.ignore_patterns("target", ".git", ".venv", "__pycache__")
        shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
    built = folder / "target/release"
    built.mkdir(parents=True)
    (built / "idealparent").symlink_to(COMMAND)


def environment(tools):
    """The variables of this process, with the command and the shim first on the PATH."""
    (tools / "idealparent").symlink_to(COMMAND)
    cargo = shutil.which("cargo") or "false"
    shim = tools / "cargo"
    shim.write_text(SHIM.format(command=COMMAND, paper=PAPER, examples=EXAMPLES, cargo=cargo), encoding="utf-8")
    shim.chmod(0o755)
    return {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}


def run_block(commands, folder, variables):
    """Runs commands; returns their output if they failed, else None."""
    try:
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"not finished after {SECONDS} s"
    if result.returncode == 0:
        return None
    said = result.stdout.decode("utf-8", "replace").strip()
    return f"{said}\nexit status {result.returncode}".strip()


class Session:
    """A Python process that runs the blocks of a document one after another in one namespace."""

    def __init__(self, folder, variables):
        words = [sys.executable, "-u", "-c", DRIVER]
        self.process = subprocess.Popen(
            words, cwd=folder, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, commands, line):
        """Runs a block; returns its output and traceback if it failed, else None."""
        self.process.stdin.write(json.dumps([commands, line]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else "the Python process ended"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# Reads blocks, runs them and answers with the error, or null.
DRIVER = """
import contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
for request in sys.stdin:
    code, line = json.loads(request)
    said, fault = io.StringIO(), None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(compile("\\n" * line + code, "document", "exec"), names)
        except BaseException:
            fault = said.getvalue() + traceback.format_exc()
    print(json.dumps(fault), flush=True)
"""


def run_document(path):
    """Runs the blocks of a file; returns how many passed, failed and were skipped, and the lines to
    print.
    """
    said = []
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="idealparent-document-") as temporary:
        folder, tools = pathlib.Path(temporary, "idealparent"), pathlib.Path(temporary, "bin")
        tools.mkdir()
        folder.mkdir()
        copy_of_repository(folder)
        variables = environment(tools)
        session = None
        for line, language, commands, reason in blocks(path.read_text(encoding="utf-8")):
            place = f"{path.name}:{line}"
            if reason:
                counts["skipped"] += 1
                said.append(f"{place} skipped: {reason}")
                continue
            if re.search(r"(^|\s)\./test\b", commands):
                said.append(f"{place} ignored: it runs ./test")
                continue
            began = time.monotonic()
            if language == "python":
                session = session or Session(folder, variables)
                fault = session.run(commands, line)
            else:
                fault = run_block(commands, folder, variables)
            counts["failed" if fault else "passed"] += 1
            seconds = time.monotonic() - began
            said.append(f"{place} {'FAILED' if fault else 'ok'} ({seconds:.1f} s)")
            if fault:
                said.append(textwrap.indent(f"{commands}---\n{fault}", "    "))
                # Later blocks may depend on this one.
                break
        if session:
            session.close()
    return counts, said


def main(names):
    if not names:
        raise SystemExit(__doc__)
    if not COMMAND.exists():
        raise SystemExit(f"{COMMAND} does not exist (run cargo build --release)")
    failed = 0
    paths = [pathlib.Path(name) for name in names]
    with ThreadPoolExecutor(2) as two:
        found = two.map(run_document, paths)
        for path, (counts, said) in zip(paths, found, strict=True):
            failed += counts["failed"]
            print("\n".join(said))
            print(f"{path.name}: " + ", ".join(f"{n} {word}" for word, n in counts.items()), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
