#!/usr/bin/env python3
"""run-notebook.py -- runs the cells of a notebook without Jupyter.

    python3 scripts/run-notebook.py NOTEBOOK.ipynb [--write] [--images FOLDER]

Text that cells print, the value of a last expression and matplotlib's figures become the outputs of the cells; --write
puts them into the notebook, --images FOLDER writes the figures there as NAME.1.png, NAME.2.png, ... An exception ends
it.
"""
import argparse
import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def run(source, names):
    """The text that a cell gives, and its value."""
    tree = ast.parse(source)
    silent = source.rstrip().endswith(";")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not silent else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    return out.getvalue(), value


def figures():
    for number in plt.get_fignums():
        memory = io.BytesIO()
        plt.figure(number).savefig(memory, dpi=75, metadata={"Software": None})
        yield memory.getvalue()
    plt.close("all")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--images", type=Path)
    args = parser.parse_args()
    book = json.loads(args.notebook.read_text(encoding="utf-8"))
    names, count, drawn = {"__name__": "__main__"}, 0, 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        said, value = run("".join(cell["source"]), names)
        outputs = []
        if said:
            outputs.append({"output_type": "stream", "name": "stdout", "text": said.splitlines(True)})
        if value is not None and not hasattr(value, "figure"):
            outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {},
                            "data": {"text/plain": repr(value).splitlines(True)}})
        for picture in figures():
            drawn += 1
            outputs.append({"output_type": "display_data", "metadata": {},
                            "data": {"image/png": base64.b64encode(picture).decode()}})
            if args.images:
                (args.images / f"{args.notebook.stem}.{drawn}.png").write_bytes(picture)
        cell["execution_count"], cell["outputs"] = count, outputs
        sys.stdout.write(said)
    if args.write:
        args.notebook.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{count} cells, {drawn} pictures")


if __name__ == "__main__":
    main()
