#!/usr/bin/env python3
"""test_rooms.py: no file includes what its room may not.

Every #include of the rooms that host/rooms.txt names is held against that table: it fails on an include
that is neither allowed nor an exception, on an exception that is not needed, on a room that allows one
below it, on a source file of host/ or kernels/ without a room, and on ARCHITECTURE.md if its table says
something else. Before that it plants such faults in a small tree of its own and wants each to be found.

    test_rooms.py SOURCE_FOLDER            --write as a further argument: writes ARCHITECTURE.md's column
"""
import os
import re
import sys
import tempfile

TABLE, PAGE = "host/rooms.txt", "ARCHITECTURE.md"
FOLDERS = ("include", "kernels", "host", "samples", "tests/oracle")
SOURCE = re.compile(r"\.(c|h|cu|cuh|cpp|hpp)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


class Table:
    """What rooms.txt says: rooms (name -> allowed, in order), exceptions (file -> headers), faults."""

    def __init__(self, text):
        self.rooms, self.exceptions, self.faults = {}, {}, []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            match = re.fullmatch(r"(room|exception) (\S+):((?: \S+)*)", line)
            if not match:
                if line:
                    self.faults.append(f"{TABLE}:{number}: cannot be read: {line}")
                continue
            kind, name, rest = match[1], match[2], match[3].split()
            kept = self.rooms if kind == "room" else self.exceptions
            if name in kept:
                self.faults.append(f"{TABLE}:{number}: {name} stands there twice")
            if kind == "room":
                for allowed in rest:
                    if not allowed.startswith("tests/") and self.room_of(allowed) is None:
                        self.faults.append(f"{TABLE}:{number}: {allowed} does not stand above {name}")
            kept[name] = rest

    def room_of(self, path):
        """The longest room that holds the path, or None."""
        held = [room for room in self.rooms if covers(room, path)]
        return max(held, key=len, default=None)

    def may_include(self, room, header):
        target = self.room_of(header)
        return target == room or any(
            allowed == header or allowed == target for allowed in self.rooms[room])


def covers(room, path):
    return path == room or path.startswith(room[:-1] if room.endswith(".*") else room + "/")


def sources(root):
    for folder in FOLDERS:
        for place, folders, files in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(files):
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(place, name), root).replace(os.sep, "/")


def included(root, path):
    """Files of the tree that a file includes, each once: beside it, from the root, or from include/."""
    found = []
    for bracket, name in INCLUDE.findall(read(root, path)):
        beside = [os.path.dirname(path)] if bracket == '"' else []
        for start in [*beside, "", "include"]:
            header = os.path.normpath(os.path.join(start, name)).replace(os.sep, "/")
            if os.path.isfile(os.path.join(root, header)):
                if header not in found:
                    found.append(header)
                break
        else:
            if name.startswith(("host/", "kernels/", "talus/", "tests/")):
                found.append(name)
    return found


def column(table, room):
    """A room's cell of ARCHITECTURE.md's table."""
    allowed = table.rooms[room]
    return ", ".join(f"`{name}`" for name in allowed) if allowed else "nothing"


def page_rows(text, table):
    """Rows of the page whose first cell is a room: (room, line as it is, line as it should be)."""
    for line in text.splitlines():
        cells = line.split(" | ")
        match = re.match(r"\| `([^`]+)`$", cells[0])
        if match and len(cells) == 3 and match[1] in table.rooms:
            yield match[1], line, " | ".join([*cells[:2], column(table, match[1]) + " |"])


def page_faults(text, table):
    rows = list(page_rows(text, table))
    faults = [f"{PAGE}: the row of {room} should end: | {column(table, room)} |"
              for room, line, wanted in rows if line != wanted]
    for room in table.rooms:
        if not room.startswith("tests/") and room not in [row[0] for row in rows]:
            faults.append(f"{PAGE}: no row of {room}")
    return faults


def faults_of(root):
    """All that is wrong with a tree, and how many includes were looked at."""
    table = Table(read(root, TABLE))
    faults, needed, count = list(table.faults), {}, 0
    for path in sources(root):
        room = table.room_of(path)
        if room is None:
            faults.append(f"{path}: belongs to no room of {TABLE}")
            continue
        for header in included(root, path):
            count += 1
            if table.may_include(room, header):
                continue
            if header in table.exceptions.get(path, []):
                needed.setdefault(path, set()).add(header)
            else:
                faults.append(f"{path}: includes {header}, which {room} may not")
    for path, headers in table.exceptions.items():
        for header in headers:
            if header not in needed.get(path, set()):
                faults.append(f"{TABLE}: {path} no longer needs the exception {header}: remove it")
    return faults + page_faults(read(root, PAGE), table), count


# ---- the test of the test: a tree with one fault at a time ------------------------------------------
GOOD = {
    TABLE: "room include/talus:\nroom host/low: include/talus\nroom host/seam.*: host/low\n"
           "room host/high: host/low/open.h include/talus\nexception host/low/a.c: host/high/h.h\n",
    PAGE: "| `include/talus` | x | nothing |\n| `host/low` | x | `include/talus` |\n"
          "| `host/seam.*` | x | `host/low` |\n"
          "| `host/high` | x | `host/low/open.h`, `include/talus` |\n",
    "include/talus/t.h": "",
    "host/seam.h": '#include "host/low/own.h"\n',
    "host/low/open.h": "#include <talus/t.h>\n",
    "host/low/own.h": "",
    "host/low/a.c": '#include "own.h"\n#include "host/high/h.h"\n#include <stdio.h>\n',
    "host/high/h.h": '#include "host/low/open.h"\n#include "talus/t.h"\n',
}
PLANTED = [
    ("a header of a room that is not allowed", "host/low/open.h", '#include "host/high/h.h"\n',
     "includes host/high/h.h"),
    ("another header than the one allowed", "host/high/h.h", '#  include "host/low/own.h"\n',
     "includes host/low/own.h"),
    ("a header that is not there", "host/low/own.h", '#include "host/high/gone.h"\n',
     "includes host/high/gone.h"),
    ("by angle brackets", "include/talus/t.h", "#include <host/low/own.h>\n", "includes host/low/own.h"),
    ("by a way around", "host/low/own.h", '#include "../high/h.h"\n', "includes host/high/h.h"),
    ("an exception no longer needed", "host/low/a.c", '#include "own.h"\n', "no longer needs"),
    ("a file without a room", "host/new/a.c", "", "belongs to no room"),
    ("a cycle of rooms", TABLE, GOOD[TABLE].replace("low: include/talus", "low: host/high"),
     "host/high does not stand above host/low"),
    ("a line that cannot be read", TABLE, GOOD[TABLE] + "rooms host/x\n", "cannot be read"),
    ("a page that says more", PAGE, GOOD[PAGE].replace("`host/low` |\n", "`host/low`, all |\n"),
     "the row of host/seam.*"),
    ("a page without a room", PAGE, GOOD[PAGE].replace("| `host/seam.*`", "| `host/other`"),
     "no row of host/seam.*"),
]


def faults_when(path=None, text=None):
    with tempfile.TemporaryDirectory() as root:
        for name, content in {**GOOD, **({path: text} if path else {})}.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(content)
        return faults_of(root)[0]


def self_test():
    faults = [f"a good tree: {fault}" for fault in faults_when()]
    for what, path, text, wanted in PLANTED:
        found = faults_when(path, text)
        if not any(wanted in fault for fault in found):
            faults.append(f"planted, not found: {what}; found {found}")
    return faults


def main():
    root = os.path.abspath(sys.argv[1])
    if "--write" in sys.argv[2:]:
        text = read(root, PAGE)
        for _, line, wanted in page_rows(text, Table(read(root, TABLE))):
            text = text.replace(line + "\n", wanted + "\n")
        with open(os.path.join(root, PAGE), "w", encoding="utf-8") as file:
            file.write(text)
    faults = self_test()
    found, count = faults_of(root)
    faults += found
    for fault in faults:
        print(fault)
    exceptions = sum(map(len, Table(read(root, TABLE)).exceptions.values()))
    print(f"{count} includes, {exceptions} exceptions, {len(faults)} faults")
    return 1 if faults or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
