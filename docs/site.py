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


def signature(node, owner=""):
    """As it is called: World(gravity=None, ...)."""
    made = re.sub(r"^(self|cls)(, |$)", "", ast.unparse(node.args))
    if node.name == "__init__":
        return f"{owner}({made})"
    return f"{node.name}({made})" + (f" -> {ast.unparse(node.returns)}" if node.returns is not None else "")


def docstring(node):
    return ast.get_docstring(node) or ""


def class_text(node, bases):
    """A class with the methods of the package's own classes that it is derived from."""
    made = [f"### {node.name}\n\n{docstring(node)}\n"]
    for part in [p for n in [node, *bases] for p in n.body]:
        if isinstance(part, ast.FunctionDef) and (part.name == "__init__" or part.name[0] != "_"):
            setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in part.decorator_list)
            read = any(isinstance(d, ast.Name) and d.id == "property" for d in part.decorator_list)
            if not setter and (part.name == "__init__" or docstring(part)):
                shown = (f"{part.name} -> {ast.unparse(part.returns)}" if read and part.returns is not None
                         else signature(part, node.name))
                made.append(f"```python\n{shown}\n```\n\n{docstring(part)}\n")
    for part in node.body:  # enumerators, fields
        if isinstance(part, ast.AnnAssign) or (isinstance(part, ast.Assign) and is_enum(node)):
            made.append(f"- `{ast.unparse(part)}`")
    return "\n".join(made) + "\n"


def is_enum(node):
    return any("enum" in ast.unparse(base) for base in node.bases)


# Where the public names stand on the page; those that are named nowhere come last.
TOPICS = (
    ("Worlds", "World StepReport ContactEvent Cell JointState Mechanism Fleet FleetReport Copy"),
    ("Scenes and runs", "Scene Run Frame Measured"),
    ("Contact problems", "Problem Matrix Settings Context Solver Solution Info Certificate Error solve_once "
     "Stack solve_batch certify Islands find_islands workspace workspace_device"),
    ("Problem files", "StoredProblem read_problem write_problem generate_problem"),
    ("Derivatives", "gradient Gradient Regime GradientNote"),
    ("Library", "version build_text"),
    ("Enumerations", ""))


def parsed(folder):
    """The package's classes and functions by name, and its modules."""
    nodes, modules = {}, {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                modules[name[:-3]] = tree = ast.parse(file.read())
            for node in tree.body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and name not in ("torch.py", "jax.py"):
                    nodes.setdefault(node.name, node)
    return nodes, modules


def derived_from(node, nodes):
    """Classes of the package that a class is derived from, nearest first."""
    found = []
    for base in getattr(node, "bases", []):
        known = nodes.get(ast.unparse(base))
        if known is not None and known is not node:
            found += [known, *derived_from(known, nodes)]
    return found


def node_text(node, nodes):
    if isinstance(node, ast.ClassDef):
        return class_text(node, derived_from(node, nodes))
    return f"### {node.name}\n\n```python\n{signature(node)}\n```\n\n{docstring(node)}\n"


def python_page(source):
    """The public names of the package, by their docstrings."""
    nodes, modules = parsed(os.path.join(source, "host", "python", "talus"))
    public = [name for node in modules["__init__"].body if isinstance(node, ast.Assign)
              and ast.unparse(node.targets[0]) == "__all__" for name in ast.literal_eval(node.value)]
    made = ["# The Python package `talus`\n", "From its docstrings. [How it is used](../../host/python/README.md).\n"]
    left = set(public)
    for topic, names in TOPICS:
        wanted = names.split() if names else sorted(left)
        left -= set(wanted)
        made += [f"## {topic}\n", *(node_text(nodes[name], nodes) for name in wanted)]
        if topic == "Derivatives":
            for name in ("torch", "jax"):
                solve, = [n for n in modules[name].body if isinstance(n, ast.FunctionDef) and n.name == "solve"]
                made.append(node_text(solve, nodes).replace("### solve", f"### talus.{name}.solve"))
    for name in ("page", "view"):
        made += [f"## talus.{name}\n\n{docstring(modules[name])}\n", *(
            node_text(n, nodes) for n in modules[name].body
            if isinstance(n, ast.FunctionDef) and n.name[0] != "_" and docstring(n))]
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
