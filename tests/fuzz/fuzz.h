/* fuzz.h -- fuzz targets: functions that take any bytes as a file from outside, and must come back.
 *
 *     fuzz_scene       scene JSON: reader, check, forecast, and its text read again
 *     fuzz_set         lines of PATH=VALUE, as of --set
 *     fuzz_mesh        OBJ, STL, PLY; also as a surface of a run
 *     fuzz_points      PLY of points
 *     fuzz_particles   particle file of a run, and what `export` makes of it
 *     fuzz_stats       stats.csv and gauges.csv: diagnosis, charts, cutting
 *     fuzz_volume      volume file of a run of a gas
 *     fuzz_run         run.json
 *     fuzz_checkpoint  changes to a checkpoint, under a checksum that is right
 *
 * `make fuzz` runs each of them with libFuzzer, test_fuzz_corpus runs each on its files in
 * tests/fuzz/corpus. An input is small, and what it may ask for is kept small (fuzz_is_small). */
#ifndef SPATE_FUZZ_H
#define SPATE_FUZZ_H

#include <spate/spate_io.h>

/* clang-format off */
#define FUZZ_TARGETS(F) \
    F(scene) F(set) F(mesh) F(points) F(particles) F(stats) F(volume) F(run) F(checkpoint)
/* clang-format on */
#define F(name) void fuzz_##name(const uint8_t *bytes, size_t size);
FUZZ_TARGETS(F)
#undef F

/* A promise of the program that no input may break. */
#define FUZZ_MUST(condition) ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* A folder of this process below TMPDIR, made when first asked for. */
const char *fuzz_folder(void);
/* Writes a file into it; the path, good until the next call. */
const char *fuzz_file(const char *name, const void *bytes, size_t size);
void fuzz_remove(
    const char *path); /* a folder with the files in it; one that is not there is fine */

/* Whether a scene has few enough cells and particles to work on it. */
bool fuzz_is_small(const spate_scene *scene);

#endif
