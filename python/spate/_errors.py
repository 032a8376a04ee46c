"""What can go wrong, an exception for each status of spate.h."""
from . import _api


class Error(Exception):
    """Something that the library has refused, or that failed.

    where: the setting ("solids[2].radius"), file or stage; may be empty
    message: what is wrong and what to do
    problems: of a scene, all of them, as (setting, message)
    """

    status = None

    def __init__(self, message, where=""):
        self.where, self.message = where, message
        first, *others = message.split("\n")
        self.problems = [(where, first)] + [tuple(line.split(": ", 1)) for line in others if ": " in line]
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self):
        return type(self), (self.message, self.where)


class SimulationError(Error, RuntimeError):
    status = _api.SPATE_ERROR_SIMULATION


class UsageError(Error, ValueError):
    status = _api.SPATE_ERROR_USAGE


class SceneError(Error, ValueError):
    status = _api.SPATE_ERROR_SCENE


class FileError(Error, OSError):
    status = _api.SPATE_ERROR_FILE


class OutOfMemoryError(Error, MemoryError):
    status = _api.SPATE_ERROR_MEMORY


class DeviceError(Error, RuntimeError):
    status = _api.SPATE_ERROR_DEVICE


class StoppedError(Error, RuntimeError):
    status = _api.SPATE_ERROR_STOPPED


class StaleView(RuntimeError):
    """A view of an earlier state of a simulation was used. Take it again, or keep a copy."""


class SpateWarning(UserWarning):
    """What a simulation warns of, if no `log` is given."""


BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}
for _kind in BY_STATUS.values():
    for _name, _value in _api.ENUMS["spate_status"].items():
        if _value == _kind.status:
            _kind.__doc__ = _kind.__doc__ if "__doc__" in vars(_kind) and vars(_kind)["__doc__"] else _api.WORDS[_name]
