"""Statistics of a frame, by the library's own table of them; tables of numbers."""
from __future__ import annotations

import ctypes

from . import _api
from ._library import lib, numpy, text

_C = {_api.SPATE_STAT_INT: (ctypes.c_int, "i4"), _api.SPATE_STAT_UINT64: (ctypes.c_uint64, "u8"),
      _api.SPATE_STAT_DOUBLE: (ctypes.c_double, "f8")}


class Stat:
    """One of the numbers of a frame: name, unit, help."""

    def __init__(self, row):
        self.name, self.unit, self.help = text(row.name), text(row.unit), text(row.help)
        self._kind, self.dtype = _C[row.type]
        self._offset = row.offset

    def __repr__(self):
        return f"<statistic {self.name}{' in ' + self.unit if self.unit else ''}: {self.help}>"


_table = [Stat(lib.spate_stat_info(k).contents) for k in range(lib.spate_stat_count())]
_by_name = {stat.name: k for k, stat in enumerate(_table)}
_end = max(stat._offset + ctypes.sizeof(stat._kind) for stat in _table)
_size = (_end + 7) // 8 * 8


def statistics() -> dict[str, Stat]:
    """The table of statistics, a dict by name."""
    return {stat.name: stat for stat in _table}


class Stats:
    """The numbers of a frame: stats.volume or stats["volume"]; dict(stats) is all of them.

    spate.statistics() says what each is.
    """

    __slots__ = ("_values",)

    def __init__(self, values):
        self._values = tuple(values)

    def __getitem__(self, name: str) -> int | float:
        return self._values[_by_name[name]]

    def __getattr__(self, name):
        if name in _by_name:
            return self._values[_by_name[name]]
        raise AttributeError(f"there is no statistic '{name}'; spate.statistics() lists them")

    def __dir__(self):
        return list(_by_name)

    def keys(self) -> list[str]:
        return list(_by_name)

    def __iter__(self):
        return iter(_by_name)

    def __len__(self):
        return len(_table)

    def __reduce__(self):
        return Stats, (self._values,)

    def __repr__(self):
        return "<spate stats: " + ", ".join(f"{n}={self[n]:.6g}" for n in ("frame", "time") if n in _by_name) + ", ...>"


def read(function, sim):
    """What spate_sim_stats_sized or spate_sim_progress_sized fills."""
    memory = ctypes.create_string_buffer(_size)
    result = function(sim, memory, _size)
    return result, Stats(stat._kind.from_buffer(memory, stat._offset).value for stat in _table)


def table(rows: Iterable[Stats | dict[str, Any]]) -> numpy.recarray:
    """A numpy record array of a list of stats (one per frame) or of dicts with the same keys."""
    np = numpy("a table")
    rows = list(rows)
    if not rows or isinstance(rows[0], Stats):
        return np.rec.array(np.array([row._values for row in rows], [(stat.name, stat.dtype) for stat in _table]))
    columns = {name: np.asarray([row[name] for row in rows]) for name in rows[0]}
    kinds = [(name, column.dtype, column.shape[1:]) for name, column in columns.items()]
    made = np.empty(len(rows), kinds)
    for name, column in columns.items():
        made[name] = column
    return np.rec.array(made)
