# A friendly front to CMake: `make run` and `make test` work on a fresh Debian 12 machine.
# PRESET=dev (or debug, asan, tsan, clang) takes another build; build folders are build/<preset>.
PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SCENE ?= scenes/dam_break.json
ARGS ?=
CONFIGURE ?=

BUILD = build/$(PRESET)
SOURCES = $(shell find include src tests examples bench scripts web -name '*.[ch]' -o -name '*.cu')

.DEFAULT_GOAL := help
.PHONY: all help deps build cuda run test quick golden work test-times test-formats compilers test-cuda bench bench-cuda validate format format-check asan tsan clean install package web test-web test-python

help:
	@echo "make run        compile and run a dam break   (SCENE=scenes/drop.json, ARGS='--frames 30')"
	@echo "make test       compile and run the tests     (ARGS=shapes: only tests with that in the name)"
	@echo "make quick      what a change is tried with: the tests that need less than 1 CPU second each, in the build dev"
	@echo "make all        everything there is: all sanitizers, browsers and compilers; it takes an hour or more"
	@echo "make test-python  test the Python package with Debian's Python and numpy, which it installs"
	@echo "make test-formats  check the file formats with other people's readers, which it installs"
	@echo "make build      compile into build/release    (PRESET=dev: quick to compile; debug, asan, tsan, clang)"
	@echo "make bench      measure the speed"
	@echo "make validate   the long forms of all tests, with the cases against theory and experiments"
	@echo "make cuda       compile with the device cuda, which make build does by itself where there is a GPU"
	@echo "make web        compile the page into build/web; build/release/spate serve shows it"
	@echo "make test-web   test the page: in node, in Chromium at two sizes, in Firefox"
	@echo "make test-cuda  test the device cuda, on a machine with nvcc and an NVIDIA GPU"
	@echo "make bench-cuda  build, test and measure the device cuda, and compare with the limits of bench/gpu"
	@echo "make asan       unit tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan       tests in which threads work, under the thread sanitizer"
	@echo "make fuzz       run the readers of files on inputs made to break them (FUZZ_SECONDS=60 each, ARGS=scene)"
	@echo "make tidy       look for mistakes with clang-tidy (ARGS='--changed HEAD~1': in what has changed)"
	@echo "make coverage   run the tests and say which lines they have run"
	@echo "make compilers  compare the results of a gcc build and a clang build bit by bit"
	@echo "make format     lay the sources out with clang-format; format-check only looks"
	@echo "make install    install into PREFIX (/usr/local)"
	@echo "make package    a Debian package of it in build/release (with the page, if make web has made it)"
	@echo "make deps       install what is needed to compile (Debian, Ubuntu), if something is missing"
	@echo "make clean      remove build/"

deps:
	@sh scripts/install-deps.sh

# The generator is chosen when a build folder is new: Ninja where there is one, else plain make.
GENERATOR = $(if $(shell command -v ninja),Ninja,Unix Makefiles)

build: deps
	@mkdir -p $(BUILD)
	@cmake --preset $(PRESET) $(if $(filter release,$(PRESET)),$(CONFIGURE)) $(if $(wildcard $(BUILD)/CMakeCache.txt),,-G "$(GENERATOR)") \
	    >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@env -u MAKEFLAGS -u MAKELEVEL cmake --build $(BUILD) -j $(JOBS) $(if $(TARGETS),--target $(TARGETS))

# Only the command; the film wants ffmpeg.
run: TARGETS = spate_tool
run: build
	-@sh scripts/install-deps.sh run
	$(BUILD)/spate run $(SCENE) --overwrite $(ARGS)

cuda: CONFIGURE = -DSPATE_CUDA=ON
cuda: build

test: build
	@tests/run $(TESTS) $(BUILD) $(ARGS)

all:
	@.ci/run --all

quick: PRESET = dev
quick: deps
	@$(MAKE) --no-print-directory build PRESET=dev
	@tests/run -q -j $(JOBS) build/dev $(ARGS)

# Writes the hashes that are to come out: after a change of the numerics that is meant.
golden: build
	@$(BUILD)/tests/spate_tests determinism/update

# Writes tests/work.csv, the work of single steps: the commit says why a step needs more.
work: build
	@$(BUILD)/tests/spate_tests work/update

# Writes tests/times.csv, which says how long each test takes.
test-times:
	@$(MAKE) --no-print-directory build PRESET=dev
	@$(MAKE) --no-print-directory build PRESET=release
	@tests/run -w build/dev $(ARGS)
	@tests/run -W build/release $(ARGS)

# What cannot be installed here is skipped, and said so.
test-python:
	-@sh scripts/install-deps.sh python
	@$(MAKE) --no-print-directory build
	@tests/run -d python $(BUILD) $(ARGS)

test-formats: build
	-@sh scripts/install-deps.sh formats
	-@mkdir -p $(BUILD)/formats && cd $(BUILD)/formats && \
	    { [ -d node_modules/usd-viewer -a -d node_modules/tinyusdz ] || \
	      npm install --silent --no-audit --no-fund usd-viewer@0.0.0 tinyusdz@0.9.0-rc10; }
	@tests/run -d formats $(BUILD) $(ARGS)

# 600 s: the race checker is slow
test-cuda: build
	@$(BUILD)/spate --version | grep -q 'cuda (no\|^devices: cpu ([^,]*$$' && \
	    { $(BUILD)/spate --version | sed -n 2p; echo "make test-cuda: needs nvcc and an NVIDIA GPU"; exit 1; } || true
	@tests/run -d cuda -t 600 $(BUILD) $(ARGS)

# All tests of the programs; TESTS='-Q 2/5' takes those that are quick and part 2 of 5 of the others. With clang where there
# is one, so that the tests run with both compilers.
TESTS ?=
asan:
	@CC=$${CC:-$$(command -v clang || echo cc)} $(MAKE) --no-print-directory build PRESET=asan TARGETS=test_programs
	@tests/run $(TESTS) -p -t 900 build/asan $(ARGS)

# Those in which threads work; 2D and 3D are one source, and 2D is the shorter.
THREADED = base/ preview/ film/ _2d/
tsan:
	@$(MAKE) --no-print-directory build PRESET=tsan TARGETS=test_programs
	@tests/run $(TESTS) -p -t 900 build/tsan $(if $(ARGS),$(ARGS),$(THREADED))

.PHONY: fuzz tidy coverage
fuzz:
	@sh scripts/install-deps.sh fuzz
	@$(MAKE) --no-print-directory build PRESET=fuzz TARGETS=fuzz
	@tests/fuzz/run build/fuzz $(ARGS)

tidy:
	@sh scripts/install-deps.sh tidy
	@scripts/tidy.sh $(ARGS)

# -t 1800: counting lines is slow. Tests of a full disk fail here: the counts cannot be written either.
coverage:
	@sh scripts/install-deps.sh coverage
	@$(MAKE) --no-print-directory build PRESET=coverage TARGETS="test_programs spate_tool"
	@find build/coverage -name '*.gcda' -delete
	-@tests/run -p -t 1800 build/coverage $(ARGS)
	-@tests/run -d cli -t 1800 build/coverage $(ARGS)
	@scripts/coverage.sh build/coverage

compilers:
	@$(MAKE) --no-print-directory build PRESET=release
	@$(MAKE) --no-print-directory build PRESET=clang TARGETS=spate_tool
	@SPATE_OTHER=$(CURDIR)/build/clang/spate tests/run -d compilers build/release

bench: TARGETS = spate_tool spate_bench_pressure
bench: build
	$(BUILD)/spate bench $(ARGS)
	$(BUILD)/spate_bench_pressure

bench-cuda:
	@bench/gpu $(BUILD)

# The long forms of all tests. At the end: the figures that are known to miss their limit.
validate: build
	@bash -o pipefail -c '$(BUILD)/tests/spate_tests --full --limit 7200 --verbose $(ARGS) | \
	    tee $(BUILD)/validate.log'; code=$$?; echo; grep -E "^  (known miss|no longer a miss)" $(BUILD)/validate.log; exit $$code

web:
	@sh scripts/install-deps.sh web
	@sh scripts/build-web.sh $(JOBS)

test-web: build web
	@tests/run -d web -t 1800 $(BUILD) $(ARGS)

format format-check:
	@sh scripts/install-deps.sh format
	@clang-format $(if $(filter format,$@),-i,--dry-run --Werror) $(SOURCES)

# What is installed, without tests, examples and benchmarks.
install: TARGETS = spate_installed
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

package: build
	@cd $(BUILD) && cpack -G DEB >package.log 2>&1 || { cat package.log; exit 1; }
	@ls $(BUILD)/spate_*.deb

clean:
	rm -rf build
