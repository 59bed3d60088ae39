"""Models a sweep and an APGDB iteration on many nodes: bytes over bandwidths, messages times latency.

    python3 bench/weak_scaling.py [--bodies 1e6] [--nodes 1000]

What is counted stands under COUNTED (tests/ranks/test_spread.c prints it), what is assumed under
ASSUMED. Nothing here was run on a cluster."""
import argparse
import math

COUNTED = {
    "bytes_per_interface_body": 1.7 * 48,  # sent by both sides of a cut, each sweep or iteration
    "sweep_exchanges": 9,                  # one behind each phase, and one behind all of them
    "gradient_exchanges": 1,
    "sum_bytes": 3 * 68 * 8,               # three exact sums in one allreduce
}
ASSUMED = {
    "contacts_per_body": 3.0,
    "sweep_bytes_per_contact": 170.0,      # arrays of spheres in f64, bodies from the cache
    "gradient_bytes_per_contact": 300.0,   # compulsory, docs/measured/kernels.md
    "memory": 350e9,                       # bytes/s of a node
    "network": 20e9,                       # bytes/s out of a node
    "latency": 2e-6,                       # s of an exchange with neighbours
    "hop": 2e-6,                           # s of a step of an allreduce, 2 log2(nodes) of them
    "imbalance": 1.1,                      # above it bricks are dealt out anew
}


def model(bodies, nodes, per_contact, exchanges):
    """Seconds of computing, bytes on the wire, messages, sum; efficiency against one node."""
    a, c = ASSUMED, COUNTED
    face = bodies ** (2 / 3)
    computing = bodies * a["contacts_per_body"] * per_contact / a["memory"]
    wire = 3 * face * c["bytes_per_interface_body"] / a["network"]  # six faces, each of two nodes
    messages = exchanges * a["latency"]
    total_sum = 2 * math.ceil(math.log2(nodes)) * (a["hop"] + c["sum_bytes"] / a["network"])
    return computing, wire, messages, total_sum


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=float, default=1e6, help="of a node")
    parser.add_argument("--nodes", type=int, nargs="*", default=[8, 64, 1000])
    options = parser.parse_args()
    print("| bodies | nodes | iteration | computing | wire | messages | sum | efficiency, balanced | imbalance of 10 % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for nodes in options.nodes:
        for name, per_contact, exchanges in (
                ("sweep", ASSUMED["sweep_bytes_per_contact"], COUNTED["sweep_exchanges"]),
                ("apgdb", ASSUMED["gradient_bytes_per_contact"], COUNTED["gradient_exchanges"])):
            t = model(options.bodies, nodes, per_contact, exchanges)
            rest = sum(t[1:])
            cells = " | ".join(f"{1e3 * x:.2f} ms" for x in t)
            print(f"| {options.bodies * nodes:.0e} | {nodes} | {name} | {cells} | {100 * t[0] / (t[0] + rest):.0f} % | "
                  f"{100 * t[0] / (ASSUMED['imbalance'] * t[0] + rest):.0f} % |")


if __name__ == "__main__":
    main()
