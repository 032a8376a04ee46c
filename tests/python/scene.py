"""Scenes from dicts, files and presets; errors in the words of the table of settings."""
import json
import pickle
import sys
from pathlib import Path

import harness
import numpy as np
import spate
from harness import block, raises, tank


def test_dict_file_and_copy_are_the_same():
    scene = tank()
    scene.save("tank.json")
    assert spate.Scene("tank.json").to_json() == spate.Scene(Path("tank.json")).to_json() == scene.to_json()
    assert spate.Scene(scene.to_dict()).to_json() == scene.copy().to_json() == scene.to_json()
    assert spate.Scene.parse(scene.to_json()).to_json() == scene.to_json()
    assert pickle.loads(pickle.dumps(scene)).to_json() == scene.to_json()


def test_keys_come_back_whole():
    keys = [{"setting": "gravity", "time": 0, "value": [0, -9.81]}, {"setting": "gravity", "time": 5, "value": [5, -9.81]},
            {"setting": "inflows[0].velocity", "time": 0, "value": [1, -0.5]},
            {"setting": "inflows[1].flow", "time": 0, "value": [0.2]},
            {"setting": "fluid.flip_ratio", "time": 0, "value": [0.5]},
            {"setting": "domain.roughness.bottom", "time": 1, "value": [0.01]}]
    flows = [{"shape": "box", "min": [x, 0.5], "max": [x + 0.125, 0.625], "velocity": [1, 0]} for x in (0, 0.375)]
    motion = [{"time": 0, "position": [0, 0.125], "rotation": 10}, {"time": 2, "position": [0.25, 0], "rotation": 0}]
    ball = {"shape": "sphere", "center": [0.75, 0.25], "radius": 0.1, "motion": motion}
    scene = tank(domain__wall__bottom="rough", domain__roughness__bottom=0.02, inflows=flows, solids=[ball],
                 keyframes=keys)
    assert scene.check() == []
    for other in (scene, scene.copy(), spate.Scene(scene.to_dict()), spate.Scene.parse(scene.to_json()),
                  pickle.loads(pickle.dumps(scene))):
        found = other.to_dict()
        assert found["keyframes"] == keys and found["solids"][0]["motion"] == motion
        struct = other._pointer.contents
        assert [list(struct.keyframes[k].value)[:2] for k in range(3)] == [key["value"] for key in keys[:3]]
    with spate.Sim(scene, threads=1) as one, spate.Sim(pickle.loads(pickle.dumps(scene)), threads=1) as other:
        assert list(one.frames(3)) == list(other.frames(3)) and one.hash == other.hash
    for short in (-9.81, [0]):
        scene["keyframes[1].value"] = short
        said = "keyframes[1].value: must have 2 numbers in a 2D scene, as gravity (got 1)"
        raises(spate.SceneError, scene.check, said)
        raises(spate.SceneError, pickle.loads(pickle.dumps(scene)).check, said)
        raises(spate.SceneError, lambda: spate.Sim(scene), said)


def test_presets_are_all_scenes():
    names = spate.presets()
    assert len(names) >= 10 and names["dam_break"].startswith("Dam break")
    for name in names:
        assert spate.Scene.preset(name).check() == [], name
    raises(ValueError, lambda: spate.Scene.preset("dam"), "there is no preset 'dam'", "dam_break_2d")
    raises(ValueError, lambda: spate.Scene.preset("../README"))


def test_settings_by_path():
    scene = block()
    scene["fluid.flip_ratio"] = 0.9
    scene["gravity"] = np.array([1, -2, 0.5])
    scene["fluid.reseed"] = np.bool_(True)
    scene["domain.cells"] = np.int64(20)
    scene["solids[0].radius"] = 0.1
    scene["output.particles"] = "none"
    scene["domain.sides.top"] = "open"
    assert (scene["fluid.flip_ratio"], scene["gravity"], scene["fluid.reseed"], scene["domain.cells"]) == (
        0.9, [1, -2, 0.5], True, 20)
    assert scene["solids[0].radius"] == 0.1 and scene["solids[0]"]["name"] == "ball"
    scene["solids"] = [{"shape": "box", "min": [0, 0, 0], "max": [0.1, 0.1, 0.1]}]
    assert len(scene["solids"]) == 1 and scene["solids[0].shape"] == "box"
    scene["solids"] = []
    assert scene["solids"] == []
    assert scene.add("solids", {"from": [0.1, 0.1, 0.1], "to": [0.2, 0.1, 0.1]}, shape="capsule", radius=0.05) == 0
    assert scene.add("gauges", name="H", kind="height", at=(0.5, 0, 0.2)) == 0 and scene["gauges[0].name"] == "H"


def test_every_setting_of_the_table_can_be_read():
    scene, table = block(), spate.settings()
    values = scene.to_dict()
    plain = [path for path in table if "[]" not in path]
    assert len(plain) > 40
    for path in plain:
        value = scene[path]
        if table[path].type == "enum":
            assert value in table[path].choices, path
        if table[path].default and table[path].type in ("number", "integer") and path not in ("domain.cells", "frames"):
            assert value == json.loads(table[path].default), path
    assert values["fluid"]["flip_ratio"] == scene["fluid.flip_ratio"]


def test_mistakes_are_said_in_the_tables_words():
    scene = tank()
    before = scene.to_json()
    wrong = raises(spate.SceneError, lambda: scene.set("fluid.flip_ration", 1), "unknown setting", "flip_ratio")
    assert isinstance(wrong, ValueError) and wrong.where == "fluid.flip_ration"
    raises(ValueError, lambda: scene["fluid.flip_ration"], "did you mean 'flip_ratio'")
    raises(ValueError, lambda: scene.set("fluid.flip_ratio", 2), "must be at most 1 (got 2)")
    raises(ValueError, lambda: scene.set("fluid.flip_ratio", float("nan")), "finite")
    raises(ValueError, lambda: scene.set("fluid.flip_ratio", "much"), "must be a number")
    raises(ValueError, lambda: scene.set("gravity", [1, 2, 3]), "must have 2 numbers in a 2D scene")
    raises(ValueError, lambda: scene.set("fluid.transfer", "flop"), "flip")
    raises(ValueError, lambda: scene.set("solids", [{"shape": "sphere", "radius": -1}]), "solids[0].radius")
    raises(ValueError, lambda: scene.set("solid", []), "solids")
    raises(ValueError, lambda: scene.add("solid", shape="box"), "solids")
    raises(TypeError, lambda: scene.set("name", object()))
    raises(ValueError, lambda: scene.set("na\0me", 1), "zero byte")
    assert scene.to_json() == before


def test_all_mistakes_of_a_dict():
    wrong = raises(spate.SceneError, lambda: spate.Scene({
        "domain": {"size": [1, 1]}, "fluid": {"flip_ratio": 7}, "fill": [{"shape": "boxx"}]}))
    assert [where for where, _ in wrong.problems] == ["fluid.flip_ratio", "fill[0].shape"], wrong.problems
    again = pickle.loads(pickle.dumps(wrong))
    assert str(again) == str(wrong) and again.where == wrong.where
    raises(spate.FileError, lambda: spate.Scene("missing.json"), "missing.json")
    assert isinstance(raises(OSError, lambda: spate.Scene("missing.json")), spate.FileError)
    raises(TypeError, lambda: spate.Scene(3))
    raises(spate.SceneError, lambda: spate.Sim({"domain": {"size": [1, 1]}, "fill": [{"shape": "sphere"}]}), "fill[0]")


def test_check_and_forecast():
    scene = tank()
    assert scene.check() == []
    scene["solids"] = [{"shape": "sphere", "center": [5, 5], "radius": 0.1}]
    assert "solids[0]" in scene.check()[0][0]
    needs = tank().forecast()
    assert needs["cells"] == [16, 12] and needs["particles"] == 8 * 8 * 4 and needs["cell_size"] == 1 / 16
    with spate.Sim(tank(), threads=1) as sim:
        assert len(sim) == needs["particles"]


def _cube(size):
    x = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float) * size
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return x, [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]


def test_meshes_and_points_from_arrays():
    scene = block(solids=[])
    x, triangles = _cube(0.2)
    scene["solids"] = [{"name": "cube", "shape": "mesh", "mesh": spate.Mesh(x, triangles), "position": [0.6, 0.1, 0.1]}]
    scene["fill"] = [{"shape": "particles", "points": spate.Points([[0.1, 0.1, 0.1], [0.2, 0.3, 0.2]],
                                                                   [[1, 0, 0], [0, 2, 0]])}]
    with spate.Sim(scene, threads=1) as sim:
        assert len(sim) == 2 and sim.particles.velocity().max() == 2
        assert abs(sim.solid_distance([0.7, 0.2, 0.05]) - 0.05) < 1e-6 and sim.solid_distance([0.7, 0.2, 0.2]) < 0
    index = scene.add("solids", shape="mesh", mesh=spate.Mesh(x, triangles), position=[0.1, 0.4, 0.1])
    assert index == 1
    spate.Sim(scene, threads=1).close()
    raises(spate.Error, lambda: spate.Mesh(x, triangles[1:]))  # not closed
    raises(ValueError, lambda: spate.Mesh(x, [[0, 1, 99]]), "indices must be 0 .. 7")
    raises(ValueError, lambda: spate.Points([1, 2, 3]), "shape (n, 2) or (n, 3)")
    raises(TypeError, lambda: pickle.dumps(scene), "without a file")


def test_tables():
    table = spate.settings()["fluid.flip_ratio"]
    assert (table.low, table.high, table.type, table.default) == (0, 1, "number", "0.97") and "FLIP" in table.help
    numbers = spate.statistics()
    assert numbers["volume"].unit == "m^3" and len(numbers) > 40
    assert list(spate.stages())[:3] == ["sort", "solids", "p2g"]
    assert spate.devices()["cpu"][0]


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
