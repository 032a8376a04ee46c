import os, sys, numpy, spate
place = os.path.dirname(spate.__file__)
assert place.startswith(sys.argv[1]), place
sim = spate.Sim(spate.Scene.preset("dam_break_2d"), threads=1)
sim.step()
assert numpy.asarray(sim.particles.x[0]).size == len(sim) > 1000 and len(spate.presets()) > 9
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libspate" in line}
assert len(mapped) == 2 and all(path.startswith(os.path.realpath(sys.argv[2])) for path in mapped), mapped
print(spate.__version__)
