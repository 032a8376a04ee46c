/* cmd_export.c -- `spate export DIR --to FORMAT`: the frames of a run folder as files that other
 * programs open. One frame is in memory at a time. */
#include "tool.h"

#include <spate/spate_io.h>

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/export.h"
#include "io/run_folder.h"
#include "io/surface_read.h"
#include "io/usd.h"
#include "io/usd_file.h"
#include "scene/medium.h"

static const char usage[] =
    "usage: spate export DIR --to FORMAT [options]\n"
    "\n"
    "Writes the frames of the run in a folder in another format: particles from particles.NNNN.ply\n"
    "(output.particles = ply, the default), surfaces from mesh.NNNN.ply where they are there, and the\n"
    "solids with their motion. Of a gas, which leaves no particles unless it is told to, --to vtk writes\n"
    "the volumes. docs/formats.md says how to open what it writes.\n"
    "\n"
    "  --to FORMAT       usd      particles as a USD layer per frame, and liquid.usda to open\n"
    "                    vtk      particles as .vtp for ParaView, and particles.pvd to open\n"
    "                    vdb      level set `surface` and velocity `vel` as OpenVDB (3D)\n"
    "                    blender  a cache of Blender's fluid domain, and open.py to open it with\n"
    "                    ply      particles as PLY, with other attributes\n"
    "  -o, --output DIR  the folder to write to; default: a folder FORMAT in the run folder. With usd,\n"
    "                    a name that ends in .usd, .usda or .usdc: one file with all frames\n"
    "  --attributes LIST only these of the particles' attributes, e.g. --attributes \"velocity id\";\n"
    "                    speed can be had of every run\n"
    "  --no-particles    surfaces and solids alone\n"
    "  --volume          vtk: also level set and velocity on the grid, as .vti; of a gas its fields\n"
    "  --first N, --last N, --every N   only these frames\n"
    "  --quiet           say nothing\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 4 file error, 5 out of memory.\n";

typedef struct job {
    const char *run, *format_name, *output, *attributes;
    bool volume, no_particles, quiet;
    int first, last, every;
    sp_format format;
    sp_run_folder folder;
    sp_run_info info;
    spate_scene *scene; /* what files depend on */
    spate_scene *full;  /* all of it, for its solids; NULL: it cannot be had */
    sp_solid_meshes solids;
    int *frames;
    int frame_count;
    sp_export *out;
    sp_usd_file *usd; /* one file for all frames, instead of `out` */
    char target[SP_PATH_SIZE];
    sp_particles now;      /* of a frame */
    sp_particle_sets sets; /* likewise, those beside the fluid */
    bool fields;           /* of a gas: volumes go along */
    sp_field_set volumes;
    uint64_t particles; /* of all frames */
    int surfaces;       /* files */
} job;

/* ------------------------------------------------------------------ what to write, and where */

static int find_format(job *j)
{
    const char *names[SP_FORMAT_COUNT];
    if (!j->format_name)
        return tool_say_error(EXIT_USAGE, "--to: is missing: usd, vtk, vdb, blender or ply");
    for (int k = 0; k < SP_FORMAT_COUNT; k++) {
        names[k] = sp_format_name((sp_format)k);
        if (strcmp(j->format_name, names[k]) == 0) {
            j->format = (sp_format)k;
            return EXIT_DONE;
        }
    }
    const char *guess = tool_suggest(j->format_name, names, SP_FORMAT_COUNT);
    if (guess)
        return tool_say_error(EXIT_USAGE, "--to: unknown format '%s'; did you mean '%s'?",
                              j->format_name, guess);
    return tool_say_error(EXIT_USAGE,
                          "--to: unknown format '%s': there are usd, vtk, vdb, blender and ply",
                          j->format_name);
}

static bool is_single_file(const job *j)
{
    return j->format == SP_FORMAT_USD && j->output && sp_usd_is_name(j->output);
}

static int check_arguments(job *j)
{
    int code = find_format(j);
    if (code != EXIT_DONE)
        return code;
    if (j->volume && j->format != SP_FORMAT_VTK)
        return tool_say_error(EXIT_USAGE, "--volume: is only for --to vtk (vdb is a volume)");
    if (j->attributes && j->format == SP_FORMAT_VDB)
        return tool_say_error(EXIT_USAGE,
                              "--attributes: are of particles, which vdb does not hold");
    if (!j->no_particles)
        return EXIT_DONE;
    if (j->format == SP_FORMAT_VDB || j->volume)
        return tool_say_error(EXIT_USAGE, "--no-particles: volumes are made of particles");
    if (j->attributes)
        return tool_say_error(EXIT_USAGE,
                              "--attributes: are of particles, which --no-particles leaves out");
    return EXIT_DONE;
}

/* The solids are in the whole scene, which may need files that are gone: the rest goes without. */
static int make_solids(job *j)
{
    spate_error error = {0};
    if (j->format == SP_FORMAT_VDB)
        return EXIT_DONE;
    j->full = spate_scene_parse(j->info.scene, strlen(j->info.scene), ".", &error);
    if (!j->full) {
        tool_warn("%s: the solids are left out: %s: %s", j->run, error.where, error.message);
        return EXIT_DONE;
    }
    if (sp_solid_meshes_create(&j->solids, j->full, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (j->usd)
        sp_usd_file_solids(j->usd, &j->solids);
    else if (sp_export_solids(j->out, &j->solids, j->frames, j->frame_count, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    return EXIT_DONE;
}

static int open_target(job *j)
{
    spate_error error = {0};
    if (j->output)
        snprintf(j->target, sizeof j->target, "%s", j->output);
    else
        snprintf(j->target, sizeof j->target, "%s/%s", j->folder.path, sp_format_name(j->format));
    if (is_single_file(j))
        j->usd = sp_usd_file_create(j->target, j->scene->fps, &error);
    else
        j->out = sp_export_create(j->target, j->format, j->scene->fps, &error);
    return j->usd || j->out ? EXIT_DONE : tool_fail(&error, NULL);
}

/* ------------------------------------------------------------------ the run */

static spate_status probe(const job *j, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    if (j->fields)
        return sp_field_set_probe(j->scene, sp_run_folder_volume(&j->folder, frame, path), error);
    return sp_particle_table_probe(sp_run_folder_particles(&j->folder, frame, path), error);
}

/* Files that a killed run or a full disk left incomplete stand at the end: they are left out. One
 * in the middle is damage, which nothing should hide. */
static void drop_tail(job *j)
{
    spate_error error = {0};
    int whole = j->frame_count;
    while (whole > 0 && probe(j, j->frames[whole - 1], &error) != SPATE_OK)
        whole--;
    if (whole < j->frame_count)
        tool_warn("%s: %s; left out, with %d frame%s in all at the end", error.where, error.message,
                  j->frame_count - whole, j->frame_count - whole == 1 ? "" : "s");
    j->frame_count = whole;
}

static void choose_frames(job *j)
{
    int kept = 0;
    for (int k = 0; k < j->frame_count; k++) {
        int frame = j->frames[k], last = j->last < 0 ? frame : j->last;
        if (frame >= j->first && frame <= last && (frame - j->first) % j->every == 0)
            j->frames[kept++] = frame;
    }
    j->frame_count = kept;
}

/* Those of the particles; where there are none, or are not wanted, those of the surfaces. */
static spate_status list_frames(job *j, spate_error *error)
{
    bool surfaces = j->format != SP_FORMAT_VDB && !j->volume && !j->attributes;
    spate_status status = SPATE_OK;
    if (j->fields)
        return sp_run_folder_volumes(&j->folder, &j->frames, &j->frame_count, error);
    if (!j->no_particles)
        status = sp_run_folder_frames(&j->folder, &j->frames, &j->frame_count, error);
    if (status != SPATE_OK || j->frame_count > 0 || !surfaces)
        return status;
    int *found, count;
    status = sp_run_folder_surfaces(&j->folder, &found, &count, error);
    if (status != SPATE_OK)
        return status;
    if (count == 0 && !j->no_particles) {
        sp_free(found);
        return SPATE_OK;
    }
    sp_free(j->frames);
    j->frames = found;
    j->frame_count = count;
    j->no_particles = true;
    return SPATE_OK;
}

static int open_run(job *j)
{
    spate_error error = {0};
    if (sp_run_folder_open_to_read(&j->folder, j->run, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!sp_run_folder_has(&j->folder, "run.json"))
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)", j->run);
    if (sp_run_info_read(&j->folder, &j->info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    j->scene = sp_run_info_scene(&j->folder, &j->info, &error);
    if (!j->scene)
        return tool_fail(&error, NULL);
    bool gas = !sp_medium_of(j->scene)->has_surface;
    if (gas && j->format == SP_FORMAT_VDB)
        return tool_say_error(
            EXIT_USAGE, "%s: is the run of a gas, which has no level set: use --to vtk", j->run);
    j->fields = gas && j->format == SP_FORMAT_VTK && !j->no_particles && !j->attributes;
    if (list_frames(j, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (j->format == SP_FORMAT_VDB && j->scene->dim == 2)
        return tool_say_error(EXIT_USAGE,
                              "%s: is a 2D run, and OpenVDB holds volumes: use --to vtk "
                              "--volume",
                              j->run);
    if (!j->no_particles)
        drop_tail(j);
    choose_frames(j);
    if (j->frame_count == 0 && j->fields)
        return tool_say_error(EXIT_FILE,
                              "%s: has no volume files to export (vtk/volume.NNNN.vti; see "
                              "output.volume, --first, --last and --every)",
                              j->run);
    if (j->frame_count == 0 && j->no_particles)
        return tool_say_error(EXIT_FILE,
                              "%s: has no surfaces to export (mesh.NNNN.ply; 'spate mesh' makes "
                              "them; see also --first, --last and --every)",
                              j->run);
    if (j->frame_count == 0)
        return tool_say_error(EXIT_FILE,
                              "%s: has no particle files to export (particles.NNNN.ply; see "
                              "output.particles, --first, --last and --every)",
                              j->run);
    return EXIT_DONE;
}

static spate_status write_frame(job *j, sp_particle_table *table, spate_error *error)
{
    if (j->usd) {
        sp_usd_file_particles(j->usd, table, table->particles->frame);
        return SPATE_OK;
    }
    spate_status status = SPATE_OK;
    if (j->format != SP_FORMAT_VDB)
        status = sp_export_particles(j->out, table, error);
    if (status == SPATE_OK && !j->fields && (j->volume || j->format == SP_FORMAT_VDB))
        status = sp_export_volume(j->out, table, NULL, error);
    return status;
}

/* mesh.NNNN.ply, if the run has it. */
static spate_status write_surface(job *j, const sp_particle_table *domain, int frame,
                                  spate_error *error)
{
    char name[32], path[SP_PATH_SIZE];
    spate_surface mesh;
    snprintf(name, sizeof name, "mesh.%04d.ply", frame);
    bool takes = j->format != SP_FORMAT_VDB && (j->format != SP_FORMAT_PLY || j->no_particles) &&
                 !(j->format == SP_FORMAT_BLENDER && j->scene->dim == 2);
    if (!takes || !sp_run_folder_has(&j->folder, name))
        return SPATE_OK;
    spate_status status =
        sp_surface_file_read(&mesh, sp_run_folder_path(&j->folder, name, path), error);
    if (status != SPATE_OK)
        return status;
    if (j->usd)
        sp_usd_file_mesh(j->usd, &mesh, frame);
    else
        status = sp_export_surface(j->out, domain, &mesh, frame, error);
    sp_surface_file_clear(&mesh);
    j->surfaces++;
    return status;
}

static spate_status write_fields(job *j, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_run_folder_volume(&j->folder, frame, path);
    spate_status status = sp_field_set_read(&j->volumes, j->scene, frame, path, error);
    return status == SPATE_OK ? sp_export_fields(j->out, &j->volumes, error) : status;
}

static spate_status write_particles(job *j, sp_particle_table *table, int frame, spate_error *error)
{
    char path[SP_PATH_SIZE];
    sp_run_folder_particles(&j->folder, frame, path);
    if (j->no_particles || (j->fields && access(path, R_OK) != 0)) {
        *table = sp_particle_table_of_scene(j->scene);
        return SPATE_OK;
    }
    spate_status status = sp_particle_table_read(table, &j->now, j->scene, frame, path, error);
    if (status == SPATE_OK && j->attributes)
        status = sp_particle_table_choose(table, j->attributes, error);
    if (status == SPATE_OK)
        status = write_frame(j, table, error);
    j->particles += j->now.view.count;
    return status;
}

/* NAME.NNNN.ply of each set beside the fluid, if the run has it. */
static spate_status write_sets(job *j, int frame, spate_error *error)
{
    spate_status status = SPATE_OK;
    for (int k = SET_FLUID + 1; k < SET_COUNT && j->out && status == SPATE_OK; k++) {
        char path[SP_PATH_SIZE];
        sp_particle_table table;
        const sp_set_kind *kind = sp_set_kind_of(j->scene->dim, k);
        if (access(sp_run_folder_set(&j->folder, kind->name, frame, path), F_OK) != 0)
            continue;
        status = sp_particle_table_read(&table, &j->sets.of[k], j->scene, frame, path, error);
        j->sets.of[k].kind = kind;
        if (status == SPATE_OK)
            status = sp_export_set(j->out, k, &table, error);
    }
    return status;
}

static int write_frames(job *j)
{
    spate_error error = {0};
    for (int k = 0; k < j->frame_count; k++) {
        sp_particle_table table;
        spate_status status = write_particles(j, &table, j->frames[k], &error);
        if (status == SPATE_OK && j->fields)
            status = write_fields(j, j->frames[k], &error);
        if (status == SPATE_OK)
            status = write_surface(j, &table, j->frames[k], &error);
        if (status == SPATE_OK)
            status = write_sets(j, j->frames[k], &error);
        if (status != SPATE_OK)
            return tool_fail(&error, NULL);
    }
    if (j->usd) {
        sp_usd_file *file = j->usd;
        j->usd = NULL;
        if (sp_usd_file_close(file, &error) != SPATE_OK)
            return tool_fail(&error, NULL);
    } else if (sp_export_collect(j->out, &error) != SPATE_OK) {
        return tool_fail(&error, NULL);
    }
    return EXIT_DONE;
}

static void print_summary(const job *j)
{
    char count[TOOL_NUMBER];
    const char *entry = j->out ? sp_export_entry(j->out) : "";
    fprintf(stderr, "%d frame%s", j->frame_count, j->frame_count == 1 ? "" : "s");
    if (j->fields)
        fprintf(stderr, ", %d volumes", j->frame_count);
    if (!j->no_particles && !(j->fields && j->particles == 0))
        fprintf(stderr, ", %s particles", tool_count_text(count, j->particles));
    if (j->surfaces > 0)
        fprintf(stderr, " and %d surface%s", j->surfaces, j->surfaces == 1 ? "" : "s");
    if (j->solids.count > 0)
        fprintf(stderr, ", %d solid%s", j->solids.count, j->solids.count == 1 ? "" : "s");
    fprintf(stderr, " in all: open %s%s%s\n", j->target, entry[0] ? "/" : "", entry);
}

static int export_run(job *j)
{
    int code = open_run(j);
    if (code == EXIT_DONE)
        code = open_target(j);
    if (code == EXIT_DONE)
        code = make_solids(j);
    if (code == EXIT_DONE)
        code = write_frames(j);
    if (code == EXIT_DONE && !j->quiet)
        print_summary(j);
    return code;
}

int cmd_export(int argc, char **argv)
{
    job j = {.last = -1, .every = 1};
    j.folder.descriptor = -1;
    const tool_option options[] = {
        {"--to", 0, TOOL_TEXT, &j.format_name, 0},
        {"--output", 'o', TOOL_TEXT, &j.output, 0},
        {"--attributes", 0, TOOL_TEXT, &j.attributes, 0},
        {"--no-particles", 0, TOOL_FLAG, &j.no_particles, 0},
        {"--volume", 0, TOOL_FLAG, &j.volume, 0},
        {"--first", 0, TOOL_COUNT, &j.first, 0},
        {"--last", 0, TOOL_COUNT, &j.last, 0},
        {"--every", 0, TOOL_COUNT, &j.every, 1},
        {"--quiet", 0, TOOL_FLAG, &j.quiet, 0},
    };
    static const char *const names[] = {"DIR"};
    const char *operands[2];
    int code = tool_parse(usage, options, (int)(sizeof options / sizeof *options), names, 1, 1,
                          operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    j.run = operands[0];
    signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is an error that a write reports */
    code = check_arguments(&j);
    if (code == EXIT_DONE)
        code = export_run(&j);
    sp_usd_file_abandon(j.usd);
    sp_export_destroy(j.out);
    sp_particles_clear(&j.now);
    sp_particle_sets_clear(&j.sets);
    sp_field_set_clear(&j.volumes);
    sp_free(j.frames);
    sp_free(j.info.scene);
    sp_solid_meshes_clear(&j.solids);
    spate_scene_destroy(j.full);
    spate_scene_destroy(j.scene);
    sp_run_folder_close(&j.folder);
    return code;
}
