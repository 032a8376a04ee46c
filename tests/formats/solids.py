"""The solids of stage.json (lib.sh): whether a mesh that a reader gives back is that of all of them, in a frame."""
import numpy

FPS = 24
TURN = 3 / FPS  # s, until the paddle has turned by 90 degrees and moved by 0.2 m
WEDGE = numpy.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0], [0, 0, 0.2], [0.3, 0, 0.2], [0.3, 0.2, 0.2]])


def rotation(axis, degrees):
    c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
    a, b = (axis + 1) % 3, (axis + 2) % 3
    matrix = numpy.eye(3)
    matrix[a, a], matrix[a, b], matrix[b, a], matrix[b, b] = c, -s, s, c
    return matrix


def length(vectors):
    return numpy.sqrt((vectors ** 2).sum(-1))


def ball(p, frame):
    return abs(length(p - [1, 0.5, 0.5]) - 0.2)


def pillar(p, frame):
    """A cylinder from (1.5, 0, 0.3), 0.6 m high."""
    beside = length((p - [1.5, 0, 0.3])[:, [0, 2]]) - 0.1
    above = abs(p[:, 1] - 0.3) - 0.3
    return abs(numpy.maximum(beside, above))


def capsule(p, frame):
    low, high = numpy.array([1.2, 0.2, 0.8]), numpy.array([1.7, 0.5, 0.8])
    axis = high - low
    t = numpy.clip((p - low) @ axis / (axis @ axis), 0, 1)
    return abs(length(p - low - t[:, None] * axis) - 0.1)


def bed(p, frame):
    outside = numpy.maximum(0, numpy.maximum(-p, p - [2, 1, 1])).max(1)
    return abs((p - [0, 0.05, 0]) @ [0.05, 1, 0]) + outside


def nearest(p, corners):
    return length(p[:, None, :] - corners[None, :, :]).min(1)


def paddle_corners(frame):
    t = min(frame / FPS / TURN, 1)
    half = numpy.array([0.05, 0.3, 0.15])
    signs = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return (half * signs) @ (rotation(2, 90 * t) @ rotation(1, 30)).T + [0.8 + 0.2 * t, 0.5, 0.25]


def paddle(p, frame):
    return nearest(p, paddle_corners(frame))


def wedge(p, frame):
    return nearest(p, WEDGE + [0.2, 0.3, 0.6])


VOLUMES = {ball: 4 / 3 * numpy.pi * 0.2 ** 3, pillar: numpy.pi * 0.01 * 0.6,
           capsule: numpy.pi * 0.01 * (length(numpy.array([0.5, 0.3])) + 4 / 3 * 0.1),
           paddle: 8 * 0.05 * 0.3 * 0.15, wedge: 0.3 * 0.2 * 0.2 / 2, bed: 0}


def is_closed(points, faces):
    """Every edge between two faces, vertices of one place taken as one."""
    _, same = numpy.unique(numpy.round(points, 5), axis=0, return_inverse=True)
    ends = numpy.sort(numpy.concatenate([same[faces[:, [k, (k + 1) % 3]]] for k in range(3)]), axis=1)
    _, uses = numpy.unique(ends, axis=0, return_counts=True)
    return (uses == 2).all()


def check(points, faces, normals, frame):
    """World positions (our axes), three corners of each face, normals of vertices (or None)."""
    points, faces = numpy.asarray(points, "f8"), numpy.asarray(faces).reshape(-1, 3)
    left = numpy.ones(len(faces), bool)
    for shape, volume in VOLUMES.items():
        on = shape(points, frame) < 1e-5
        mine = on[faces].all(1)
        assert mine.any(), f"{shape.__name__}: no face in frame {frame}"
        left &= ~mine
        a, b, c = (points[faces[mine][:, k]] for k in range(3))
        areas = numpy.cross(b - a, c - a) / 2
        if normals is not None:  # out of the solid, and smooth: no face is far from its corners' normals
            for k in range(3):
                cosine = (areas * normals[faces[mine][:, k]]).sum(1) / length(areas)
                assert cosine.min() > 0.98, f"{shape.__name__}: a normal {cosine.min()}"
        if shape is bed:
            width, high = length(areas).sum(), numpy.array([points[on].min(0), points[on].max(0)])
            assert abs(width - length(numpy.array([1, 0.05]))) < 1e-4, width  # from x = 0 to 1, where it leaves
            assert numpy.allclose(high, [[0, 0, 0], [1, 0.05, 1]], atol=1e-5), high
            continue
        assert is_closed(points, faces[mine]), f"{shape.__name__}: is not closed"
        found = (a * areas).sum() / 3
        assert abs(found / volume - 1) < 0.01, f"{shape.__name__}: volume {found}, expected {volume}"
    assert not left.any(), f"{left.sum()} faces of nothing in frame {frame}"
