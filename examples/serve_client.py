#!/usr/bin/env python3
"""Drive Copaflash from another language: a client of `copaflash serve --stdio`.

    python3 serve_client.py copaflash serve --stdio --target qemu:rpi3

This is ordinary Python and needs nothing but its standard library; the same
takes a page in any language with JSON and subprocesses. It builds a graph for
the length of a two-link arm's error, asks for its gradient, and walks downhill,
one run on the target for each step.
"""
import json
import subprocess
import sys


class Service:
    """One process that compiles and runs any number of graphs."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.count = 0

    def ask(self, do, **arguments):
        self.count += 1
        print(json.dumps({"id": self.count, "do": do, **arguments}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the service has ended")
        answer = json.loads(line)
        if not answer["ok"]:
            error = answer["error"]
            raise RuntimeError(f"{error['message']} ({error.get('hint', 'no hint')})")
        return answer

    def close(self):
        self.ask("bye")
        return self.process.wait()


class Graph:
    """Builds a graph file of float scalars; a node is the number it gets."""

    def __init__(self):
        self.nodes = []
        self.outputs = []

    def node(self, op, *args, **more):
        self.nodes.append({"op": op, "type": "f32", **({"args": args} if args else {}), **more})
        return len(self.nodes) - 1

    def input(self, name, value):
        return self.node("input", name=name, value=value)

    def const(self, value):
        return self.node("const", value=value)

    def output(self, name, node):
        self.outputs.append({"name": name, "node": node})

    def file(self):
        return {"format": "copaflash-graph", "version": 1, "nodes": self.nodes, "outputs": self.outputs}


def arm():
    """The squared distance of a two-link arm's end from the point (px, py)."""
    g = Graph()
    a, b = g.input("a", 0.3), g.input("b", 0.5)
    px, py = g.input("px", 0.7), g.input("py", 0.7)
    ab = g.node("add", a, b)
    l1, l2 = g.const(1.0), g.const(0.8)
    x = g.node("add", g.node("mul", l1, g.node("cos", a)), g.node("mul", l2, g.node("cos", ab)))
    y = g.node("add", g.node("mul", l1, g.node("sin", a)), g.node("mul", l2, g.node("sin", ab)))
    dx, dy = g.node("sub", x, px), g.node("sub", y, py)
    g.output("error", g.node("add", g.node("mul", dx, dx), g.node("mul", dy, dy)))
    return g.file()


def main(command):
    service = Service(command)
    loaded = service.ask("load", graph=arm())
    slope = service.ask("grad", program=loaded["program"], of="error", by=["a", "b"])
    names = slope["gradients"]
    angles = {"a": 0.3, "b": 0.5}
    for step in range(61):
        values = service.ask("run", program=slope["program"], set=angles)["values"]
        if step % 20 == 0:
            print(f"step {step}: error {values['error']:.6f}")
        angles = {k: v - 0.2 * values[names[k]] for k, v in angles.items()}
    print("angles", ", ".join(f"{k} = {v:.4f}" for k, v in angles.items()))
    return service.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["copaflash", "serve", "--stdio"]))
