// SPDX-License-Identifier: MIT
// interrupt.c: handles Ctrl-C (SIGINT) and SIGTERM. The current frame is finished if that takes at
// most STOP_DELAY_MS, otherwise it is cancelled.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

// Number of signals so far, and the time of the first one, ms. A signal handler may only write to
// variables of this type.
static volatile sig_atomic_t stop_requests;
static volatile sig_atomic_t first_stop_ms;

enum { CLOCK_PERIOD_MS = 1000000000 }; // after this time the clock of this file starts again at 0

// Milliseconds, modulo CLOCK_PERIOD_MS so that they fit into an int.
static int read_clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)((t.tv_sec % (CLOCK_PERIOD_MS / 1000)) * 1000 + t.tv_nsec / 1000000);
}

// Counts signals and notes the time of the first. The second signal cancels the current frame; the
// third has its default effect and ends the process.
static void handle_signal(int signal_number)
{
    if (stop_requests == 0)
        first_stop_ms = read_clock_ms();
    stop_requests = stop_requests + 1;
    if (stop_requests > 1)
        signal(signal_number, SIG_DFL);
}

// Catches SIGINT and SIGTERM, and turns broken pipes and the file size limit into write errors.
void install_signal_handlers(void)
{
    struct sigaction action = {.sa_handler = handle_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // exceeding the file size limit becomes a write error
}

// True when the current frame must be cancelled: after a second signal, or STOP_DELAY_MS after the
// first. fm_world_set_stop calls it between substeps.
bool must_stop_now(void *context)
{
    (void)context;
    if (stop_requests == 0)
        return false;
    int waited = (read_clock_ms() - (int)first_stop_ms + CLOCK_PERIOD_MS) % CLOCK_PERIOD_MS;
    return stop_requests > 1 || waited > STOP_DELAY_MS;
}

// True after the first signal: no further frame is started.
bool stop_requested(void)
{
    return stop_requests != 0;
}
