// SPDX-License-Identifier: MIT
// kill_points.c: injects a fault at every system call of fathom that changes files, and checks that
// the run can be repaired to the same bytes as a run without faults.
//
//     kill_points FATHOM [STRIDE [CASE]]
//
// Each case is a command in a small directory of its own: a new run, --force over another and over
// the same scene, a longer run, a branch, a branch with --force, sweeps, every export. The command
// is repeated with a fault at call 1, 2, 3, ... of the calls that tracer.h lists, for each kind of
// fault: killed before the call, killed after half a write, killed again during the repair, stopped
// by Ctrl-C, one call that fails with EIO, a disk that is full from that call on. After each fault
//
//   - a file under its final name is complete: it has either its old or its new contents;
//   - after a failed call the exit code is 3 and a message says why, or the result is correct;
//   - the repair command (the same command again, or --resume) leaves the same files with the same
//     bytes as a run without faults, except timings.csv, and does not change foreign files.
//
// STRIDE n: the first kind of fault is injected at every call, the others at every n-th call, each
// with another offset. Not covered: pictures and movies (PNG files use the same writer as exports),
// power failures.
#define _GNU_SOURCE
#include "tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WORDS_MAX = 20,   // words of a command
    PATH_SIZE = 1024, // bytes of a path
};

// A command of fathom in which faults are injected, and how its directory is prepared and repaired.
typedef struct scenario {
    const char *name;
    const char *setup[3];        // commands that prepare the directory
    const char *command;         // the command in which faults are injected
    const char *repair;          // repair command that is tried first
    const char *fallback_repair; // repair command when the first exits with 1; NULL: it never does
} scenario;

// SET, SWEEP, BRANCH: parts of commands. EXPORT: the scenario of an export over an earlier one.
#define SET "--set bodies.towel.cloth.density=1200"
#define SWEEP "run small.yaml -o out --frames 1 --sweep bodies.towel.cloth.density=1000,1200"
#define BRANCH "run small.yaml --from whole:3 -o out --frames 5 " SET
#define EXPORT(format)                                                                             \
    {                                                                                              \
        "export " format,                                                                          \
            {"run small.yaml -o out --frames 2", "export out --last 1 --to " format},              \
            "export out --to " format, "export out --to " format, NULL                             \
    }

static const scenario scenarios[] = {
    {"new",
     {NULL},
     "run small.yaml -o out",
     "run small.yaml -o out",
     "run small.yaml -o out --resume"},
    {"force over another",
     {"run other.yaml -o out"},
     "run small.yaml -o out --force",
     "run small.yaml -o out --force",
     NULL},
    {"force over the same",
     {"run small.yaml -o out"},
     "run small.yaml -o out --force",
     "run small.yaml -o out --resume",
     NULL},
    {"longer",
     {"run small.yaml -o out"},
     "run small.yaml -o out --resume --frames 6",
     "run small.yaml -o out --resume --frames 6",
     NULL},
    {"branch",
     {"run small.yaml -o whole"},
     BRANCH,
     BRANCH,
     "run small.yaml -o out --resume --frames 5 " SET},
    {"branch with force",
     {"run small.yaml -o whole", "run other.yaml -o out"},
     BRANCH " --force",
     BRANCH " --force",
     NULL},
    {"sweep", {NULL}, SWEEP, SWEEP, SWEEP " --resume"},
    {"sweep with force", {SWEEP}, SWEEP " --force", SWEEP " --force", NULL},
    EXPORT("obj"),
    EXPORT("pc2"),
    EXPORT("mdd"),
    EXPORT("usda"),
    EXPORT("glb"),
    EXPORT("ply"),
    EXPORT("vtk"),
    EXPORT("csv"),
};

static const char small_scene[] =
    "about: a small towel\nsource: for a test\nworld: { frames: 3, fps: 24 }\n"
    "bodies:\n  towel: { cloth: { sheet: { columns: 3, rows: 3, width: 0.2, height: 0.2 },"
    " drag: { model: none }, pins: [ { edge: top } ] } }\n"
    "motions:\n  swing: { sine: { axis: [1, 0, 0], amplitude: 0.1, period: 1 } }\n"
    "colliders:\n  block: { mesh: { file: block.obj }, motion: swing }\n"
    "probes:\n  tip: { body: towel, at: [0.5, 1.0] }\n"
    "output: { checkpoint: 0.084, keep: 1 }\n"; // every second frame

static const char other_scene[] =
    "about: another\nsource: for a test\nworld: { frames: 2, fps: 24 }\n"
    "bodies:\n  flag: { cloth: { sheet: { columns: 3, rows: 2, width: 0.2, height: 0.1 },"
    " drag: { model: none }, pins: [ { edge: top } ] } }\n"
    "colliders:\n  one: { mesh: { file: block.obj } }\n  two: { mesh: { file: block.obj } }\n";

static const char block[] = "v 0 -1 0\nv 0.1 -1 0\nv 0 -0.9 0\nv 0 -1 0.1\n"
                            "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// State of the test.
typedef struct test {
    const char *fathom;       // path of the program
    char root[PATH_SIZE];     // folder that contains the following
    char work[PATH_SIZE];     // folder in which the command runs
    char expected[PATH_SIZE]; // copy of `work` after a command without faults
    char initial[PATH_SIZE];  // copy of `work` before the command
    char output[PATH_SIZE];   // file with the output of the program
    const scenario *scenario; // the one that is being tested
    int trials, failures;     // injected faults so far, and those that were not repaired
} test;

// Prints an error of the test itself and exits.
static void die(const char *what, const char *path)
{
    fprintf(stderr, "kill_points: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

// Callback of nftw: removes a file or an empty directory.
static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)about, (void)kind, (void)ftw;
    return remove(path);
}

// Removes a directory with all its contents, if it exists.
static void remove_tree(const char *path)
{
    enum { OPEN_DIRECTORIES = 16 }; // at most, at a time
    if (nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        die("cannot remove", path);
}

// Reads a regular file; NULL: there is none. The caller frees the bytes.
static char *read_file(const char *path, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (file >= 0)
            close(file);
        return NULL;
    }
    char *bytes = malloc((size_t)about.st_size + 1);
    ssize_t got = bytes ? read(file, bytes, (size_t)about.st_size) : -1;
    close(file);
    if (got != about.st_size)
        die("cannot read", path);
    bytes[got] = 0;
    *size = (size_t)got;
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0)
        die("cannot write", path);
}

// Lists a directory, sorted by name, without "." and "..". Returns the number of entries.
static int list_directory(const char *path, struct dirent ***entries)
{
    int count = scandir(path, entries, NULL, alphasort), kept = 0;
    for (int i = 0; i < count; i++) {
        const char *name = (*entries)[i]->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            free((*entries)[i]);
        else
            (*entries)[kept++] = (*entries)[i];
    }
    if (count < 0)
        die("cannot list", path);
    return kept;
}

static bool is_directory(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// Copies a directory with all its contents to a path that does not exist yet.
static void copy_tree(const char *from, const char *to)
{
    struct dirent **entries;
    int count = list_directory(from, &entries);
    if (mkdir(to, 0777) != 0)
        die("cannot make", to);
    for (int i = 0; i < count; i++) {
        char a[2 * PATH_SIZE], b[2 * PATH_SIZE];
        size_t size;
        snprintf(a, sizeof a, "%s/%s", from, entries[i]->d_name);
        snprintf(b, sizeof b, "%s/%s", to, entries[i]->d_name);
        if (is_directory(a)) {
            copy_tree(a, b);
        } else {
            char *bytes = read_file(a, &size);
            if (!bytes)
                die("cannot read", a);
            write_file(b, bytes, size);
            free(bytes);
        }
        free(entries[i]);
    }
    free(entries);
}

// True when both files exist and have the same bytes.
static bool same_bytes(const char *a, const char *b)
{
    size_t one = 0, other = 0;
    char *x = read_file(a, &one), *y = read_file(b, &other);
    bool same = x && y && one == other && memcmp(x, y, one) == 0;
    free(x);
    free(y);
    return same;
}

// True when two directories have the same files with the same bytes, except timings.csv. Prints the
// first difference unless `silent`.
static bool same_trees(const char *a, const char *b, bool silent)
{
    struct dirent **x, **y;
    int n = list_directory(a, &x), m = list_directory(b, &y);
    bool same = true;
    for (int i = 0; i < n || i < m; i++) {
        const char *one = i < n ? x[i]->d_name : "", *other = i < m ? y[i]->d_name : "";
        char p[2 * PATH_SIZE], q[2 * PATH_SIZE];
        snprintf(p, sizeof p, "%s/%s", a, one);
        snprintf(q, sizeof q, "%s/%s", b, other);
        if (same && strcmp(one, other) != 0) {
            same = false;
            if (!silent)
                fprintf(stderr, "  %s has \"%s\" where \"%s\" should be\n", a, one, other);
        } else if (same && is_directory(p)) {
            same = is_directory(q) && same_trees(p, q, silent);
        } else if (same && strcmp(one, "timings.csv") != 0 && !same_bytes(p, q)) {
            same = false;
            if (!silent)
                fprintf(stderr, "  %s has other bytes\n", p);
        }
    }
    for (int i = 0; i < n; i++)
        free(x[i]);
    for (int i = 0; i < m; i++)
        free(y[i]);
    free(x);
    free(y);
    return same;
}

// True for files that fathom writes at once and does not change afterwards, by their names.
static bool is_written_once(const char *name)
{
    static const char *const endings[] = {".vtp", ".state", ".obj",  ".pc2",      ".mdd",
                                          ".ply", ".glb",   ".usda", "towel.csv", "setting.json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length >= ending && strcmp(name + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

// Checks that each file in `work` that is written once has either its contents in `initial` or
// those in `expected`. Files that are not in `expected`, such as old checkpoints, are not checked.
static bool all_complete(const char *work, const char *initial, const char *expected)
{
    struct dirent **entries;
    int count = list_directory(work, &entries);
    bool complete = true;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char t[2 * PATH_SIZE], old[2 * PATH_SIZE], new[2 * PATH_SIZE];
        snprintf(t, sizeof t, "%s/%s", work, name);
        snprintf(old, sizeof old, "%s/%s", initial, name);
        snprintf(new, sizeof new, "%s/%s", expected, name);
        if (is_directory(t)) {
            complete = all_complete(t, old, new) && complete;
        } else if (is_written_once(name) && access(new, F_OK) == 0 && !same_bytes(t, old) &&
                   !same_bytes(t, new)) {
            fprintf(stderr, "  %s is incomplete\n", t);
            complete = false;
        }
        free(entries[i]);
    }
    free(entries);
    return complete;
}

// Runs fathom with the arguments in `command` and a fault at call number `fault_call`. calls:
// receives the number of calls; injected: whether the fault was injected; both may be NULL. Returns
// the exit code.
static int run_command(test *t, const char *command, fault_kind fault, int fault_call, int *calls,
                       int *injected)
{
    char text[512];
    const char *words[WORDS_MAX] = {t->fathom};
    int count = 1;
    bool simulates = strncmp(command, "run", 3) == 0;
    snprintf(text, sizeof text, "%s%s", command, simulates ? " --quiet --threads 1" : "");
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word && count < WORDS_MAX - 1;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    int code = fault == FAULT_NONE && !calls
                   ? run_untraced(t->work, words, t->output)
                   : run_with_fault(t->work, words, t->output, fault, fault_call, calls, injected);
    if (code == -1 || code == 126 || code == 127) { // fathom was not started
        fprintf(stderr, "kill_points: cannot trace %s (is ptrace allowed here?)\n", t->fathom);
        exit(1);
    }
    return code;
}

// Prints the failure, `what`, to which the fault at call number `fault_call` led, and the output of
// the program.
static void fail(test *t, fault_kind fault, int fault_call, const char *what)
{
    // in the order of fault_kind
    static const char *const faults[] = {"none", "kill", "torn", "stop", "EIO", "full"};
    size_t size = 0;
    char *output = read_file(t->output, &size);
    fprintf(stderr, "%s, %s at call %d: %s: %s\n", t->scenario->name, faults[fault], fault_call,
            what, output ? output : "");
    free(output);
    t->failures++;
}

// True when the output of the program contains an error message.
static bool has_message(const test *t)
{
    size_t size = 0;
    char *output = read_file(t->output, &size);
    bool found = output && strstr(output, "fathom: ");
    free(output);
    return found;
}

// Repairs the directory after a fault at call number `fault_call`, as a user would, and compares
// the result with that of a command without faults. repair_kill > 0: the repair command is killed
// at that call once, and then repeated.
static void repair(test *t, fault_kind fault, int fault_call, int repair_kill)
{
    const scenario *s = t->scenario;
    char run_json[2 * PATH_SIZE];
    snprintf(run_json, sizeof run_json, "%s/out/run.json", t->work);
    // After Ctrl-C and failed calls the program has told the user to use --resume (the fallback),
    // so that comes first. A branch without run.json does not know from which run it starts.
    bool resume_first = s->fallback_repair && fault >= FAULT_STOP &&
                        (!strstr(s->command, "--from") || access(run_json, F_OK) == 0);
    const char *command = resume_first ? s->fallback_repair : s->repair;
    if (repair_kill > 0)
        run_command(t, command, FAULT_KILL, repair_kill, NULL, NULL);
    int code = run_command(t, command, FAULT_NONE, 0, NULL, NULL);
    if (code == 1 && s->fallback_repair && !resume_first)
        code = run_command(t, s->fallback_repair, FAULT_NONE, 0, NULL, NULL);
    if (code != 0)
        fail(t, fault, fault_call, "the repair command fails");
    else if (!same_trees(t->work, t->expected, false))
        fail(t, fault, fault_call, "the repaired directory differs");
}

// Runs the command with one fault at one call, checks exit code, message and directory, and repairs
// the directory. repair_kill: as in repair.
static void try_fault(test *t, fault_kind fault, int fault_call, int repair_kill)
{
    int injected = 0;
    remove_tree(t->work);
    copy_tree(t->initial, t->work);
    int code = run_command(t, t->scenario->command, fault, fault_call, NULL, &injected);
    if (!injected)
        return;
    t->trials++;
    bool failing = fault == FAULT_EIO || fault == FAULT_FULL;
    int expected = fault == FAULT_STOP ? 0 : failing ? 3 : 128 + SIGKILL; // exit code
    if (failing && code == 0 && same_trees(t->work, t->expected, true))
        return; // the failed call did not matter
    if (code != expected)
        fail(t, fault, fault_call, "unexpected exit code");
    else if (failing && !has_message(t))
        fail(t, fault, fault_call, "no message");
    else if (!all_complete(t->work, t->initial, t->expected))
        fail(t, fault, fault_call, "an incomplete file");
    else
        repair(t, fault, fault_call, repair_kill);
}

// Prepares the folders `initial`, with files that do not belong to the run, and `expected`. Returns
// the number of traced calls of the command.
static int prepare(test *t)
{
    char path[2 * PATH_SIZE];
    int calls;
    remove_tree(t->work);
    remove_tree(t->initial);
    remove_tree(t->expected);
    mkdir(t->work, 0777);
    snprintf(path, sizeof path, "%s/small.yaml", t->work);
    write_file(path, small_scene, strlen(small_scene));
    snprintf(path, sizeof path, "%s/other.yaml", t->work);
    write_file(path, other_scene, strlen(other_scene));
    snprintf(path, sizeof path, "%s/block.obj", t->work);
    write_file(path, block, strlen(block));
    for (int i = 0; i < 3 && t->scenario->setup[i]; i++)
        if (run_command(t, t->scenario->setup[i], FAULT_NONE, 0, NULL, NULL) != 0)
            fail(t, FAULT_NONE, 0, "a preparing command fails");
    static const char *const foreign[] = {"out/notes.tmp-1", "out/frames/mine.vtp",
                                          "out/checkpoints/mine.state", "out/frames/towel.obj"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", t->work, foreign[i]);
        *strrchr(path, '/') = 0;
        bool exists = is_directory(path);
        path[strlen(path)] = '/';
        if (exists)
            write_file(path, "not of the run\n", 15);
    }
    copy_tree(t->work, t->initial);
    if (run_command(t, t->scenario->command, FAULT_NONE, 0, &calls, NULL) != 0)
        fail(t, FAULT_NONE, 0, "the command fails without a fault");
    if (calls < 10) // each command makes more; otherwise the tracer does not work
        fail(t, FAULT_NONE, 0, "fewer than 10 calls were traced");
    if (rename(t->work, t->expected) != 0)
        die("cannot rename", t->work);
    return calls;
}

// Injects every kind of fault at the calls of one scenario's command. stride: STRIDE, see the head
// of this file. After five failures the rest is left out.
static void test_scenario(test *t, int stride)
{
    enum { MAX_FAILURES = 5 };
    int calls = prepare(t), first_trial = t->trials;
    bool exports = strncmp(t->scenario->command, "export", 6) == 0;
    for (int fault = FAULT_KILL; fault < FAULT_COUNT && t->failures == 0; fault++) {
        int step = fault == FAULT_KILL ? 1 : stride;
        if (fault == FAULT_STOP && exports)
            continue; // exports do not handle Ctrl-C
        for (int fault_call = 1 + fault % step; fault_call <= calls && t->failures < MAX_FAILURES;
             fault_call += step)
            try_fault(t, (fault_kind)fault, fault_call, 0);
    }
    // killed, and killed again during the repair, at a call that depends on the first one
    for (int fault_call = 1; fault_call <= calls && t->failures < MAX_FAILURES;
         fault_call += stride)
        try_fault(t, FAULT_KILL, fault_call, 1 + fault_call * 7 % (calls < 40 ? calls : 40));
    printf("%-20s %3d calls, %4d trials\n", t->scenario->name, calls, t->trials - first_trial);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static test t;
    char program[PATH_SIZE];
    int stride = argc > 2 ? atoi(argv[2]) : 1;
    // works in a folder in memory (/dev/shm) if possible, where fsync is fast
    const char *places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    for (int i = 0; i < 3 && !t.root[0]; i++) {
        snprintf(t.root, sizeof t.root, "%s/kill-points-XXXXXX", places[i] ? places[i] : "");
        if (!places[i] || !mkdtemp(t.root))
            t.root[0] = 0;
    }
    if (argc < 2 || stride < 1 || !t.root[0] || !realpath(argv[1], program)) {
        fprintf(stderr, "usage: kill_points FATHOM [STRIDE [CASE]]\n");
        return 1;
    }
    if (access("/proc/self/fd", R_OK) != 0) // the tracer finds the paths of descriptors there
        die("cannot read", "/proc/self/fd");
    t.fathom = program;
    snprintf(t.work, sizeof t.work, "%.900s/work", t.root);
    snprintf(t.expected, sizeof t.expected, "%.900s/expected", t.root);
    snprintf(t.initial, sizeof t.initial, "%.900s/initial", t.root);
    snprintf(t.output, sizeof t.output, "%.900s/output", t.root);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (argc > 3 && strcmp(argv[3], scenarios[i].name) != 0)
            continue;
        t.scenario = &scenarios[i];
        test_scenario(&t, stride);
    }
    printf("%d trials, %d failed\n", t.trials, t.failures);
    remove_tree(t.root);
    return t.failures > 0;
}
