// SPDX-License-Identifier: MIT
// tracer.h: runs a program and injects a fault at its n-th call that changes files.
//
// Calls are caught in the kernel (ptrace with a seccomp filter), so that calls inside the C library
// (stdio, opendir) and in other threads are not missed. The calls are open, creat, write, pwrite,
// writev, close, rename, unlink, rmdir, mkdir, truncate and fsync with their variants, on paths and
// files inside the directory in which the program is started.
#ifndef FATHOM_TESTS_TRACER_H
#define FATHOM_TESTS_TRACER_H

// The fault that is injected.
typedef enum fault_kind {
    FAULT_NONE,  // calls are counted only
    FAULT_KILL,  // SIGKILL before the call
    FAULT_TORN,  // half of a write, then SIGKILL; no fault at other calls
    FAULT_STOP,  // SIGINT, as from Ctrl-C, before the call
    FAULT_EIO,   // the call fails with EIO
    FAULT_FULL,  // the call and all later ones that need disk space fail with ENOSPC
    FAULT_COUNT, // number of kinds
} fault_kind;

// Runs argv, with argv[0] the path of the program, in `directory`; stdout and stderr go to the file
// `output`. fault_call: number of the call, from 1, at which the fault is injected. Returns the
// exit code, 128 + signal when a signal ended the program, -1 when tracing is not possible. calls:
// receives the number of calls; injected: whether the fault was injected; both may be NULL.
int run_with_fault(const char *directory, const char *const *argv, const char *output,
                   fault_kind fault, int fault_call, int *calls, int *injected);
// Runs the program without tracing it.
int run_untraced(const char *directory, const char *const *argv, const char *output);

#endif
