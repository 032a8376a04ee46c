/* cmd_mesh.c -- `spate mesh DIR`: the surface of the liquid for the particle files of a run. */
#include "tool.h"

#include <spate/spate_io.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/particle_table.h"
#include "io/run_folder.h"
#include "scene/medium.h"
#include "scene/points.h"

static const char usage[] =
    "usage: spate mesh DIR [options]\n"
    "\n"
    "Makes the surface of the liquid, a closed triangle mesh with normals and velocities (in 2D its\n"
    "outline), from each particles.NNNN.ply of a run, and writes it as mesh.NNNN.ply beside it.\n"
    "\n"
    "  --resolution N    cells of the surface along a cell, 1 .. 4 (default: as in the scene)\n"
    "  --gap X           keep the surface X cells off solids and walls, 0 .. 0.1 (default: as in the\n"
    "                    scene, which is 0: it lies on them); a hair, 0.02, is for liquid in glass\n"
    "  --frame N         only this frame\n"
    "  --threads N       as many threads (default: one per core)\n"
    "  --quiet           say nothing but warnings and errors\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 4 file error, 5 out of memory.\n";

typedef struct mesh_command {
    const char *path;
    int resolution, frame, threads;
    double gap; /* cells; negative: as in the scene */
    bool quiet;
    sp_run_folder folder;
    spate_scene *scene;
    spate_surface_options options;
} mesh_command;

/* The settings of the run, from its run.json. */
static int read_options(mesh_command *m)
{
    spate_error error = {0};
    sp_run_info info = {0};
    if (!sp_run_folder_has(&m->folder, "run.json"))
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)", m->path);
    if (sp_run_info_read(&m->folder, &info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    m->scene = spate_scene_parse(info.scene, strlen(info.scene), ".", &error);
    sp_free(info.scene);
    if (!m->scene)
        return tool_fail(&error, m->path);
    if (!sp_medium_of(m->scene)->has_surface)
        return tool_say_error(
            EXIT_USAGE, "%s: is the run of a gas, which has no surface to make a mesh of", m->path);
    spate_surface_options_default(&m->options, m->scene);
    m->options.threads = m->threads;
    if (m->resolution > 0)
        m->options.resolution = m->resolution;
    if (m->gap >= 0)
        m->options.gap = m->gap;
    return EXIT_DONE;
}

/* Whether all particles lie in the domain, or a cell beside it. */
static bool is_in_domain(const mesh_command *m, const spate_points *points)
{
    const float *x = sp_points_positions(points);
    sp_particle_table domain = sp_particle_table_of_scene(m->scene);
    bool inside = true;
    for (size_t k = 0; k < sp_points_count(points); k++)
        for (size_t d = 0; d < (size_t)domain.dim; d++)
            inside = inside && x[3 * k + d] >= -domain.cell_size &&
                     x[3 * k + d] <= domain.size[d] + domain.cell_size;
    return inside;
}

static int mesh_frame(mesh_command *m, int frame)
{
    spate_error error = {0};
    m->options.time = frame / m->scene->fps;
    char path[SP_PATH_SIZE], vertices[TOOL_NUMBER], triangles[TOOL_NUMBER];
    spate_points *points =
        spate_points_read(sp_run_folder_particles(&m->folder, frame, path), &error);
    if (!points)
        return tool_fail(&error, NULL);
    if (!is_in_domain(m, points)) {
        spate_points_destroy(points);
        return tool_say_error(EXIT_FILE, "%s: a particle lies outside of the domain", path);
    }
    spate_surface *mesh =
        spate_surface_create(sp_points_positions(points), sp_points_velocities(points),
                             sp_points_count(points), &m->options, &error);
    spate_points_destroy(points);
    if (!mesh)
        return tool_fail(&error, path);
    spate_status status =
        spate_surface_write(mesh, sp_run_folder_mesh(&m->folder, frame, path), &error);
    if (status == SPATE_OK && !m->quiet)
        fprintf(stderr, "%s: %s vertices, %s %s\n", path, tool_count_text(vertices, mesh->vertices),
                tool_count_text(triangles, mesh->triangles),
                mesh->dim == 2 ? "segments" : "triangles");
    spate_surface_destroy(mesh);
    return status == SPATE_OK ? EXIT_DONE : tool_fail(&error, NULL);
}

static int mesh_folder(mesh_command *m)
{
    spate_error error = {0};
    int *frames, count, made = 0, code = read_options(m);
    if (code != EXIT_DONE)
        return code;
    if (sp_run_folder_frames(&m->folder, &frames, &count, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    for (int k = 0; k < count && code == EXIT_DONE; k++) {
        if (m->frame >= 0 && frames[k] != m->frame)
            continue;
        code = mesh_frame(m, frames[k]);
        made++;
    }
    sp_free(frames);
    if (made > 0)
        return code;
    if (m->frame >= 0)
        return tool_say_error(EXIT_FILE, "%s: has no particles.%04d.ply", m->path, m->frame);
    return tool_say_error(EXIT_FILE, "%s: has no particle files (output.particles was \"none\")",
                          m->path);
}

int cmd_mesh(int argc, char **argv)
{
    mesh_command m = {.frame = -1, .gap = -1};
    const char *gap = NULL;
    const tool_option options[] = {
        {"--resolution", 0, TOOL_COUNT, &m.resolution, 1},
        {"--gap", 0, TOOL_TEXT, &gap, 0},
        {"--frame", 0, TOOL_COUNT, &m.frame, 0},
        {"--threads", 0, TOOL_COUNT, &m.threads, 1},
        {"--quiet", 0, TOOL_FLAG, &m.quiet, 0},
    };
    static const char *const names[] = {"DIR"};
    const char *operands[2];
    char *end = NULL;
    int code = tool_parse(usage, options, 5, names, 1, 1, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    if (m.resolution > SPATE_SURFACE_RESOLUTION_MAX)
        return tool_say_error(EXIT_USAGE, "--resolution: must be 1 .. %d (got %d)",
                              SPATE_SURFACE_RESOLUTION_MAX, m.resolution);
    m.gap = gap ? strtod(gap, &end) : m.gap;
    if (gap && (end == gap || *end || !(m.gap >= 0 && m.gap <= SPATE_SURFACE_GAP_MAX)))
        return tool_say_error(EXIT_USAGE, "--gap: must be 0 .. %g (got '%s')",
                              SPATE_SURFACE_GAP_MAX, gap);
    spate_error error = {0};
    m.path = operands[0];
    if (sp_run_folder_open(&m.folder, m.path, false, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    code = mesh_folder(&m);
    spate_scene_destroy(m.scene);
    sp_run_folder_close(&m.folder);
    return code;
}
