// SPDX-License-Identifier: MIT
// export.c: the subcommand fathom export DIR --to FORMAT.
#include "command_line.h"

#include <fathom/cache.h>
#include <fathom/draw.h>
#include <string.h>
#include <sys/stat.h>

#ifdef PROGRAM_VDB
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

// Loads the module that writes OpenVDB volumes (vdb.cpp) from the folder of the program, or from
// where it is installed. False if it is not there, or one of its libraries is missing.
static bool load_volume_writer(fm_volume_writer *writer)
{
    static const char *const places[] = {"", "../lib/fathom/"}; // relative to the program
    char path[4096], folder[3900];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    void *module = NULL, *symbol = NULL;
    if (length <= 0)
        return false;
    folder[length] = 0;
    *strrchr(folder, '/') = 0; // the path is absolute
    for (size_t i = 0; i < sizeof places / sizeof *places && !module; i++) {
        snprintf(path, sizeof path, "%s/%slibfathom_vdb.so", folder, places[i]);
        module = dlopen(path, RTLD_NOW | RTLD_LOCAL); // until the program ends
    }
    symbol = module ? dlsym(module, "vdb_write") : NULL;
    memcpy(&writer->write, &symbol, sizeof symbol); // ISO C has no conversion of these pointers
    return symbol != NULL;
}
#endif

// Runs `fathom export`. Returns the exit code.
static int run_export(const command *self, const arguments *args)
{
    fm_export_options options = fm_default_export_options();
    fm_export_report report = {0};
    fm_error err = {0};
    options.format = option_value(self, args, "--to");
    options.object = option_value(self, args, "--object");
    options.output = option_value(self, args, "-o");
    fm_fluid_mesh_def fluid = fm_default_fluid_mesh_def();
    fm_mesher mesher = fm_fluid_mesher(&fluid);
    options.surface = option_given(self, args, "--surface") ? &mesher : NULL;
#ifdef PROGRAM_VDB
    fm_volume_writer volumes = {0};
    if (options.format && strcmp(options.format, "vdb") == 0 && load_volume_writer(&volumes)) {
        options.volumes = &volumes;
        options.surface = &mesher;
    }
#endif
    if (!option_integer(self, args, "--first", 0, FRAME_MAX, -1, &options.first_frame) ||
        !option_integer(self, args, "--last", 0, FRAME_MAX, -1, &options.last_frame) ||
        !option_integer(self, args, "--stride", 1, FRAME_MAX, 1, &options.stride))
        return EXIT_BAD_INPUT;
    if (!options.format) {
        print_error("export: --to is missing; allowed are: %s", fm_export_formats());
        return EXIT_BAD_INPUT;
    }
    struct stat info;
    if (stat(args->rest[0], &info) != 0 || !S_ISDIR(info.st_mode)) {
        print_error("%s: there is no such run; fathom run SCENE writes one, into runs/NAME",
                    args->rest[0]);
        return EXIT_INPUT_OUTPUT;
    }
    if (!fm_export_frames(args->rest[0], &options, &report, &err))
        return report_error(&err);
    printf("%d frame%s of %d object%s in %d file%s: %s\n", report.frame_count,
           report.frame_count == 1 ? "" : "s", report.object_count,
           report.object_count == 1 ? "" : "s", report.file_count,
           report.file_count == 1 ? "" : "s", report.path);
    if (report.note[0])
        printf("%s\n", report.note);
    return finish_output();
}

const command command_export = {
    .name = "export",
    .usage = "DIR --to FORMAT [--object NAME] [--surface] [-o FILE]",
    .about = "convert the frames of a run for other programs",
    .more =
        "Formats: obj, pc2 and mdd (for the Mesh Cache modifier of Blender), usda, glb, ply, vtk, "
        "csv, and vdb (fluids as level set and velocity, where OpenVDB is installed).\nWithout -o, "
        "files are written to DIR/exports.",
    .options = {{"--to", NULL, "FORMAT", "obj, pc2, mdd, usda, glb, ply, vtk, csv or vdb"},
                {"--object", NULL, "NAME", "export this object only"},
                {"--output", "-o", "FILE", "file or directory to write"},
                {"--first", NULL, "FRAME", "first frame to export"},
                {"--last", NULL, "FRAME", "last frame to export"},
                {"--stride", NULL, "N", "export every Nth frame"},
                {"--surface", NULL, NULL,
                 "export fluids as surfaces instead of particles (obj, ply, vtk)"}},
    .rest_min = 1,
    .rest_max = 1,
    .run = run_export,
};
