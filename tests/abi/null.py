"""No public function crashes where a pointer is NULL: each is called with NULL for one pointer at a
time, and for all of them. The functions are those that the headers declare, whichever there are.

    null.py INCLUDE_FOLDER CC LIBRARY
"""

import os
import re
import subprocess
import sys

# What a call is given for a parameter of this type, as null.c has it.
GIVEN = {
    "talus_context_def*": "&context_def", "talus_context*": "context", "talus_context**": "&made_context",
    "talus_solver*": "solver", "talus_solver**": "&made_solver", "talus_problem*": "&problem",
    "talus_settings*": "&settings", "talus_solution*": "&solution", "talus_info*": "&info",
    "talus_certificate*": "&certificate", "talus_islands*": "&islands", "talus_law*": "&law",
    "talus_cone*": "&cone", "talus_method*": "&method", "talus_precision*": "&precision",
    "talus_status*": "&status", "talus_stored*": "stored", "talus_stored**": "&made_stored",
    "talus_generate_def*": "&generate_def", "talus_world_def*": "&world_def",
    "talus_world*": "world", "talus_world**": "&made_world", "talus_material_def*": "&material_def",
    "talus_body_def*": "&body_def", "talus_shape_def*": "&shape_def",
    "talus_motion_def*": "&motion_def", "talus_joint_def*": "&joint_def",
    "talus_joint_state*": "&joint_state", "talus_step_report*": "&step_report",
    "talus_body_state*": "&body_state", "talus_contact**": "&contacts",
    "talus_mechanism_def*": "&mechanism_def", "talus_mechanism*": "mechanism",
    "talus_mechanism**": "&made_mechanism", "talus_mechanism*const*": "mechanisms",
    "talus_mechanism_balance*": "&balance", "talus_link_point*": "&link_point",
    "talus_link_point*const*": "points", "talus_touch*": "&touch", "talus_loop_def*": "&loop_def",
    "talus_coupling_def*": "&coupling_def", "talus_coupling*": "coupling",
    "talus_coupling**": "&made_coupling", "talus_fleet_def*": "&fleet_def", "talus_fleet*": "fleet",
    "talus_fleet**": "&made_fleet", "talus_fleet_report*": "&fleet_report", "talus_scene*": "scene",
    "talus_scene**": "&made_scene", "talus_urdf_def*": "&urdf_def", "talus_urdf*": "urdf",
    "talus_urdf**": "&made_urdf", "talus_scene_info*": "&scene_info",
    "talus_measure_def*": "&measure_def",
    "talus_record_def*": "&record_def", "talus_record*": "record", "talus_record**": "&made_record",
    "talus_frames_def*": "&frames_def", "talus_frames*": "frames", "talus_frames**": "&made_frames",
    "talus_table*": "table", "talus_table**": "&made_table", "talus_column*": "&column", "double*": "reals", "double*const*": "arrays",
    "int32_t*": "&integer", "int64_t*": "&long_integer", "char*const*": "texts",
    "void*": "NULL", "size_t": "sizeof buffer", "int32_t": "0", "int64_t": "1", "double": "1",
}
# The same by function and parameter, where more is needed to get past the first checks.
SPECIAL = {
    ("talus_law_parse", "name"): '"ccp"', ("talus_cone_parse", "name"): '"box"',
    ("talus_method_parse", "name"): '"jacobi"', ("talus_precision_parse", "name"): '"f32"',
    ("talus_scene_read", "path"): '"scene.yaml"', ("talus_scene_read", "override_count"): "1",
    ("talus_urdf_read", "path"): '"robot.urdf"', ("talus_body_get", "body"): "ball",
    ("talus_body_set", "body"): "ball", ("talus_body_inertia", "body"): "ball",
    ("talus_spheres_add", "count"): "1", ("talus_bodies_get", "count"): "64",
    ("talus_bodies_get", "state"): "(talus_body_state *)(void *)reals",
    ("talus_bodies_set", "count"): "1", ("talus_bodies_force", "count"): "1",
    ("talus_bodies_measure", "count"): "64", ("talus_bodies_measure", "type"): "(int32_t *)(void *)texts",
    ("talus_body_force", "body"): "ball", ("talus_motion_add", "body"): "ball",
    ("talus_shape_add", "body"): "ball", ("talus_solve_batch", "count"): "1",
    ("talus_mechanism_accelerate_batch", "count"): "1",
    ("talus_mechanism_response_batch", "count"): "1", ("talus_mechanism_response", "count"): "1",
    ("talus_coupling_build", "count"): "1", ("talus_fleet_step", "steps"): "1",
    ("talus_impulses_write", "count"): "1", ("talus_impulses_write", "columns"): "3",
    ("talus_impulses_read", "count"): "1", ("talus_impulses_read", "columns"): "3",
    ("talus_impulses_write", "path"): '"impulses.txt"', ("talus_problem_write", "path"): '"p.dat"',
    ("talus_world_add_mechanism", "loop_count"): "1", ("talus_force_chains_draw", "width"): "64",
    ("talus_build_text", "text"): "buffer", ("talus_scene_reference", "text"): "buffer",
    ("talus_checkpoint_write", "directory"): '"."', ("talus_checkpoint_newest", "directory"): '"."',
    ("talus_checkpoint_newest", "path"): "buffer", ("talus_record_newest", "directory"): '"."',
    ("talus_record_newest", "path"): "buffer", ("talus_scene_save", "directory"): '"."',
    ("talus_frames_open", "directory"): '"."', ("talus_table_open", "path"): '"numbers.csv"',
    ("talus_table_open", "column_count"): "1",
}


def declarations(include):
    """Result, name and parameters (type, name) of every function in the headers."""
    for header in sorted(os.listdir(os.path.join(include, "talus"))):
        with open(os.path.join(include, "talus", header)) as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for found in re.finditer(r"TALUS_API\s+([^;{}]*?)\b(talus_\w+)\s*\(([^;{}]*)\)\s*;", text):
            parameters = []
            for given in re.sub(r"\s+", " ", found.group(3)).split(","):
                match = re.fullmatch(r"(.*?)(\w+)(\[\w*\])?", given.strip())
                kind = re.sub(r"\bconst (?=\w)| ", "", match.group(1))
                parameters.append((kind + ("*" if match.group(3) else ""), match.group(2)))
            yield found.group(1).strip(), found.group(2), parameters


def argument(function, kind, name):
    if (function, name) in SPECIAL:
        return SPECIAL[function, name]
    if kind == "char*":
        return '"name"'
    return GIVEN.get(kind, f"({kind})0")


def calls(include):
    for result, function, parameters in declarations(include):
        pointers = [i for i, (kind, _) in enumerate(parameters) if kind.endswith("*")]
        given = [argument(function, kind, name) for kind, name in parameters]
        for left_out in [[i] for i in pointers] + [pointers] * (len(pointers) > 1):
            shown = ", ".join("NULL" if i in left_out else text for i, text in enumerate(given))
            yield f"{'CALL_VOID' if result == 'void' else 'CALL'}({function}({shown}));"


def main(include, compiler, library):
    made = list(calls(include))
    with open("calls.h", "w") as file:
        file.write("\n".join(made) + "\n")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "null.c")
    subprocess.run([compiler, "-std=c11", "-Wno-nonnull", "-I", include, "-I", os.getcwd(), source,
                    "-o", "null", library, f"-Wl,-rpath,{os.path.dirname(library)}", "-lm"], check=True)
    sys.exit(subprocess.run(["./null"]).returncode or len(made) < 300)


main(*sys.argv[1:])
