#!/bin/bash
# The Python package's views of the GPU's memory, read back by CUDA's driver (tests/python/device.py).
exec bash "$SPATE_SOURCE/tests/python/device.sh"
