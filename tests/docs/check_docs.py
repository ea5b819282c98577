#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_docs.py: the code blocks, links and citations of README.md and the pages in docs/ are right.

    check_docs.py ROOT FATHOM LIBRARY CC

ROOT is the repository (or a copy of its Markdown files), FATHOM the program, LIBRARY libfathom.a.

Fenced blocks are checked by their language. A word after the language changes how:

  yaml             `fathom check` must accept it. A block without `about` is a fragment: it is laid
                   over a small scene, or put under bodies.NAME.cloth or fluids.NAME.sph when its
                   keys belong there. An ellipsis (...) stands for keys that are left out.
  yaml NAME.yaml   the same, and commands of the same page may name the file
  c                a whole program: compiled with warnings as errors, and run (exit code 0)
  c from=PATH      an excerpt: its pieces must occur in PATH in this order, comments aside
  sh               every command exists and takes its options; scenes and scripts it names exist;
                   in README.md runs, exports and pictures are made, with few frames and pixels
  sh slow          checked in the same way but never executed

Blocks indented by four spaces that begin with `fathom` are checked like `sh slow`; three spaces end
a command there. Patterns such as `fathom run SCENE [--resume]` are not commands and are left out.
Links must lead to a file and a heading. Keys such as [OKRC10], in the pages and in the comments of
the C files, must have one entry in docs/references.md.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, FATHOM, LIBRARY, CC = (os.path.abspath(a) for a in sys.argv[1:4] + ["."])
CC = sys.argv[4]
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))  # headers and scenes, also when ROOT is a copy
FEW_FRAMES = "4"  # of the runs in README.md, which are executed
problems = []  # messages about what is wrong
counts = {}  # number of checks by kind, for the summary


def complain(page, line, text):
    """Notes a problem in a line of a page."""
    problems.append(f"{os.path.relpath(page, ROOT)}:{line}: {text}")


def count(kind):
    """Counts a check."""
    counts[kind] = counts.get(kind, 0) + 1


def execute(command, cwd, timeout=120):
    """Runs a command for at most `timeout` seconds. Returns its exit code and its output."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=timeout)
    return done.returncode, done.stdout.decode(errors="replace")


class Block:
    """A code block of a page. line: of its opening fence; info: the words after the fence."""

    def __init__(self, page, line, info, text):
        words = info.split()
        self.page, self.line, self.text = page, line, text
        self.language = words[0] if words else ""
        self.words = words[1:]


def read_blocks(page):
    """Fenced blocks, and indented ones that hold fathom commands."""
    blocks, fence, start, info, lines = [], None, 0, "", []
    indented, indented_start = [], 0
    text = open(page, encoding="utf-8").read() + "\n"
    for number, line in enumerate(text.splitlines(True) + ["\n"], 1):
        mark = re.match(r" {0,3}```(.*)", line)
        if fence is None and not mark:
            if line.startswith("    "):
                if not indented:
                    indented_start = number
                indented.append(line[4:])
            elif indented:
                commands = re.sub(r"(?<=\S) {3,}.*", "", "".join(indented))
                if re.match(r"(build/)?fathom ", commands):
                    blocks.append(Block(page, indented_start - 1, "sh slow", commands))
                indented = []
        if mark and fence is None:
            fence, start, info, lines = True, number, mark.group(1).strip(), []
        elif mark:
            blocks.append(Block(page, start, info, "".join(lines)))
            fence = None
        elif fence:
            lines.append(line)
    if fence:
        complain(page, start, "a code block is not closed")
    return blocks


# YAML ---------------------------------------------------------------------------------------------

BASE = """about: The scene that fragments are laid over
source: tests/docs/check_docs.py
world: { frames: 4, fps: 24 }
"""
WOMAN = "figures: { woman: { height: 1.7, motion: { walk: { speed: 0.9 } } } }\n"
SKIRT = ("tube: { columns: 80, rows: 41, radius_top: 0.175, radius_bottom: 0.38, height: 0.86, "
         "origin: [0, 1.03, -0.005] }")
CLOTH = "sheet: { columns: 5, rows: 5, width: 0.3, height: 0.3, origin: [0, 0.5, 0] }"
FLUID = ("domain: { low: [-1, -1, -1], high: [1, 1, 1] }, "
         "boxes: [{ low: [-1, -1, -1], high: [1, -0.9, 1] }]")


def schema_keys(schema, *path):
    """The keys that the schema allows at a path; "*" in the path stands for any name."""
    for name in path:
        if name == "*":
            schema = schema.get("additionalProperties", {})
        else:
            schema = schema.get("properties", {}).get(name, {})
    return set(schema.get("properties", {}))


def fill_ellipses(text):
    """Replaces "..." by a shape in a cloth and by a domain in a fluid, and removes it elsewhere."""
    text = re.sub(r"(cloth: \{[^{}]*?)\.\.\.", lambda m: m.group(1) + CLOTH, text)
    text = re.sub(r"(sph: \{[^{}]*?)\.\.\.", lambda m: m.group(1) + FLUID, text)
    return re.sub(r",? *\.\.\.", "", text)


def indent(text, spaces):
    return "".join(" " * spaces + line if line.strip() else line for line in text.splitlines(True))


def dedent(text):
    """Removes the indentation that all lines share."""
    margin = min((len(l) - len(l.lstrip()) for l in text.splitlines() if l.strip()), default=0)
    return "".join(line[margin:] if line.strip() else line for line in text.splitlines(True))


def make_scene(text, keys):
    """Completes a fragment of a scene. Returns the scene and how many lines were put before it.

    keys: the keys allowed in a scene, in a cloth and in a fluid; they tell where a fragment belongs.
    """
    text = dedent(fill_ellipses(text))
    top = set(re.findall(r"^([\w-]+):", text, re.M))  # keys of the outermost level
    if "about" in top:
        return text, 0
    worn = "woman." in text  # the cloth is pinned to a figure
    head = "extend: docs-base.yaml\n" + (WOMAN if worn and "figures" not in top else "")
    if top <= keys["scene"]:
        if not top & {"bodies", "fluids"}:
            head += f"bodies: {{ towel: {{ cloth: {{ {CLOTH} }} }} }}\n"
        return head + text, head.count("\n")
    shape = "" if top & {"sheet", "tube", "mesh"} else f"      {SKIRT if worn else CLOTH}\n"
    if top <= keys["cloth"]:
        head += "bodies:\n  towel:\n    cloth:\n" + shape
        return head + indent(text, 6), head.count("\n")
    if top <= keys["sph"]:
        box = "      domain: { high: [1, 1, 1] }\n" if "domain" not in top else ""
        box += "      spacing: 0.05\n" if "spacing" not in top else ""
        head += "fluids:\n  water:\n    sph:\n" + box
        return head + indent(text, 6), head.count("\n")
    return head + text, head.count("\n")


def check_yaml(block, work, keys):
    """Writes the scene of a block into the folder `work` and checks it with `fathom check`."""
    count("yaml")
    text, offset = make_scene(block.text, keys)
    name = next((w for w in block.words if w.endswith(".yaml")), f"block-{block.line}.yaml")
    with open(os.path.join(work, name), "w", encoding="utf-8") as file:
        file.write(text)
    code, output = execute([FATHOM, "check", "--quiet", name], work)
    if code:
        output = re.sub(rf"{re.escape(name)}:(\d+):",
                        lambda m: f"line {block.line + int(m.group(1)) - offset}:", output)
        complain(block.page, block.line, f"fathom check refuses this scene:\n{output}")


# C ------------------------------------------------------------------------------------------------

def squeeze(text):
    """C code without comments and white space."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\s+", "", text)


def check_excerpt(block, path):
    """Checks that the statements of a block occur in the file in the same order."""
    count("c excerpt")
    if not os.path.isfile(os.path.join(SOURCE, path)):
        complain(block.page, block.line, f"from={path}: there is no such file")
        return
    source = squeeze(open(os.path.join(SOURCE, path), encoding="utf-8").read())
    at = 0
    for piece in re.split(r"(?<=[;{}])|(?<=,)(?=[.{])", squeeze(block.text)):
        found = source.find(piece, at)
        if found < 0:
            complain(block.page, block.line, f"{path} does not have, in this order: {piece}")
            return
        at = found + len(piece)


def check_c(block, work):
    """Checks an excerpt, or compiles a program and runs it in the folder `work`."""
    origin = next((w[5:] for w in block.words if w.startswith("from=")), None)
    if origin:
        check_excerpt(block, origin)
        return
    count("c program")
    name = os.path.join(work, f"block-{block.line}.c")
    with open(name, "w", encoding="utf-8") as file:
        file.write(block.text)
    program = name[:-2]
    code, output = execute([CC, "-std=c17", "-Wall", "-Wextra", "-Werror", "-I",
                            os.path.join(SOURCE, "include"), name, LIBRARY, "-lm", "-pthread",
                            "-o", program], work)
    if code == 0:
        code, output = execute([program], work)
    if code:
        complain(block.page, block.line, f"this program does not compile or fails:\n{output}")


# Commands -----------------------------------------------------------------------------------------

KNOWN_PROGRAMS = {"cc", "cmake", "ctest", "export", "git", "cd", "python3"}
SUBCOMMANDS = {"run", "check", "scenes", "describe", "schema", "export", "render", "bench", "man",
               "completion"}


def split_commands(block):
    """(line, words) of every command; backslashes, comments, && and pipes are resolved."""
    line, text = block.line + 1, ""
    for number, raw in enumerate(block.text.splitlines(), block.line + 1):
        if not text:
            line = number
        text += raw
        if text.endswith("\\"):
            text = text[:-1]
            continue
        if re.search(r"\b[A-Z]{3,}\b[^_]| \[", text + " ") and "fathom" in text:
            text = ""  # a pattern, not a command
            continue
        lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;<>()")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words, text = [], ""
        try:
            tokens = list(lexer)
        except ValueError as error:
            complain(block.page, line, f"not a shell command: {error}")
            continue
        for token in tokens + ["&&"]:
            if token in ("&&", "|", ";"):
                if words:
                    yield line, words
                words = []
            else:
                words.append(token)


def is_target(name):
    """True if the Makefile has this target."""
    return re.search(rf"^([\w/-]+ )*{re.escape(name)}( [\w/-]+)*:", MAKEFILE, re.M) is not None


def set_option(words, names, value):
    """The words of a command, with an option (one of its names) set to a value."""
    for i, word in enumerate(words[:-1]):
        if word in names:
            words[i + 1] = value
            return words
    return words + [names[0], value]


def check_fathom(block, line, words, work, allowed):
    """Checks a fathom command; executes it if that is quick.

    allowed: the names of benchmarks ("bench"), and whether fathom renders pictures ("render").
    """
    args = words[1:]
    count("fathom command")
    if args[0] in ("--version", "--help", "help"):
        return
    if args[0] not in SUBCOMMANDS:
        complain(block.page, line, f"fathom has no subcommand {args[0]}")
        return
    if args[0] == "bench" and len(args) > 1 and args[1] not in allowed["bench"]:
        complain(block.page, line, f"there is no benchmark {args[1]}")
    for word in args[1:]:
        if word.startswith("scenes/") and not os.path.isfile(os.path.join(SOURCE, word)):
            complain(block.page, line, f"there is no scene {word}")
    if args[0] == "render" and not allowed["render"]:
        return  # this program was built without pictures
    # Options are read from left to right, and nothing is done before the last has been read.
    code, output = execute([FATHOM] + args + ["--no-such-option"], work)
    if code != 1 or "--no-such-option" not in output:
        complain(block.page, line, f"{' '.join(words)}: {output.strip()}")
        return
    if "slow" in block.words:
        return
    if args[0] in ("check", "describe", "scenes", "schema", "man", "completion"):
        code, output = execute([FATHOM] + args, work)
    elif os.path.basename(block.page) == "README.md" and os.path.dirname(block.page) == ROOT:
        if args[0] == "run":
            args = set_option(args, ["--frames"], FEW_FRAMES) + ["--quiet", "--force"]
            args = ["2" if i and args[i - 1] == "--from" else a for i, a in enumerate(args)]
        elif args[0] == "render":
            args = set_option(args, ["--size"], "96x54")
            args = set_option(args, ["--samples"], "1")
            args = ["2" if i and args[i - 1] == "--frame" else a for i, a in enumerate(args)]
            if "mp4" in " ".join(args) and not shutil.which("ffmpeg"):
                return
        elif args[0] == "bench":
            return
        code, output = execute([FATHOM] + args, work)
        if code and "--from" in args:  # a branch may fail because of --force: again without it
            args.remove("--force")
            code, output = execute([FATHOM] + args, work)
        count("executed command")
    else:
        code = 0
    if code:
        complain(block.page, line, f"fathom {' '.join(args)}: exit code {code}\n{output.strip()}")


def check_sh(block, work, allowed):
    """Checks every command of a shell block. allowed: as in check_fathom."""
    text = "\n".join(l for l in block.text.splitlines() if "[" not in l and "|" not in l)
    code, output = execute(["bash", "-n", "-c", text], work)
    if code:
        complain(block.page, block.line, f"bash does not accept this: {output.strip()}")
        return
    for line, words in split_commands(block):
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if not words:
            continue
        name = words[0]
        if os.path.basename(name) == "fathom" and len(words) > 1:
            check_fathom(block, line, words, work, allowed)
        elif name == "make":
            for target in (w for w in words[1:] if "=" not in w and not w.startswith("-")):
                if not is_target(target):
                    complain(block.page, line, f"the Makefile has no target {target}")
        elif name.startswith("build/experiments/"):
            if not os.path.isfile(os.path.join(SOURCE, "experiments",
                                               os.path.basename(name) + ".c")):
                complain(block.page, line, f"there is no experiment {os.path.basename(name)}")
            for option in (w for w in words[1:] if w.startswith("-")):
                if option not in ("-o", "--quick"):
                    complain(block.page, line, f"experiments have no option {option}")
        elif name.startswith("build/tests/"):
            folder = os.path.join(SOURCE, os.path.dirname(name)[6:])
            if not os.path.isfile(os.path.join(folder, os.path.basename(name) + ".c")):
                complain(block.page, line, f"there is no test program {name}")
        elif name.startswith(("scripts/", "tests/")):
            if not os.access(os.path.join(SOURCE, name), os.X_OK):
                complain(block.page, line, f"there is no script {name}")
        elif name not in KNOWN_PROGRAMS:
            complain(block.page, line, f"{name}: this test knows no such command")


# Links and citations ------------------------------------------------------------------------------

def anchors(page):
    """The anchors of the headings of a page, as GitHub forms them."""
    found, fenced = set(), False
    for line in open(page, encoding="utf-8"):
        fenced ^= line.startswith("```")
        heading = re.match(r"#+ (.*)", line)
        if heading and not fenced:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def strip_code(text):
    """Text without code; the number of lines stays the same."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def check_links(page):
    """Checks that links to files and headings of the repository lead somewhere."""
    text = strip_code(open(page, encoding="utf-8").read())
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
        target, line = match.group(1), text.count("\n", 0, match.start()) + 1
        if re.match(r"[a-z]+:", target):
            continue
        count("link")
        path, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(full):
            complain(page, line, f"the link {target} leads nowhere")
        elif anchor and full.endswith(".md") and anchor not in anchors(full):
            complain(page, line, f"the link {target}: {path or 'this page'} has no such heading")


# a citation such as [OKRC10]: letters and two digits of the year, or one of three without a year
KEY = re.compile(r"(?<![\w\])])\[([A-Z][A-Za-z]{0,6}[0-9]{2}|MES|SJ|EBE)\]")


def check_citations(pages):
    """Checks that each key cited in pages and in C comments has one entry in docs/references.md."""
    references = os.path.join(ROOT, "docs", "references.md")
    if not os.path.isfile(references):
        complain(references, 1, "there is no list of references")
        return
    entries = re.findall(r"^- \*\*\[(\w+)\]\*\*", open(references, encoding="utf-8").read(), re.M)
    for key in sorted({k for k in entries if entries.count(k) > 1}):
        complain(references, 1, f"[{key}] has more than one entry")
    for page in pages:
        text = strip_code(open(page, encoding="utf-8").read())
        for match in KEY.finditer(text):
            count("citation")
            if match.group(1) not in entries:
                complain(page, text.count("\n", 0, match.start()) + 1,
                         f"[{match.group(1)}] is not in docs/references.md")
    for folder in ("src", "include", "tests", "experiments", "examples", "fixtures", "bench"):
        for directory, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in (n for n in names if n.endswith((".c", ".h"))):
                path = os.path.join(directory, name)
                for number, line in enumerate(open(path, encoding="utf-8"), 1):
                    comment = line.partition("//")[2]
                    for key in KEY.findall(comment):
                        count("citation")
                        if key not in entries:
                            complain(path, number, f"[{key}] is not in docs/references.md")


def main():
    global MAKEFILE
    MAKEFILE = open(os.path.join(SOURCE, "Makefile"), encoding="utf-8").read()
    schema = json.loads(execute([FATHOM, "schema"], ROOT)[1])
    keys = {"scene": schema_keys(schema), "cloth": schema_keys(schema, "bodies", "*", "cloth"),
            "sph": schema_keys(schema, "fluids", "*", "sph")}
    allowed = {"bench": set(re.findall(r"\w+", execute([FATHOM, "bench", "--help"], ROOT)[1])),
               "render": "--samples" in execute([FATHOM, "render", "--help"], ROOT)[1]}
    pages = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "CONTRIBUTING.md")]
    docs = os.path.join(ROOT, "docs")
    pages += sorted(os.path.join(folder, n) for folder, _, names in os.walk(docs) for n in names
                    if n.endswith(".md"))
    pages = [p for p in pages if os.path.isfile(p)]
    for page in pages:
        with tempfile.TemporaryDirectory() as work:
            os.symlink(os.path.join(SOURCE, "scenes"), os.path.join(work, "scenes"))
            for topic in os.listdir(os.path.join(SOURCE, "scenes")):
                folder = os.path.join(SOURCE, "scenes", topic)
                for name in (n for n in os.listdir(folder) if n.endswith(".obj")):
                    os.symlink(os.path.join(folder, name), os.path.join(work, name))
            with open(os.path.join(work, "docs-base.yaml"), "w", encoding="utf-8") as file:
                file.write(BASE)
            for block in read_blocks(page):
                if block.language == "yaml":
                    check_yaml(block, work, keys)
                elif block.language == "c":
                    check_c(block, work)
                elif block.language == "sh":
                    check_sh(block, work, allowed)
                elif block.language not in ("", "text", "cmake"):
                    complain(page, block.line, f"a block in {block.language}: name it yaml, c, sh, "
                             "cmake or text")
        check_links(page)
    check_citations(pages)
    print(", ".join(f"{n} {kind}s" for kind, n in sorted(counts.items())))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
