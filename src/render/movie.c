// SPDX-License-Identifier: MIT
// movie.c: encodes pictures as a movie with the program ffmpeg.
//
// ffmpeg reads raw pixels from a socket: if it dies, send() returns an error and no SIGPIPE is
// raised. Its messages go to a temporary file. It writes the movie to a temporary path, which is
// renamed when the movie is complete.
#include "io/io.h"
#include "render/render.h"

#include <assert.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS_MAX = 40 }; // of the ffmpeg command

struct fm_movie {
    char *path, *temporary; // of the movie, and of the file that ffmpeg writes
    int width, height;      // pixels
    int socket;             // socket that sends frames to ffmpeg; -1 when closed
    int file;               // the temporary file, held open for its lock; -1 when closed
    pid_t child;            // the ffmpeg process
    FILE *messages;         // ffmpeg's stderr
    bool failed;            // ffmpeg stopped accepting frames
};

// ffmpeg's arguments for each file format.
typedef struct format {
    const char *ending;        // of file names
    const char *arguments[14]; // ends with NULL
} format;

// ffmpeg filter: converts to YUV and pads to even width and height, which H.264 needs.
#define EVEN_SIZE_FILTER                                                                           \
    "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"
static const format formats[] = {
    {"mp4",
     {"-vf", EVEN_SIZE_FILTER, "-c:v", "libx264", "-crf", "18", "-preset", "medium", "-movflags",
      "+faststart", "-f", "mp4"}},
    {"mkv",
     {"-vf", EVEN_SIZE_FILTER, "-c:v", "libx264", "-crf", "18", "-preset", "medium", "-f",
      "matroska"}},
    {"webm",
     {"-vf", EVEN_SIZE_FILTER, "-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-f", "webm"}},
    {"gif",
     {"-filter_complex", "[0:v]split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=sierra2_4a",
      "-f", "gif"}},
    {"webp", {"-c:v", "libwebp", "-loop", "0", "-q:v", "80", "-f", "webp"}},
};

// The format that belongs to the extension of a path; NULL: none.
static const format *find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot + 1, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

bool fm_movie_is_path(const char *path)
{
    return find_format(path) != NULL;
}

// Starts ffmpeg, which reads raw frames from input_socket and writes the temporary file.
static bool start_ffmpeg(fm_movie *movie, const format *f, double fps, int input_socket,
                         fm_error *err)
{
    char size[32], rate[32];
    const char *arguments[ARGUMENTS_MAX] = {
        "ffmpeg",   "-hide_banner", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo",
        "-pix_fmt", "rgb24",        "-s",       size,        "-r",    rate, "-i", "pipe:0"};
    int count = 16;
    snprintf(size, sizeof size, "%dx%d", movie->width, movie->height);
    fm_text_format(rate, sizeof rate, "%.6g", fps);
    for (int i = 0; f->arguments[i]; i++)
        arguments[count++] = f->arguments[i];
    arguments[count++] = "-fflags";
    arguments[count++] = "+bitexact";
    arguments[count++] = movie->temporary;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0); // O_WRONLY
    posix_spawn_file_actions_adddup2(&actions, fileno(movie->messages), STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, movie->socket);
    int failure =
        posix_spawnp(&movie->child, "ffmpeg", &actions, NULL, (char **)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == ENOENT)
        return fm_fail_content(err, FM_INPUT_OUTPUT, movie->path, "ffmpeg",
                               "the program is not installed; it makes movies (scripts/setup "
                               "installs it), pictures need none");
    return failure == 0 || fm_fail_file(err, "ffmpeg", "run", failure);
}

// Closes files and frees memory; does not wait for ffmpeg.
static void destroy_movie(fm_movie *movie)
{
    if (movie->socket >= 0)
        close(movie->socket);
    if (movie->file >= 0)
        close(movie->file);
    if (movie->messages)
        fclose(movie->messages);
    free(movie->path);
    free(movie->temporary);
    free(movie);
}

// Creates the temporary file before the first frame is rendered, so that an unwritable path is
// reported early. The file stays open, and so locked, while ffmpeg writes it.
static bool open_temporary(fm_movie *movie, fm_error *err)
{
    struct stat existing;
    if (lstat(movie->path, &existing) == 0 && S_ISLNK(existing.st_mode))
        return fm_fail_link(err, movie->path);
    movie->file = fm_file_open_unfinished(movie->temporary, err);
    return movie->file >= 0;
}

// Opens the temporary file and starts ffmpeg, connected by a socket.
static bool start_encoder(fm_movie *movie, const format *f, double fps, fm_error *err)
{
    int ends[2];
    if (!open_temporary(movie, err))
        return false;
    movie->messages = tmpfile();
    if (!movie->messages || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return fm_fail_file(err, movie->path, "write", errno);
    movie->socket = ends[0];
    bool good = start_ffmpeg(movie, f, fps, ends[1], err);
    close(ends[1]);
    return good;
}

// Opens a movie of width x height pixels and fps frames per second.
fm_movie *fm_movie_open(const char *path, int width, int height, double fps, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    const format *f = find_format(path);
    if (!f) {
        fm_fail(err, FM_BAD_VALUE, "movie", "path", path,
                "a name that ends in .mp4, .mkv, .webm, .gif or .webp");
        return NULL;
    }
    fm_movie *movie = calloc(1, sizeof *movie);
    size_t size = strlen(path) + 32;
    if (movie) {
        *movie = (fm_movie){malloc(size), malloc(size), width, height, -1, -1, -1, NULL, false};
        if (movie->path && movie->temporary) {
            snprintf(movie->path, size, "%s", path);
            snprintf(movie->temporary, size, "%s" FM_UNFINISHED_SUFFIX, path);
            if (start_encoder(movie, f, fps, err))
                return movie;
            if (movie->file >= 0)
                unlink(movie->temporary);
        }
        destroy_movie(movie);
    }
    if (err->status == FM_OK)
        fm_fail_no_memory(err, "movie", size);
    return NULL;
}

// Sends one frame to ffmpeg. False if ffmpeg has stopped; fm_movie_close then reports the reason.
bool fm_movie_add(fm_movie *movie, const fm_picture *picture, fm_error *err)
{
    assert(err->status != FM_OK || (movie && picture));
    if (err->status != FM_OK || movie->failed)
        return false;
    if (picture->width != movie->width || picture->height != movie->height)
        return fm_fail_number(err, "movie", "width of a frame", picture->width,
                              "the size the movie was opened with");
    const unsigned char *next = picture->pixels;
    size_t remaining = 3 * (size_t)picture->width * picture->height;
    while (remaining > 0) {
        ssize_t sent = send(movie->socket, next, remaining, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            movie->failed = true;
            return false;
        }
        next += sent;
        remaining -= (size_t)sent;
    }
    return true;
}

// Copies ffmpeg's last message.
static void read_last_message(FILE *messages, char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "it stopped without a message");
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0])
            snprintf(text, size, "%.*s", (int)size - 1, line);
    }
}

// Waits for ffmpeg and renames the finished file. After a failure, removes it and fills err with
// ffmpeg's message.
bool fm_movie_close(fm_movie *movie, fm_error *err)
{
    if (!movie)
        return false;
    int status = 0;
    close(movie->socket);
    movie->socket = -1;
    while (waitpid(movie->child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool good =
        err->status == FM_OK && !movie->failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good && err->status == FM_OK) {
        char message[180];
        read_last_message(movie->messages, message, sizeof message);
        fm_fail_content(err, FM_INPUT_OUTPUT, movie->path, "ffmpeg", "%s", message);
    }
    if (good && rename(movie->temporary, movie->path) != 0)
        good = fm_fail_file(err, movie->path, "write", errno);
    if (!good)
        unlink(movie->temporary);
    destroy_movie(movie);
    return good;
}
