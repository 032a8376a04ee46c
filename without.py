import spate, sys
scene = spate.Scene.preset("dam_break_2d")
scene["domain.cells"] = 24
sim = spate.Sim(scene, threads=1)
list(sim.frames(1))
view = sim.particles.x[0]
assert view.shape == (len(sim),) and view.address and sim.field("p").shape == (24, 12) and sim.stats().volume > 0
assert sim.solids == [] and sim.gauges() == {} and sim.hash and len(sim.checkpoint()) > 1000
sim.write_particles("p.ply")
view = sim.particles.x[0]
for need in (lambda: view[0], lambda: view.sum(), sim.particles.position, lambda: sim.surface().positions,
             lambda: sim.sample([0.1, 0.1]), lambda: spate.read_ply("p.ply"), sim.gauge_table,
             lambda: spate.Mesh([], [])):
    try:
        need()
    except ImportError as why:
        assert "needs numpy" in str(why) and "python3-numpy" in str(why), why
    else:
        raise AssertionError("no message")
try:
    spate.plot.particles(sim)
except ImportError as why:
    assert "numpy" in str(why) or "matplotlib" in str(why)
