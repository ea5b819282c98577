#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_docs_refuses_faults.py: check_docs.py accepts a good page and fails for each kind of fault.

    check_docs_refuses_faults.py FATHOM LIBRARY CC
"""
import os
import subprocess
import sys
import tempfile

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_docs.py")
REFERENCES = "# References\n\n- **[AB99]** An entry.\n"
GOOD = """# Title

A sentence that cites [AB99] and links to [references](docs/references.md#references).

```yaml small.yaml
about: A small scene
source: ours
bodies: { towel: { cloth: { sheet: { columns: 5, rows: 5, width: 0.3, height: 0.3 } } } }
```

```yaml
bend: { stiffness: 1.0e-4 }
```

```sh
build/fathom check small.yaml
make help
```

```c
#include <fathom/fathom.h>
int main(void) { return fm_version()[0] == 0; }
```

    fathom render scenes/underwater/swing.yaml --frame 3
"""

# (what is wrong, text of the good page, faulty text in its place, part of the message)
FAULTS = [
    ("an unknown key in a scene", "columns: 5", "colunms: 5", "colunms"),
    ("a fragment with an unknown key", "bend: {", "bend: { stifness: 1, ", "stifness"),
    ("a value out of range", "rows: 5", "rows: -5", "rows"),
    ("a program that does not compile", "fm_version()", "fm_verzion()", "does not compile"),
    ("a program that fails", "[0] == 0", "[0] != 0", "fails"),
    ("an excerpt that is not in its file", "```c\n#include <fathom/fathom.h>\n",
     "```c from=examples/towel.c\nint nothing_like_this;\n", "does not have"),
    ("a command with an unknown option", "check small.yaml", "check --fast small.yaml", "--fast"),
    ("an unknown subcommand", "fathom check", "fathom chek", "chek"),
    ("a file that is missing", "check small.yaml", "check large.yaml", "large.yaml"),
    ("an unknown make target", "make help", "make coffee", "coffee"),
    ("an unknown program", "make help", "frobnicate", "frobnicate"),
    ("a wrong option in an indented command", "--frame 3", "--frmae 3", "--frmae"),
    ("a scene that does not exist", "swing.yaml", "swung.yaml", "swung.yaml"),
    ("a link to a missing file", "docs/references.md#", "docs/sources.md#", "leads nowhere"),
    ("a link to a missing heading", "#references", "#books", "no such heading"),
    ("a citation without an entry", "[AB99]", "[CD99]", "[CD99]"),
    ("a block that is not closed", "make help\n```\n", "make help\n", "closed"),
    ("a block in an unknown language", "```sh", "```fish", "fish"),
]


def check(text, fathom, library, cc):
    """Runs check_docs.py on a repository whose README.md is `text`. Returns exit code and output."""
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "docs"))
        for path, content in (("README.md", text), ("docs/references.md", REFERENCES)):
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(content)
        done = subprocess.run([sys.executable, CHECKER, root, fathom, library, cc],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(errors="replace")


def main():
    fathom, library, cc = sys.argv[1:4]
    code, output = check(GOOD, fathom, library, cc)
    failed = code != 0
    if failed:
        print(f"a good page was refused:\n{output}", file=sys.stderr)
    for what, good, faulty, message in FAULTS:
        assert good in GOOD, what
        code, output = check(GOOD.replace(good, faulty, 1), fathom, library, cc)
        print(f"{what}: exit code {code}")
        if code != 1 or message not in output:
            print(f"{what}: exit code {code}, wanted 1 and \"{message}\":\n{output}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


sys.exit(main())
