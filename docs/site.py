#!/usr/bin/env python3
"""Gathers the pages of the tree for a site: site.py SOURCE FOLDER.

README, ARCHITECTURE, CHANGELOG, docs/, the Python package's page, and the notebooks as pages, each at
its place in the tree, so that links stay as they are; files that are linked to come along. Then the
references: every header as a page, and the Python package by its docstrings. Every link is followed:
exit code 1, and the list, if one leads nowhere. build.sh makes a site of it by MkDocs.
"""

import ast
import base64
import json
import os
import posixpath
import re
import shutil
import sys

LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^(```.*?^```[^\n]*$)", re.M | re.S)


def pages_of(source):
    """Names of all pages, from the root."""
    found = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "host/python/README.md"]
    for folder, _, names in os.walk(os.path.join(source, "docs")):
        found += [posixpath.normpath(os.path.relpath(os.path.join(folder, n), source))
                  for n in names if n.endswith(".md")]
    return sorted(found)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def site_name(name):
    """Where a page of the tree stands on the site."""
    return {"README.md": "index.md"}.get(name, re.sub(r"\.ipynb$", ".md", name))


def relinked(text, page, source, folder, faults):
    """The page with its links for the site; what is linked to is copied."""
    def link(match):
        target = match.group(2)
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        origin = os.path.join(source, wanted)
        if not os.path.exists(origin):
            faults.append(f"{page}: {target} is not there")
            return match.group(0)
        if os.path.isdir(origin):  # folders have no page: named, not linked
            return match.group(1)[1:-2].lstrip("[")
        if not wanted.endswith((".md", ".ipynb")):
            place = os.path.join(folder, wanted)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copyfile(origin, place)
        way = posixpath.relpath(site_name(wanted), posixpath.dirname(site_name(page)) or ".")
        return match.group(1) + way + (match.group(3) or "") + match.group(4)

    parts = FENCE.split(text)
    return "".join(p if i % 2 else LINK.sub(link, p) for i, p in enumerate(parts))


def notebook_text(path, folder, name):
    """A notebook as a page, its pictures beside it."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    made = []
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        made.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            said = output.get("text") or output.get("data", {}).get("text/plain") or []
            image = output.get("data", {}).get("image/png")
            if image:
                picture = f"{name[:-6]}_{number}.png"
                place = os.path.join(folder, picture)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(base64.b64decode("".join(image)))
                made.append(f"![result]({posixpath.basename(picture)})")
            elif said:
                made.append("```text\n" + "".join(said).rstrip() + "\n```")
    return "\n\n".join(made) + f"\n\nThe notebook: `{name}` of the source tree.\n"


# ---- references ------------------------------------------------------------------------------------

def header_page(path, name):
    """A header as it stands: its comments are the reference."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    functions = re.findall(r"TALUS_API [^;(]*?(talus_[a-z0-9_]+)\(", text)
    return (f"# {name}\n\n{len(functions)} functions: "
            + ", ".join(f"`{f}`" for f in functions) + f"\n\n```c\n{text}```\n")


def signature(node):
    made = f"{node.name}({ast.unparse(node.args)})"
    return made + (f" -> {ast.unparse(node.returns)}" if node.returns is not None else "")


def docstring(node):
    return ast.get_docstring(node) or ""


def class_text(node):
    made = [f"### {node.name}\n\n{docstring(node)}\n"]
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (part.name == "__init__" or part.name[0] != "_"):
            if part.name == "__init__" or docstring(part):
                made.append(f"```python\n{signature(part)}\n```\n\n{docstring(part)}\n")
    return "\n".join(made)


def python_page(source):
    """Public classes and functions of every module, by their docstrings."""
    folder = os.path.join(source, "host", "python", "talus")
    made = ["# The Python package `talus`\n", "From its docstrings. [How it is used](../../host/python/README.md).\n"]
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py") or name.startswith("_"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        parts = [class_text(n) if isinstance(n, ast.ClassDef)
                 else f"### {n.name}\n\n```python\n{signature(n)}\n```\n\n{docstring(n)}\n"
                 for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))
                 and n.name[0] != "_" and docstring(n)]
        if parts:
            made += [f"## talus.{name[:-3]}\n\n{docstring(tree)}\n", *parts]
    return "\n".join(made)


def main(source, folder):
    faults = []
    shutil.rmtree(folder, ignore_errors=True)
    for page in pages_of(source):
        with open(os.path.join(source, page), encoding="utf-8") as file:
            write(folder, site_name(page), relinked(file.read(), page, source, folder, faults))
    notebooks = os.path.join(source, "samples", "notebooks")
    for name in sorted(os.listdir(notebooks)):
        if name.endswith(".ipynb"):
            page = f"samples/notebooks/{name}"
            text = notebook_text(os.path.join(notebooks, name), folder, page)
            pictures = re.findall(r"!\[result\]\([^)]*\)", text)
            text = relinked(re.sub(r"!\[result\]\([^)]*\)", "\0", text), page, source, folder, faults)
            for picture in pictures:
                text = text.replace("\0", picture, 1)
            write(folder, site_name(page), text)
    headers = os.path.join(source, "include", "talus")
    for name in sorted(os.listdir(headers)):
        write(folder, f"docs/reference/c/{name}.md", header_page(os.path.join(headers, name), name))
    write(folder, "docs/reference/python.md", python_page(source))
    index = os.path.join(folder, "docs", "README.md")
    with open(index, "a", encoding="utf-8") as file:
        file.write("\n**On this site**: [the Python package, by docstrings](reference/python.md) · headers: "
                   + " · ".join(f"[{n}](reference/c/{n}.md)" for n in sorted(os.listdir(headers))) + "\n")
    count = sum(n.endswith(".md") for _, _, names in os.walk(folder) for n in names)
    print(f"{count} pages, {len(faults)} links that lead nowhere")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
