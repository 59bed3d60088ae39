#!/usr/bin/env python3
"""A contact problem under the convex law by Clarabel, a general solver of cone programs, beside Talus:
the CPU time of both on one thread, judged by the same certificate.

    talus generate heap --bodies 1000 --out heap.hdf5
    python3 bench/cone_program.py heap.hdf5 [--talus build/bin/talus] [--tol 1e-4]

Needs `pip install clarabel scipy h5py`. FILE is FCLIB's global form: M v = f + H r, u = H^T v + w.
Clarabel is given min v^T M v / 2 - f^T v with u in the dual friction cone; its dual variables are the
impulses. It runs with tolerances from --begin down by tens until the certificate's epsilon is at most --tol;
the first run that is good enough is told, or the last one.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = os.environ["RAYON_NUM_THREADS"] = "1"
import clarabel  # noqa: E402
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import scipy.sparse as sparse  # noqa: E402


def matrix(group):
    rows, columns = int(group["m"][0]), int(group["n"][0])
    parts = (group["x"][()], group["i"][()], group["p"][()])
    if int(group["nz"][0]) == -2:
        return sparse.csr_matrix(parts, shape=(rows, columns)).tocsc()
    if int(group["nz"][0]) == -1:
        return sparse.csc_matrix(parts, shape=(rows, columns))
    return sparse.coo_matrix((parts[0], (parts[1], parts[2])), shape=(rows, columns)).tocsc()


def read(path):
    with h5py.File(path) as file:
        group = file["fclib_global"]
        vectors = group["vectors"]
        return (matrix(group["M"]), matrix(group["H"]), vectors["f"][()], vectors["w"][()],
                vectors["mu"][()])


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def epsilon(talus, path, impulse):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        np.savetxt(file.name, impulse.reshape(-1, 3), fmt="%.17g")
        out, _ = cpu([talus, "check", path, file.name, "--law", "ccp", "--json"])
    return json.loads(out)["epsilon_ccp"]


def clarabel_solve(problem, tolerance):
    mass, h, f, w, mu = problem
    # u = H^T v + w; (u_n, mu u_t) lies in the second-order cone: s = b - A v
    scale = np.repeat(mu, 3)
    scale[0::3] = 1.0
    scaled = sparse.diags(scale) @ h.T
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 500
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.SecondOrderConeT(3)] * len(mu)
    begin = time.process_time()
    solver = clarabel.DefaultSolver(sparse.triu(mass).tocsc(), -f, (-scaled).tocsc(), scale * w, cones,
                                    settings)
    solution = solver.solve()
    seconds = time.process_time() - begin
    return np.array(solution.z) * scale, solution, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--talus", default="build/bin/talus")
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--begin", type=float, default=1e-4, help="Clarabel's first tolerance")
    options = parser.parse_args()
    problem = read(options.file)
    if np.any(problem[4] <= 0):
        parser.error("every contact needs friction")
    print(f"{len(problem[4])} contacts, convex law, CPU seconds of one thread")
    tolerance, found = 10 * options.begin, np.inf
    while found > options.tol and tolerance > 2e-12:
        tolerance /= 10
        impulse, solution, seconds = clarabel_solve(problem, tolerance)
        found = epsilon(options.talus, options.file, impulse)
    print(f"Clarabel {clarabel.__version__}: {seconds:.3g} s, {solution.iterations} iterations, its "
          f"tolerance {tolerance:.0e}, {solution.status}, epsilon {found:.2g}")
    out, whole = cpu([options.talus, "solve", options.file, "--law", "ccp", "--tol",
                      str(options.tol), "--threads", "1", "--json"])
    report = json.loads(out)
    print(f"Talus: {whole:.3g} s with the reading of the file, {report['passes']} passes, epsilon "
          f"{report['epsilon_ccp']:.2g}")


main()
