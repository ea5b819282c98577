#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_figures.py: the table of docs/experiments.md has a row for each figure of the papers.

    check_figures.py ROOT

tests/docs/figures.txt lists the figures. A row gives figure or claim, source, content, verdict,
reason and command. The command names an experiment, an example, an exact test or a scene that
exists; `none` is allowed only where the verdict says that nothing was run. The check is then
repeated on tables with faults, which it must find.
"""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
VERDICTS = ("reproduced", "partly", "not", "nothing to measure")


def check_command(name, verdict, command):
    """What is wrong with the command of a row."""
    experiment = re.fullmatch(r"`build/experiments/([\w-]+)`", command)
    program = re.fullmatch(r"`build/(examples/\w+|tests/exact/\w+)`", command)
    scene = re.fullmatch(r"`fathom render (scenes/[\w/-]+\.yaml)`", command)
    if command == "none":
        return [] if verdict == "nothing to measure" else [f"{name}: no command"]
    if experiment:
        path = f"experiments/{experiment.group(1)}.c"
    elif program:
        path = f"{program.group(1)}.c"
    elif scene:
        path = scene.group(1)
    else:
        return [f"{name}: {command} is no experiment, example, exact test or scene"]
    return [] if os.path.isfile(os.path.join(ROOT, path)) else [f"{name}: {path} does not exist"]


def check_table(text):
    """The faults of a table."""
    faults, found = [], set()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 6 or not re.match(r"(fig\. |claim, )", cells[0]):
            continue
        name = f"{cells[1].strip('[]')} {cells[0]}"
        if cells[0].startswith("fig.") and name in found:
            faults.append(f"{name} has two rows")
        found.add(name)
        if cells[3] not in VERDICTS:
            faults.append(f"{name}: verdict '{cells[3]}', allowed is {', '.join(VERDICTS)}")
        if not cells[2] or not (cells[4] or cells[3] == "nothing to measure"):
            faults.append(f"{name}: content or reason is missing")
        faults += check_command(name, cells[3], cells[5])
    with open(os.path.join(HERE, "figures.txt"), encoding="utf-8") as file:
        figures = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    faults += [f"{name} has no row" for name in figures if name not in found]
    faults += [f"{name} is not in figures.txt" for name in sorted(found)
               if " fig. " in name and name not in figures]
    return faults


def main():
    with open(os.path.join(ROOT, "docs", "experiments.md"), encoding="utf-8") as file:
        text = file.read()
    faults = check_table(text)
    row = re.search(r"^\| fig\. 3\.2 .*$", text, re.M)
    if row:
        wrong = {"a missing row": "", "an unknown figure": row.group(0).replace("3.2", "3.92"),
                 "an unknown verdict": row.group(0).replace("partly", "perhaps"),
                 "an unknown experiment": row.group(0).replace("cloth-pull", "cloth-oblivion")}
        for fault, line in wrong.items():
            if not check_table(text.replace(row.group(0), line)):
                faults.append(f"{fault} is not found")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
