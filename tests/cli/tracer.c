// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// The calls, and which of their arguments say what is touched; -1: none.
static const struct call {
    long number;
    int path, file; // argument that is a path, a descriptor
    int needs_room; // on a full disk it fails
} calls_known[] = {
    {SYS_open, 0, -1, 0},      {SYS_openat, 1, -1, 0},    {SYS_creat, 0, -1, 1},
    {SYS_write, -1, 0, 1},     {SYS_pwrite64, -1, 0, 1},  {SYS_writev, -1, 0, 1},
    {SYS_close, -1, 0, 0},     {SYS_rename, 0, -1, 1},    {SYS_renameat, 1, -1, 1},
    {SYS_renameat2, 1, -1, 1}, {SYS_unlink, 0, -1, 0},    {SYS_unlinkat, 1, -1, 0},
    {SYS_rmdir, 0, -1, 0},     {SYS_mkdir, 0, -1, 1},     {SYS_mkdirat, 1, -1, 1},
    {SYS_truncate, 0, -1, 0},  {SYS_ftruncate, -1, 0, 0}, {SYS_fsync, -1, 0, 1},
    {SYS_fdatasync, -1, 0, 1},
};

enum { KNOWN = sizeof calls_known / sizeof *calls_known };

static const struct call *find_call(long number)
{
    for (int i = 0; i < KNOWN; i++)
        if (calls_known[i].number == number)
            return &calls_known[i];
    return NULL;
}

static unsigned long long argument(const struct user_regs_struct *r, int i)
{
    return i == 0 ? r->rdi : i == 1 ? r->rsi : r->rdx;
}

static void read_path(pid_t child, unsigned long long address, char *path, size_t size)
{
    size_t length = 0;
    while (length + sizeof(long) < size) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, child, (void *)(uintptr_t)(address + length), NULL);
        if (errno)
            break;
        memcpy(path + length, &word, sizeof word);
        if (memchr(&word, 0, sizeof word))
            return;
        length += sizeof word;
    }
    path[length] = 0;
}

// Whether a call is about something inside the directory.
static int is_ours(pid_t child, const struct call *call, const struct user_regs_struct *r,
                   const char *directory)
{
    char path[4096] = "", link[64];
    if (call->path >= 0) {
        read_path(child, argument(r, call->path), path, sizeof path);
    } else {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)child, (int)argument(r, call->file));
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        if (length <= 0)
            return 0;
    }
    size_t length = strlen(directory);
    return path[0] != '/' || (strncmp(path, directory, length) == 0 && path[length] == '/');
}

static int enter(const char *directory, const char *output)
{
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int good = out >= 0 && chdir(directory) == 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
    if (out >= 0)
        close(out);
    return good;
}

static void start(const char *directory, const char *const *argv, const char *output)
{
    struct sock_filter filter[2 * KNOWN + 2];
    unsigned short count = 0;
    filter[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < KNOWN; i++) {
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                       (unsigned)calls_known[i].number, 0, 1);
        filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, filter};
    if (!enter(directory, output) || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(126);
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(126);
    execv(argv[0], (char **)(uintptr_t)argv);
    _exit(127);
}

typedef struct session {
    const char *directory;
    fault_kind fault;
    int at, count, hit;
    pid_t program;
} session;

// Lets the call of a stopped thread happen and waits for its end; 0 when the thread is gone.
static int finish_call(pid_t child)
{
    int status;
    return ptrace(PTRACE_SYSCALL, child, NULL, NULL) == 0 &&
           waitpid(child, &status, __WALL) == child && WIFSTOPPED(status);
}

static void fail_call(pid_t child, const struct call *call, struct user_regs_struct *r, int error)
{
    if (call->number == SYS_close) { // it is closed, and says that something was lost
        if (!finish_call(child))
            return;
        ptrace(PTRACE_GETREGS, child, NULL, r);
    } else {
        r->orig_rax = (unsigned long long)-1; // the call is left out
    }
    r->rax = (unsigned long long)-(long long)error;
    ptrace(PTRACE_SETREGS, child, NULL, r);
}

static void tear(session *s, pid_t child, const struct call *call, struct user_regs_struct *r)
{
    if (call->number != SYS_write || r->rdx < 2)
        return;
    r->rdx /= 2;
    ptrace(PTRACE_SETREGS, child, NULL, r);
    finish_call(child);
    kill(s->program, SIGKILL);
    s->hit = 1;
}

// A thread is about to make one of the calls.
static void meet_call(session *s, pid_t child)
{
    struct user_regs_struct r;
    ptrace(PTRACE_GETREGS, child, NULL, &r);
    const struct call *call = find_call((long)r.orig_rax);
    if (!call || !is_ours(child, call, &r, s->directory))
        return;
    int number = ++s->count;
    int creates = (call->number == SYS_openat && r.rdx & O_CREAT) ||
                  (call->number == SYS_open && r.rsi & O_CREAT);
    if (s->fault == FAULT_FULL && number >= s->at && (call->needs_room || creates)) {
        fail_call(child, call, &r, ENOSPC);
        s->hit = 1;
    }
    if (number != s->at)
        return;
    if (s->fault == FAULT_KILL || s->fault == FAULT_STOP) {
        kill(s->program, s->fault == FAULT_KILL ? SIGKILL : SIGINT);
        s->hit = 1;
    } else if (s->fault == FAULT_TORN) {
        tear(s, child, call, &r);
    } else if (s->fault == FAULT_EIO) {
        fail_call(child, call, &r, EIO);
        s->hit = 1;
    }
}

static int follow(session *s)
{
    int status;
    for (;;) {
        pid_t child = waitpid(-1, &status, __WALL);
        if (child < 0)
            return -1;
        if (!WIFSTOPPED(status)) {
            if (child != s->program)
                continue;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        int stop = WSTOPSIG(status);
        if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8)))
            meet_call(s, child);
        if (stop == SIGTRAP || stop == SIGSTOP)
            stop = 0;
        ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)stop);
    }
}

int run_alone(const char *directory, const char *const *argv, const char *output)
{
    int status;
    pid_t program = fork();
    if (program == 0) {
        if (enter(directory, output))
            execv(argv[0], (char **)(uintptr_t)argv);
        _exit(127);
    }
    if (program < 0 || waitpid(program, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int trace(const char *directory, const char *const *argv, const char *output, fault_kind fault,
          int at, int *calls, int *hit)
{
    session s = {.directory = directory, .fault = fault, .at = at};
    int status;
    s.program = fork();
    if (s.program == 0)
        start(directory, argv, output);
    if (s.program < 0 || waitpid(s.program, &status, 0) < 0 || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, s.program, NULL,
               (void *)(uintptr_t)(PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL |
                                   PTRACE_O_TRACECLONE)) != 0)
        return -1;
    ptrace(PTRACE_CONT, s.program, NULL, NULL);
    int code = follow(&s);
    if (calls)
        *calls = s.count;
    if (hit)
        *hit = s.hit;
    return code;
}
