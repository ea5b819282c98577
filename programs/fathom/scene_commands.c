// SPDX-License-Identifier: MIT
// scene_commands.c: the subcommands check, describe, schema and scenes.
#include "command_line.h"
#include "load_scene.h"
#include "warnings.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SHOWN = 200 }; // characters of a scene's line that a message shows

// Prints a mistake, the line it is in, and a caret below its column. context: an int, the number
// of mistakes so far.
static void print_diagnostic(void *context, const fm_diagnostic *diagnostic)
{
    int *count = context;
    ++*count;
    if (diagnostic->line > 0)
        print_error("%s:%d:%d: %s", diagnostic->file, diagnostic->line, diagnostic->column,
                    diagnostic->text);
    else
        print_error("%s: %s", diagnostic->file, diagnostic->text);
    if (!diagnostic->source)
        return;
    int length = (int)strcspn(diagnostic->source, "\r\n");
    fprintf(stderr, "    %.*s\n    ", length < LINE_SHOWN ? length : LINE_SHOWN,
            diagnostic->source);
    for (int i = 1; i < diagnostic->column && i <= length && i < LINE_SHOWN; i++)
        fputc(diagnostic->source[i - 1] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "^\n");
}

// Loads a scene with changed values (`settings`, "PATH=VALUE" each) and prints its mistakes.
// Returns NULL after a mistake; code: the exit code.
fm_scene *load_scene(const char *path, const char *const *settings, int count, int *code)
{
    fm_error err = {0};
    int mistakes = 0;
    fm_scene *scene = fm_scene_load(path, settings, count, print_diagnostic, &mistakes, &err);
    *code = EXIT_GOOD;
    if (!scene && mistakes == 0)
        *code = report_error(&err);
    else if (!scene)
        *code = err.status == FM_INPUT_OUTPUT ? EXIT_INPUT_OUTPUT : EXIT_BAD_INPUT;
    if (!scene && access(path, F_OK) != 0)
        print_error("to list the scenes that come with fathom: fathom scenes");
    return scene;
}

// Loads each scene and builds its world, but simulates nothing. Returns the worst exit code.
static int run_check(const command *self, const arguments *args)
{
    int worst = EXIT_GOOD;
    int sets = option_index(self, "--set");
    for (int i = 0; i < args->rest_count; i++) {
        int code;
        fm_scene *scene = load_scene(args->rest[i], args->values[sets], args->given[sets], &code);
        fm_error err = {0};
        fm_mesh_loader loader = find_mesh_loader();
        fm_world *world = scene ? fm_scene_build_with_loader(scene, 1, &loader, &err) : NULL;
        bool good = world && fm_world_check_start(world, &err);
        if (scene && !good)
            code = report_error(&err);
        if (good) {
            warn_of_slow_frames(world, 1 / fm_scene_run_settings(scene).fps);
            warn_of_light_cloths(world);
            warn_of_thin_colliders(world);
        }
        if (good && !option_given(self, args, "--quiet"))
            printf("%s: good\n", args->rest[i]);
        fm_world_destroy(world);
        fm_scene_destroy(scene);
        worst = code > worst ? code : worst;
    }
    int output = finish_output();
    return worst ? worst : output;
}

const command command_check = {
    .name = "check",
    .usage = "SCENE...",
    .about = "list all mistakes in scene files, with line and column",
    .options = {{"--set", NULL, "PATH=VALUE", "change a value of the scene, as in `fathom run`"},
                {"--quiet", NULL, NULL, "print nothing for files without mistakes"}},
    .rest_min = 1,
    .rest_max = ARGUMENTS_MAX,
    .run = run_check,
};

// Prints a text to stdout and frees it; NULL: prints the error. Returns the exit code.
static int print_text(char *text, const fm_error *err)
{
    if (!text)
        return err->status ? report_error(err) : EXIT_INPUT_OUTPUT;
    fputs(text, stdout);
    free(text);
    return finish_output();
}

// Runs `fathom describe`. Returns the exit code.
static int run_describe(const command *self, const arguments *args)
{
    fm_error err = {0};
    if (option_given(self, args, "--markdown"))
        return print_text(fm_scene_reference(), &err);
    return print_text(fm_scene_describe(args->rest_count ? args->rest[0] : NULL, &err), &err);
}

const command command_describe = {
    .name = "describe",
    .usage = "[KEY]",
    .about = "explain a key of scene files: meaning, type, unit, range, default",
    .more = "KEY is a path such as bodies.cloth.drag.history, or its end. Without KEY, the "
            "sections of a\n"
            "scene file are listed.",
    .options = {{"--markdown", NULL, NULL, "print the documentation of all keys, docs/scenes.md"}},
    .rest_max = 1,
    .run = run_describe,
};

// Runs `fathom schema`. Returns the exit code.
static int run_schema(const command *self, const arguments *args)
{
    (void)self, (void)args;
    fm_error err = {0};
    return print_text(fm_scene_schema(), &err);
}

const command command_schema = {
    .name = "schema",
    .usage = "",
    .about = "print a JSON Schema of scene files, for editors",
    .run = run_schema,
};

// Finds the folder of scenes: in the current directory, beside the build directory of the program,
// or installed.
static bool find_scenes(char *path, size_t size)
{
    char program[512];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    for (int level = 0; level < 2; level++) { // the folder above that of the program
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = 0;
    }
    static const char *const places[] = {"scenes", "%s/scenes", "%s/share/fathom/scenes"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, size, places[i], program);
        struct stat info;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            return true;
    }
    return false;
}

// Filter of scandir: true for scene files.
static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

// Filter of scandir: false for names that begin with a dot.
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Prints a text as a JSON string; control characters are left out.
static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

// Prints path and description of a scene, as a line or as a JSON object. count: number of scenes
// printed before; JSON objects are separated by commas.
static void print_scene(const char *path, bool json, int *count)
{
    int code;
    fm_scene *scene = load_scene(path, NULL, 0, &code);
    if (!scene)
        return;
    if (json) {
        printf("%s\n  {\"path\": ", (*count)++ ? "," : "");
        print_json_text(path);
        printf(", \"about\": ");
        print_json_text(fm_scene_about(scene));
        printf(", \"source\": ");
        print_json_text(fm_scene_source(scene));
        printf("}");
    } else {
        printf("%-36s %s\n", path, fm_scene_about(scene));
    }
    fm_scene_destroy(scene);
}

// Prints all scenes of a folder; json and count as in print_scene.
static void print_folder(const char *folder, bool json, int *count)
{
    struct dirent **files = NULL;
    int found = scandir(folder, &files, is_scene, alphasort);
    for (int i = 0; i < found; i++) {
        char path[1600];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        print_scene(path, json, count);
        free(files[i]);
    }
    free(files);
}

// Runs `fathom scenes`. Returns the exit code.
static int run_scenes(const command *self, const arguments *args)
{
    bool json = option_given(self, args, "--json");
    char root[600];
    if (!find_scenes(root, sizeof root)) {
        print_error("scenes: no folder of scenes in the current directory, beside the program or "
                    "installed");
        return EXIT_INPUT_OUTPUT;
    }
    struct dirent **topics = NULL;
    int found = scandir(root, &topics, is_visible, alphasort), count = 0;
    if (json)
        printf("[");
    for (int i = 0; i < found; i++) {
        char folder[1200];
        snprintf(folder, sizeof folder, "%s/%s", root, topics[i]->d_name);
        print_folder(folder, json, &count);
        free(topics[i]);
    }
    free(topics);
    if (json)
        printf("\n]\n");
    return finish_output();
}

const command command_scenes = {
    .name = "scenes",
    .usage = "[--json]",
    .about = "list the scenes that come with fathom",
    .options = {{"--json", NULL, NULL, "print JSON"}},
    .run = run_scenes,
};
