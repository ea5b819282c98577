// SPDX-License-Identifier: MIT
// check.c: fathom check, describe, schema, scenes: everything about scenes but running them.
#include "fathom.h"
#include "scene.h"
#include "warnings.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_remark(void *context, const fm_remark *remark)
{
    int *count = context;
    ++*count;
    if (remark->line > 0)
        complain("%s:%d:%d: %s", remark->file, remark->line, remark->column, remark->text);
    else
        complain("%s: %s", remark->file, remark->text);
    if (!remark->source)
        return;
    int length = (int)strcspn(remark->source, "\r\n");
    fprintf(stderr, "    %.*s\n    ", length < 200 ? length : 200, remark->source);
    for (int i = 1; i < remark->column && i <= length && i < 200; i++)
        fputc(remark->source[i - 1] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "^\n");
}

fm_scene *load_scene(const char *path, const char *const *settings, int count, int *code)
{
    fm_error err = {0};
    int mistakes = 0;
    fm_scene *scene = fm_scene_load(path, settings, count, print_remark, &mistakes, &err);
    *code = EXIT_GOOD;
    if (!scene && mistakes == 0)
        *code = complain_error(&err);
    else if (!scene)
        *code = err.status == FM_INPUT_OUTPUT ? EXIT_INPUT_OUTPUT : EXIT_BAD_INPUT;
    if (!scene && access(path, F_OK) != 0)
        complain("the scenes that ship are listed by: fathom scenes");
    return scene;
}

static int run_check(const command *self, const arguments *args)
{
    int worst = EXIT_GOOD;
    int sets = option_index(self, "--set");
    for (int i = 0; i < args->rest_count; i++) {
        int code;
        fm_scene *scene = load_scene(args->rest[i], args->values[sets], args->given[sets], &code);
        fm_error err = {0};
        fm_world *world = scene ? fm_scene_build_files(scene, 1, fm_file_loader(), &err) : NULL;
        bool good = world && fm_world_check_start(world, &err);
        if (scene && !good)
            code = complain_error(&err);
        if (good)
            warn_of_endless_frames(world, 1 / fm_scene_run_settings(scene).fps);
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
    .about = "every mistake in scene files, each with line and column, without running",
    .options = {{"--set", NULL, "PATH=VALUE", "change a value, as for run"},
                {"--quiet", NULL, NULL, "say nothing about good files"}},
    .rest_min = 1,
    .rest_max = ARGUMENTS_MAX,
    .run = run_check,
};

static int print_text(char *text, const fm_error *err)
{
    if (!text)
        return err->status ? complain_error(err) : EXIT_INPUT_OUTPUT;
    fputs(text, stdout);
    free(text);
    return finish_output();
}

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
    .about = "what a scene key means: type, unit, range, default",
    .more = "KEY is a path such as bodies.cloth.drag.history; without it, the sections of a scene.",
    .options = {{"--markdown", NULL, NULL, "all keys, as docs/scenes.md"}},
    .rest_max = 1,
    .run = run_describe,
};

static int run_schema(const command *self, const arguments *args)
{
    (void)self, (void)args;
    fm_error err = {0};
    return print_text(fm_scene_schema(), &err);
}

const command command_schema = {
    .name = "schema",
    .usage = "",
    .about = "JSON Schema of the scene format, for editors",
    .run = run_schema,
};

// Where the scenes are: beside the sources, or installed beside the program.
static bool find_scenes(char *path, size_t size)
{
    char program[512];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = 0;
    static const char *const places[] = {"scenes", "%s/../scenes", "%s/../share/fathom/scenes"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, size, places[i], program);
        struct stat info;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            return true;
    }
    return false;
}

static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

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

static void print_topic(const char *folder, bool json, int *count)
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

static int run_scenes(const command *self, const arguments *args)
{
    bool json = option_given(self, args, "--json");
    char root[600];
    if (!find_scenes(root, sizeof root)) {
        complain("scenes: no folder of scenes was found here, beside the program or installed");
        return EXIT_INPUT_OUTPUT;
    }
    struct dirent **topics = NULL;
    int found = scandir(root, &topics, is_visible, alphasort), count = 0;
    if (json)
        printf("[");
    for (int i = 0; i < found; i++) {
        char folder[1200];
        snprintf(folder, sizeof folder, "%s/%s", root, topics[i]->d_name);
        print_topic(folder, json, &count);
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
    .about = "the scenes that ship, one line each",
    .options = {{"--json", NULL, NULL, "print JSON"}},
    .run = run_scenes,
};
