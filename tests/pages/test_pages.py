#!/usr/bin/env python3
"""test_pages.py: what the pages say is there.

README.md has at most 150 lines. Links between pages lead to files and headings; every page of docs/ is reached from its index; paths
and commands that pages name exist: files of the tree, verbs and options of `talus`; scenes shown in
full are good; C shown by a tutorial stands in its sample.

    test_pages.py SOURCE_FOLDER TALUS HAVE_YAML

docs/reference/cli.md holds the help texts of `talus`; with --write as a further argument they are
written anew.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT, TALUS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HAVE_YAML = len(sys.argv) < 4 or sys.argv[3] == "1"
FIRST = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "host/python/README.md", "bench/README.md",
         "tests/fuzz/README.md"]
FOLDERS = ("docs/", "samples/", "include/", "tests/", "bench/", "host/", "kernels/")

LONGEST = 150  # lines of README.md

failures, checks = [], 0


def check(good, text):
    global checks
    checks += 1
    if not good:
        failures.append(text)


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def pages():
    found = [page for page in FIRST if os.path.exists(os.path.join(ROOT, page))]
    for folder, folders, names in sorted(os.walk(os.path.join(ROOT, "docs"))):
        folders.sort()
        found += [os.path.relpath(os.path.join(folder, name), ROOT)
                  for name in sorted(names) if name.endswith(".md")]
    return found


def blocks(text):
    """Code blocks: (kind, lines). Fenced ones with their word, indented ones as ''."""
    found, lines, kind, fenced = [], [], None, False
    blank = True
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            if fenced:
                found.append((kind, lines))
                fenced, lines, kind = False, [], None
            else:
                if lines:
                    found.append(("", lines))
                fenced, lines, kind = True, [], line.strip()[3:]
        elif fenced:
            lines.append(line)
        elif line.startswith("    ") and (blank or lines):
            lines.append(line[4:])
        elif line.strip() == "" and lines:
            lines.append("")
        elif lines:
            found.append(("", lines))
            lines = []
        blank = line.strip() == ""
    return found + ([("", lines)] if lines else [])


def prose(text):
    """The text without its code: links and headings inside of it do not count."""
    kept, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            kept.append(line)
    return "\n".join(kept)


def anchors(text):
    """As GitHub names them."""
    names = set(re.findall(r'<a name="([^"]*)">', text))
    for heading in re.findall(r"^#+ (.*)$", prose(text), re.M):
        heading = re.sub(r"<[^>]*>", "", heading).strip().lower()
        names.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return names


def check_links(page, text):
    """Returns the pages that this one leads to."""
    reached = []
    without_code = re.sub(r"`[^`\n]*`", "", prose(text))
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        there = os.path.exists(os.path.join(ROOT, other))
        check(there, f"{page}: {target} leads nowhere")
        if there and anchor and other.endswith(".md"):
            check(anchor in anchors(read(other)), f"{page}: {target}: no such heading")
        if there and other.endswith(".md"):
            reached.append(other)
    return reached


def check_paths(page, text):
    """Files of the tree that are named as such; stars and placeholders are left alone."""
    for word in re.findall(r"`([^`\n]+)`", prose(text)):
        if word.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", word):
            check(os.path.exists(os.path.join(ROOT, word)), f"{page}: `{word}` is not there")


HELP = {}


def help_of(*words):
    if words not in HELP:
        result = subprocess.run([TALUS, *words, "--help"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        HELP[words] = result.stdout.decode() if result.returncode == 0 else None
    return HELP[words]


def help_for(words):
    """Of the verb, or of its kind (`talus bench solve`)."""
    text = help_of(words[0])
    kind = words[1] if len(words) > 1 and re.fullmatch("[a-z]+", words[1]) else None
    return help_of(words[0], kind) if text and kind and words[0] == "bench" else text


def check_command(page, line):
    line = re.split(r"\s#\s|\s{3,}", line.strip())[0]
    line = re.sub(r"^\$ ", "", line)
    try:
        words = shlex.split(line)
    except ValueError:
        return
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if len(words) < 2:
        return
    if words[0] in ("bash", "sh", "python3") and words[1].startswith(FOLDERS):
        check(os.path.exists(os.path.join(ROOT, words[1])), f"{page}: {line}: no such file")
    for word in words:
        if re.fullmatch(r"samples/[\w./-]+", word):
            check(os.path.exists(os.path.join(ROOT, word)), f"{page}: {line}: {word} is not there")
    if os.path.basename(words[0]) != "talus" or not re.fullmatch("[a-z]+", words[1]):
        return
    text = help_for(words[1:])
    check(text is not None, f"{page}: {line}: talus has no verb {words[1]}")
    for word in words[2:] if text is not None else []:
        if word in ("|", "&&", ">", ";"):
            break
        option = re.match(r"--[a-z-]+", word)
        if option and word != "--help":
            check(re.search(re.escape(option.group()) + r"\b", text) is not None,
                  f"{page}: {line}: talus {words[1]} has no {option.group()}")


def check_scene(page, lines):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        result = subprocess.run([TALUS, "scene", "check", file.name], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
    check(result.returncode == 0, f"{page}: a scene is not good: {result.stdout.decode()}")


def is_scene(lines):
    keys = {line.split(":")[0] for line in lines if re.match("[a-z]+:", line)}
    return "run" in keys or {"walls", "grains"} <= keys


def check_samples(page, text):
    """`samples/NAME.c` named at the head of a tutorial, or by the page on restarts: its C blocks stand there."""
    named = re.search(r"`(samples/(?:first_\w+|restart_world)\.c)`", text)
    if not (page.startswith("docs/tutorial/") or page == "docs/how-to/restart.md") or named is None:
        return
    sample = read(named.group(1)) if os.path.exists(os.path.join(ROOT, named.group(1))) else ""
    for kind, lines in blocks(text):
        if kind == "c" and not any("int main" in line for line in lines):
            check("\n".join(lines) in sample, f"{page}: {lines[0]!r} ... is not in {named.group(1)}")


CLI = "docs/reference/cli.md"
VERBS = ("run", "scene check", "render", "view", "plot", "sweep", "measure", "solve", "check", "generate", "profile",
         "bench solve", "bench world", "bench call", "bench batch", "info")


def check_cli(write):
    """The part of the page from its mark on."""
    mark = "<!-- help texts begin -->\n"
    text = read(CLI)
    begin = text.index(mark) + len(mark)
    made = ""
    for verb in VERBS:
        help_text = help_of(*verb.split()) or help_of(verb.split()[0]) or ""
        made += f"\n## talus {verb}\n\n```\n{help_text.rstrip()}\n```\n"
    if write:
        with open(os.path.join(ROOT, CLI), "w", encoding="utf-8") as file:
            file.write(text[:begin] + made)
        return
    check(text[begin:] == made, f"{CLI} is out of date: `python3 tests/pages/test_pages.py . "
          "build/bin/talus 1 --write` from the folder of the sources writes it anew")
    for verb in re.findall(r"^  ([a-z]+)  ", help_of() or "", re.M):
        check(any(v.split()[0] == verb for v in VERBS), f"{CLI}: talus {verb} is missing")


def check_options():
    """Options of the build and their page."""
    build, page = read("CMakeLists.txt"), "docs/reference/build.md"
    there = set(re.findall(r"^option\((TALUS_\w+)", build, re.M))
    there |= set(re.findall(r"^ *set\((TALUS_\w+) .*CACHE", build, re.M))
    told = set(re.findall(r"`(TALUS_\w+)`", read(page)))
    for name in sorted(there ^ told):
        check(False, f"{page}: {name} is " + ("missing" if name in there else "no option"))
    check(len(there) > 5, "CMakeLists.txt: no options found")


def main():
    check_options()
    check_cli("--write" in sys.argv)
    lines = read("README.md").count("\n")
    check(lines <= LONGEST, f"README.md has {lines} lines, more than {LONGEST}")
    reached = {}
    for page in pages():
        text = read(page)
        reached[page] = check_links(page, text)
        if page != "CHANGELOG.md":  # which tells of what was
            check_paths(page, text)
        for kind, lines in blocks(text):
            for line in lines if kind in ("", "sh") else []:
                check_command(page, line)
            if kind == "yaml" and HAVE_YAML and is_scene(lines):
                check_scene(page, lines)
        check_samples(page, text)
    seen, todo = set(), ["docs/README.md"]
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            todo += reached.get(page, [])
    for page in reached:
        check(not page.startswith("docs/") or page in seen, f"{page}: no page leads to it")
    for failure in failures:
        print("failed:", failure)
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures or checks < 100 else 0)


main()
