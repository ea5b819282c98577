// SPDX-License-Identifier: MIT
// exact.c: known answers, and orders of convergence.
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double exact_power(double q, double p, double t)
{
    return tgamma(p + 1) / tgamma(p + 2 - q) * pow(t, p + 1 - q);
}

// sum_m (-1)^m rate^(start + 2m) t^(start + 2m + 1 - q) / Gamma(start + 2m + 2 - q)
static double alternating(double q, double rate, double t, int start, int step)
{
    double total = 0;
    for (int m = 0; m < 60; m++) {
        int n = start + step * m;
        double term = pow(rate * t, n) * pow(t, 1 - q) / tgamma(n + 2 - q);
        total += m % 2 ? -term : term;
    }
    return total;
}

double exact_cos(double q, double w, double t)
{
    return alternating(q, w, t, 0, 2);
}

double exact_sin(double q, double w, double t)
{
    return alternating(q, w, t, 1, 2);
}

double exact_decay(double q, double t)
{
    return alternating(q, 1, t, 0, 1);
}

double exact_order(const double *error, int count)
{
    double mean_x = (count - 1) / 2.0, mean_y = 0, xy = 0, xx = 0;
    for (int i = 0; i < count; i++)
        mean_y += log2(error[i]) / count;
    for (int i = 0; i < count; i++) {
        xy += (i - mean_x) * (log2(error[i]) - mean_y);
        xx += (i - mean_x) * (i - mean_x);
    }
    return -xy / xx;
}

static struct {
    const char *name, *dir;
    FILE *csv;
    char series[32][64];
    int series_count;
} study;

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
