// SPDX-License-Identifier: MIT
// exact.h: known answers, and orders of convergence.
#ifndef FATHOM_TESTS_EXACT_H
#define FATHOM_TESTS_EXACT_H

// I^(1-q) of t^p, cos(w t), sin(w t), e^-t at time t: what the memory must give when fed these
// rates. Power series; good to 1e-12 for w t up to about 7.
double exact_power(double q, double p, double t);
double exact_cos(double q, double w, double t);
double exact_sin(double q, double w, double t);
double exact_decay(double q, double t);

// Errors at steps h, h/2, h/4 ...: the slope of the least-squares line through (log h, log error).
double exact_order(const double *error, int count);

// Prints one line of a convergence study, and under `--plot DIR` adds it to DIR/NAME.csv.
void exact_open(int argc, char **argv, const char *name);
void exact_report(const char *series, double h, double error);
void exact_close(void); // under --plot, draws DIR/NAME.png with gnuplot

#endif
