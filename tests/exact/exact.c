// SPDX-License-Identifier: MIT
// exact.c: exact fractional derivatives of test signals, and convergence studies.
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// D^q x at time t for a signal with dx/dt = t^p.
double exact_power(double q, double p, double t)
{
    return tgamma(p + 1) / tgamma(p + 2 - q) * pow(t, p + 1 - q);
}

// Sum of the series sum_m (-1)^m rate^n t^(n + 1 - q) / Gamma(n + 2 - q) with n = start + step m.
// It is the fractional integral I^(1-q), term by term, of the power series of sin, cos and exp.
static double sum_alternating_series(double q, double rate, double t, int start, int step)
{
    double total = 0;
    for (int m = 0; m < 60; m++) {
        int n = start + step * m;
        double term = pow(rate * t, n) * pow(t, 1 - q) / tgamma(n + 2 - q);
        total += m % 2 ? -term : term;
    }
    return total;
}

// D^q x at time t for a signal with dx/dt = cos(w t).
double exact_cos(double q, double w, double t)
{
    return sum_alternating_series(q, w, t, 0, 2);
}

// D^q x at time t for a signal with dx/dt = sin(w t).
double exact_sin(double q, double w, double t)
{
    return sum_alternating_series(q, w, t, 1, 2);
}

// D^q x at time t for a signal with dx/dt = e^-t.
double exact_decay(double q, double t)
{
    return sum_alternating_series(q, 1, t, 0, 1);
}

// Order of convergence from the errors at h, h/2, h/4 ...: slope of the least-squares line through
// (log h, log error).
double exact_order(const double *error, int count)
{
    // x: number of halvings of the step, y: log2 of the error
    double mean_x = (count - 1) / 2.0, mean_y = 0, xy = 0, xx = 0;
    for (int i = 0; i < count; i++)
        mean_y += log2(error[i]) / count;
    for (int i = 0; i < count; i++) {
        xy += (i - mean_x) * (log2(error[i]) - mean_y);
        xx += (i - mean_x) * (i - mean_x);
    }
    return -xy / xx;
}

// The convergence study of this program.
static struct {
    const char *name, *dir; // name of the study; directory of the plot, or NULL
    FILE *csv;              // NULL without --plot
    char series[32][64];    // names of the curves
    int series_count;
} study;

// Starts a convergence study; with --plot DIR on the command line it is written to DIR.
void exact_open(int argc, char **argv, const char *name)
{
    study.name = name;
    if (argc == 3 && strcmp(argv[1], "--plot") == 0) {
        char path[512];
        study.dir = argv[2];
        snprintf(path, sizeof path, "%s/%s.csv", study.dir, name);
        study.csv = fopen(path, "w");
        if (!study.csv) {
            perror(path);
            exit(3);
        }
        fprintf(study.csv, "series,h,error\n");
    }
}

// Prints the error at the step h of one curve (series) of the study.
void exact_report(const char *series, double h, double error)
{
    printf("  %-32s h = %-10.4g error = %.3e\n", series, h, error);
    if (!study.csv)
        return;
    fprintf(study.csv, "%s,%.9g,%.9g\n", series, h, error);
    for (int i = 0; i < study.series_count; i++) {
        if (strcmp(study.series[i], series) == 0)
            return;
    }
    if (study.series_count < 32)
        snprintf(study.series[study.series_count++], sizeof study.series[0], "%s", series);
}

// Plots the study with gnuplot if --plot was given.
void exact_close(void)
{
    if (!study.csv)
        return;
    fclose(study.csv);
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return;
    fprintf(
        gnuplot,
        "set terminal pngcairo size 1000,700\nset output '%s/%s.png'\nset datafile separator ','\n"
        "set logscale xy\nset format '%%.0e'\nset xlabel 'step h'\nset ylabel 'error'\n"
        "set key outside\nset title '%s: error against step' noenhanced\nplot ",
        study.dir, study.name, study.name);
    for (int i = 0; i < study.series_count; i++)
        fprintf(gnuplot,
                "%s'%s/%s.csv' using (strcol(1) eq '%s' ? $2 : NaN):3 with linespoints title '%s' "
                "noenhanced",
                i ? ", " : "", study.dir, study.name, study.series[i], study.series[i]);
    fprintf(gnuplot, "\n");
    pclose(gnuplot);
}
