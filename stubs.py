import ast, os, spate
folder = os.path.dirname(spate.__file__)
text = open(os.path.join(folder, "__init__.pyi")).read()
names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
ast.parse(open(os.path.join(folder, "plot.pyi")).read())
missing = set(spate.__all__) - names - {"plot", "instruction_set"}
assert not missing, missing
for name in vars(spate.Sim):
    assert name.startswith("_") or name in names, name
for path, row in spate.settings().items():
    assert f'"{path.rsplit(".")[-1]}"' in text and row.help[:30] in text, path
for name, row in spate.statistics().items():
    assert f"    {name}: " in text and row.help in text, name
assert "One step of dt seconds" in spate.Sim.step.__doc__ and "One step of dt seconds" in text
undocumented = [f"{kind.__name__}.{name}" for kind in (spate.Sim, spate.Scene, spate.Solid, spate.Surface)
                for name, value in vars(kind).items() if not name.startswith("_") and callable(value) and not value.__doc__]
assert len(undocumented) < 4, undocumented
