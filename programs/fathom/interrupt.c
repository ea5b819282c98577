// SPDX-License-Identifier: MIT
// interrupt.c: Ctrl-C. The frame in hand is finished if it is soon done, and stopped inside if not.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

// Set by Ctrl-C; a handler can reach nothing else.
static volatile sig_atomic_t stop_requests;
static volatile sig_atomic_t stop_moment; // of the first, see read_moment

enum { MOMENTS = 1000000000 };

static int read_moment(void) // ms, from 0 to MOMENTS
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)((t.tv_sec % (MOMENTS / 1000)) * 1000 + t.tv_nsec / 1000000);
}

static void request_stop(int signal_number)
{
    if (stop_requests == 0)
        stop_moment = read_moment();
    stop_requests = stop_requests + 1;
    if (stop_requests > 1) // a third one ends it at once
        signal(signal_number, SIG_DFL);
}

void catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a write error
}

bool must_stop_now(void *context)
{
    (void)context;
    if (stop_requests == 0)
        return false;
    int waited = (read_moment() - (int)stop_moment + MOMENTS) % MOMENTS;
    return stop_requests > 1 || waited > PATIENCE_MS;
}

bool stopped(void)
{
    return stop_requests != 0;
}
