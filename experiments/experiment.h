// SPDX-License-Identifier: MIT
// experiment.h: shared parts of the experiments: arguments, output directory, tables, plots, and
// the list of measured numbers next to the published ones.
//
// An experiment runs as `NAME [--quick] [-o DIR]` and writes to DIR
//
//     result.json    a list of {"quantity", "paper", "measured", "unit"}, written last: it exists
//                    only if the experiment ran to its end
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
//         experiment_write_row(table, "%g,%g", t, y);
//         experiment_plot(e, "fall", "A stone falls", "plot 'fall.csv' using 1:2 with lines\n");
//         experiment_add_result(e, "time of fall", 1.43, t, "s");
//         return experiment_close(e);
//     }
//
// The first failure is kept: later calls do nothing, and experiment_close reports it.
#ifndef FATHOM_EXPERIMENT_H
#define FATHOM_EXPERIMENT_H

#include <fathom/error.h>
#include <fathom/object.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct experiment experiment;
typedef struct experiment_table experiment_table;

// Reads the arguments and creates the output directory (results/NAME unless -o is given) with its
// parents. NULL if there is nothing to run; main then returns `status`: 0 after --help, 1 for wrong
// arguments, 3 if the directory cannot be created.
experiment *experiment_open(int argc, char **argv, const char *name, const char *about,
                            int *status);

// Writes result.json, prints the first failure to stderr and frees everything. Returns the exit
// code: 0 success, 1 a bad value, 2 the simulation diverged, 3 input/output or out of memory.
int experiment_close(experiment *e);

bool experiment_quick(const experiment *e);            // --quick: a reduced run of a second or two
const char *experiment_directory(const experiment *e); // path of the output directory

// The error to pass to library calls, which store their first failure in it.
fm_error *experiment_error(experiment *e);
bool experiment_failed(const experiment *e);
// Stores a failure of the experiment itself, unless there was one before.
__attribute__((format(printf, 3, 4))) void experiment_fail(experiment *e, fm_status status,
                                                           const char *format, ...);

// Returns zeroed memory that is freed by experiment_close. NULL, with the failure stored, if out of
// memory.
void *experiment_alloc(experiment *e, size_t count, size_t size);

// Opens a CSV file in the output directory. columns: their names, with units: "time_s,height_m".
// Rows of a table that could not be created, or is NULL, are ignored. experiment_close closes the
// file.
experiment_table *experiment_table_open(experiment *e, const char *file, const char *columns);
__attribute__((format(printf, 2, 3))) void experiment_write_row(experiment_table *table,
                                                                const char *format, ...);
// Writes one row, with as many numbers as there are columns. NAN leaves the cell empty.
void experiment_write_numbers(experiment_table *table, const double *values);

// Stores one measured number for result.json and prints it. paper: the published value, NAN if
// there is none; unit: "" for dimensionless numbers.
void experiment_add_result(experiment *e, const char *quantity, double paper, double measured,
                           const char *unit);
// The same as experiment_add_result, with the name of the quantity formatted as by printf.
__attribute__((format(printf, 5, 6))) void experiment_add_named_result(experiment *e, double paper,
                                                                       double measured,
                                                                       const char *unit,
                                                                       const char *format, ...);

// Writes the gnuplot script NAME.gp and runs gnuplot to draw NAME.png (1200 x 800). A preamble sets
// terminal, output, separator, title, grid and line styles 1 to 8 (colours that colour-blind
// readers can tell apart; 8 is black and dashed) and defines the strings `name` and `heading`. The
// script refers to tables by their file names. Without gnuplot the script is kept and the
// experiment goes on.
void experiment_plot(experiment *e, const char *name, const char *heading, const char *script);

// Reads a clock, s: the CPU time of this process, or wall time.
double experiment_read_clock(bool cpu_time);
// The present value of a quantity of an object, a column of stats.csv, such as "load_z" of a cloth.
double experiment_find_quantity(experiment *e, fm_object *object, const char *name);
// The median of the values; the upper one of two if count is even.
double experiment_median(const double *values, int count); // count: at most 64

#endif
