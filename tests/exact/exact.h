// SPDX-License-Identifier: MIT
// exact.h: exact fractional derivatives of test signals, and convergence studies.
#ifndef FATHOM_TESTS_EXACT_H
#define FATHOM_TESTS_EXACT_H

// The fractional integrals I^(1-q) of t^p, cos(w t), sin(w t) and e^-t at time t. When a signal x
// has one of these functions as its rate dx/dt, the integral is the derivative D^q x, which a
// memory (fm_memory, the operator that computes D^q from rates) of order q must return. Computed by
// power series, accurate to 1e-12 for w t up to about 7.
double exact_power(double q, double p, double t);
double exact_cos(double q, double w, double t);
double exact_sin(double q, double w, double t);
double exact_decay(double q, double t);

// The observed order of convergence from errors at the steps h, h/2, h/4 ...: slope of the
// least-squares line through (log h, log error).
double exact_order(const double *error, int count);

// A convergence study. exact_report prints one line. With `--plot DIR` on the command line it also
// adds the line to DIR/NAME.csv, and exact_close plots DIR/NAME.png with gnuplot.
void exact_open(int argc, char **argv, const char *name);
void exact_report(const char *series, double h, double error);
void exact_close(void);

#endif
