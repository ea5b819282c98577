// SPDX-License-Identifier: MIT
// tracer.c: runs a program under ptrace and injects a fault at its n-th call that changes files.
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

// The system calls that are traced: those that change files.
static const struct call {
    long number;
    int path;        // index of the argument that is a path; -1: none
    int file;        // index of the argument that is a file descriptor; -1: none
    int needs_space; // 1: the call fails on a full disk
} traced_calls[] = {
    {SYS_open, 0, -1, 0},      {SYS_openat, 1, -1, 0},    {SYS_creat, 0, -1, 1},
    {SYS_write, -1, 0, 1},     {SYS_pwrite64, -1, 0, 1},  {SYS_writev, -1, 0, 1},
    {SYS_close, -1, 0, 0},     {SYS_rename, 0, -1, 1},    {SYS_renameat, 1, -1, 1},
    {SYS_renameat2, 1, -1, 1}, {SYS_unlink, 0, -1, 0},    {SYS_unlinkat, 1, -1, 0},
    {SYS_rmdir, 0, -1, 0},     {SYS_mkdir, 0, -1, 1},     {SYS_mkdirat, 1, -1, 1},
    {SYS_truncate, 0, -1, 0},  {SYS_ftruncate, -1, 0, 0}, {SYS_fsync, -1, 0, 1},
    {SYS_fdatasync, -1, 0, 1},
};

enum { CALLS = sizeof traced_calls / sizeof *traced_calls };

// The entry of a system call; NULL: it is not traced.
static const struct call *find_call(long number)
{
    for (int i = 0; i < CALLS; i++)
        if (traced_calls[i].number == number)
            return &traced_calls[i];
    return NULL;
}

// Argument i (0 to 2) of a system call, from the registers of the traced thread (x86-64).
static unsigned long long get_argument(const struct user_regs_struct *r, int i)
{
    return i == 0 ? r->rdi : i == 1 ? r->rsi : r->rdx;
}

// Reads a string from the memory of the traced process.
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

// True when the call is about a path or file inside the directory. r: registers of the thread. The
// program starts in the directory, so relative paths are inside.
static int is_inside(pid_t child, const struct call *call, const struct user_regs_struct *r,
                     const char *directory)
{
    char path[4096] = "", link[64];
    if (call->path >= 0) {
        read_path(child, get_argument(r, call->path), path, sizeof path);
    } else {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)child, (int)get_argument(r, call->file));
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        if (length <= 0)
            return 0;
    }
    size_t length = strlen(directory);
    return path[0] != '/' || (strncmp(path, directory, length) == 0 && path[length] == '/');
}

// Changes to the directory and redirects stdout and stderr to the file `output`.
static int enter_directory(const char *directory, const char *output)
{
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int good = out >= 0 && chdir(directory) == 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
    if (out >= 0)
        close(out);
    return good;
}

// In the child process: installs a seccomp filter that stops at the traced calls, and runs argv.
// Exits with 126 when that is impossible and with 127 when there is no such program, as shells do.
static void start_program(const char *directory, const char *const *argv, const char *output)
{
    struct sock_filter filter[2 * CALLS + 2];
    unsigned short count = 0;
    filter[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++) {
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                       (unsigned)traced_calls[i].number, 0, 1);
        filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, filter};
    if (!enter_directory(directory, output) || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(126);
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(126);
    execv(argv[0], (char **)(uintptr_t)argv);
    _exit(127);
}

// A traced run of the program.
typedef struct session {
    const char *directory; // calls on files outside of it are ignored
    fault_kind fault;
    int fault_call; // number of the call at which the fault is injected, from 1
    int call_count; // calls so far
    int injected;   // 1: the fault was injected
    pid_t program;  // process id
} session;

// Lets a stopped thread execute its call and waits for the end of the call; 0: the thread has
// ended.
static int finish_call(pid_t child)
{
    int status;
    return ptrace(PTRACE_SYSCALL, child, NULL, NULL) == 0 &&
           waitpid(child, &status, __WALL) == child && WIFSTOPPED(status);
}

// Makes the call fail with the error number `error`: the registers rax and orig_rax hold the result
// and the number of the call.
static void fail_call(pid_t child, const struct call *call, struct user_regs_struct *r, int error)
{
    if (call->number == SYS_close) { // close() releases the descriptor also when it fails
        if (!finish_call(child))
            return;
        ptrace(PTRACE_GETREGS, child, NULL, r);
    } else {
        r->orig_rax = (unsigned long long)-1; // skips the call
    }
    r->rax = (unsigned long long)-(long long)error;
    ptrace(PTRACE_SETREGS, child, NULL, r);
}

// Executes half of a write and kills the program. Other calls are left alone. rdx: the size.
static void tear_write(session *s, pid_t child, const struct call *call, struct user_regs_struct *r)
{
    if (call->number != SYS_write || r->rdx < 2)
        return;
    r->rdx /= 2;
    ptrace(PTRACE_SETREGS, child, NULL, r);
    finish_call(child);
    kill(s->program, SIGKILL);
    s->injected = 1;
}

// Called when a thread is about to execute one of the traced calls: counts it and injects the fault
// if it is its turn.
static void handle_call(session *s, pid_t child)
{
    struct user_regs_struct r;
    ptrace(PTRACE_GETREGS, child, NULL, &r);
    const struct call *call = find_call((long)r.orig_rax);
    if (!call || !is_inside(child, call, &r, s->directory))
        return;
    int number = ++s->call_count;
    int creates = (call->number == SYS_openat && r.rdx & O_CREAT) ||
                  (call->number == SYS_open && r.rsi & O_CREAT);
    if (s->fault == FAULT_FULL && number >= s->fault_call && (call->needs_space || creates)) {
        fail_call(child, call, &r, ENOSPC);
        s->injected = 1;
    }
    if (number != s->fault_call)
        return;
    if (s->fault == FAULT_KILL || s->fault == FAULT_STOP) {
        kill(s->program, s->fault == FAULT_KILL ? SIGKILL : SIGINT);
        s->injected = 1;
    } else if (s->fault == FAULT_TORN) {
        tear_write(s, child, call, &r);
    } else if (s->fault == FAULT_EIO) {
        fail_call(child, call, &r, EIO);
        s->injected = 1;
    }
}

// Handles stops of the traced threads until the program ends. Returns its exit code, 128 + signal
// when a signal ended it.
static int follow_program(session *s)
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
        int signal_number = WSTOPSIG(status);
        if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8)))
            handle_call(s, child);
        if (signal_number == SIGTRAP || signal_number == SIGSTOP)
            signal_number = 0; // a stop of ptrace; the program must not receive it
        ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)signal_number);
    }
}

int run_untraced(const char *directory, const char *const *argv, const char *output)
{
    int status;
    pid_t program = fork();
    if (program == 0) {
        if (enter_directory(directory, output))
            execv(argv[0], (char **)(uintptr_t)argv);
        _exit(127);
    }
    if (program < 0 || waitpid(program, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_with_fault(const char *directory, const char *const *argv, const char *output,
                   fault_kind fault, int fault_call, int *calls, int *injected)
{
    session s = {.directory = directory, .fault = fault, .fault_call = fault_call};
    int status;
    s.program = fork();
    if (s.program == 0)
        start_program(directory, argv, output);
    if (s.program < 0 || waitpid(s.program, &status, 0) < 0 || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, s.program, NULL,
               (void *)(uintptr_t)(PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL |
                                   PTRACE_O_TRACECLONE)) != 0)
        return -1;
    ptrace(PTRACE_CONT, s.program, NULL, NULL);
    int code = follow_program(&s);
    if (calls)
        *calls = s.call_count;
    if (injected)
        *injected = s.injected;
    return code;
}
