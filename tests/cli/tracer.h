// SPDX-License-Identifier: MIT
// tracer.h: runs a program and does something to it at its n-th call that changes files.
//
// Calls are caught in the kernel (ptrace with a seccomp filter), so that none is missed: neither
// those inside the C library (stdio, opendir) nor those of other threads. They are open, creat,
// write, pwrite, writev, close, rename, unlink, rmdir, mkdir, truncate and fsync with their
// variants, on paths and files inside the directory where the program is started.
#ifndef FATHOM_TESTS_TRACER_H
#define FATHOM_TESTS_TRACER_H

typedef enum fault_kind {
    FAULT_NONE,  // only counted
    FAULT_KILL,  // SIGKILL before the call
    FAULT_TORN,  // a write does one half, then SIGKILL; other calls: nothing happens
    FAULT_STOP,  // SIGINT before the call, as Ctrl-C does
    FAULT_EIO,   // this call fails
    FAULT_FULL,  // this call and all after it that need room on the disk fail
    FAULT_COUNT, // how many there are
} fault_kind;

// Runs argv (argv[0] is the path of the program) inside `directory`, what it says in `output`.
// Gives the exit code, 128 + signal after a death, -1 when tracing is not possible. calls: how many
// there were; hit: whether the fault happened.
int trace(const char *directory, const char *const *argv, const char *output, fault_kind fault,
          int at, int *calls, int *hit);
// The same without watching it.
int run_alone(const char *directory, const char *const *argv, const char *output);

#endif
