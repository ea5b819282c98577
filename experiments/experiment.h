// SPDX-License-Identifier: MIT
// experiment.h: what every experiment does besides its physics: arguments, a directory, tables,
// plots, and the list of measured numbers beside the published ones.
//
// An experiment runs as `NAME [--quick] [-o DIR]` and leaves in DIR
//
//     result.json    a list of {"quantity", "paper", "measured", "unit"}, written last: it is there
//                    only when the experiment ran to its end
//     *.csv          tables, one line of column names first
//     *.gp, *.png    gnuplot scripts and their pictures; `gnuplot NAME.gp` in DIR redraws one
//
//     int main(int argc, char **argv)
//     {
//         int status;
//         experiment *e = experiment_open(argc, argv, "free-fall", "A stone, timed.", &status);
//         if (!e)
//             return status;
//         experiment_table *table = experiment_table_open(e, "fall.csv", "time_s,height_m");
//         experiment_row(table, "%g,%g", t, y);
//         experiment_plot(e, "fall", "A stone falls", "plot 'fall.csv' using 1:2 with lines\n");
//         experiment_result(e, "time of fall", 1.43, t, "s");
//         return experiment_close(e);
//     }
//
// The first failure sticks: calls after it do nothing, and experiment_close says what it was.
#ifndef FATHOM_EXPERIMENT_H
#define FATHOM_EXPERIMENT_H

#include <fathom/error.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct experiment experiment;
typedef struct experiment_table experiment_table;

// Reads the arguments and makes the directory (results/NAME unless -o is given), with its parents.
// NULL when there is nothing to run; `status` is then what main returns: 0 after --help, 1 for
// wrong arguments, 3 when the directory cannot be made.
experiment *experiment_open(int argc, char **argv, const char *name, const char *about,
                            int *status);

// Writes result.json, frees everything, complains about the first failure. Returns what main
// returns: 0 good, 1 a bad value, 2 the numbers diverged, 3 input/output or no memory.
int experiment_close(experiment *e);

bool experiment_quick(const experiment *e); // --quick: a reduced run of a second or two
const char *experiment_directory(const experiment *e);

// For calls of the library, which keep the first failure in it.
fm_error *experiment_error(experiment *e);
bool experiment_failed(const experiment *e);
// A failure of the experiment's own, unless there was one before.
__attribute__((format(printf, 3, 4))) void experiment_fail(experiment *e, fm_status status,
                                                           const char *format, ...);

// Zeroed memory that lives until experiment_close. NULL, with the failure kept, when there is none.
void *experiment_alloc(experiment *e, size_t count, size_t size);

// A CSV file in the directory. `columns` are its names, with units: "time_s,height_m". Rows of a
// table that could not be made, or is NULL, go nowhere. Closed with the experiment.
experiment_table *experiment_table_open(experiment *e, const char *file, const char *columns);
__attribute__((format(printf, 2, 3))) void experiment_row(experiment_table *table,
                                                          const char *format, ...);
// One row of numbers, as many as there are columns. NAN leaves the cell empty.
void experiment_numbers(experiment_table *table, const double *values);

// Keeps one measured number for result.json and prints it. `paper` is the published one, NAN when
// there is none. `unit` is "" for plain numbers.
void experiment_result(experiment *e, const char *quantity, double paper, double measured,
                       const char *unit);
// The same with a quantity put together from numbers.
__attribute__((format(printf, 5, 6))) void experiment_result_of(experiment *e, double paper,
                                                                double measured, const char *unit,
                                                                const char *format, ...);

// Writes NAME.gp and has gnuplot make NAME.png (1200 x 800) of it. The script runs after lines that
// set terminal, output, separator, title, grid and line styles 1 to 8 (colours that colour-blind
// readers can tell apart; 8 is black and dashed). It finds tables by their file names, and the
// strings `name` and `heading`. Without gnuplot the script is kept and the experiment goes on.
void experiment_plot(experiment *e, const char *name, const char *heading, const char *script);

// What a clock shows, s: of this process's work alone, or of the wall.
double experiment_seconds(bool of_process);
double experiment_median(const double *values, int count); // of at most 64

#endif
