// SPDX-License-Identifier: MIT
// oscillators.h: exact displacements of oscillators with a fractional damper,
// m x'' + c D^q x + k x = 0, from x = 1 at rest.
#ifndef FATHOM_TESTS_OSCILLATORS_H
#define FATHOM_TESTS_OSCILLATORS_H

typedef struct oscillator {
    const char *name;
    double m, c, k, q; // mass, damping, stiffness, order of the derivative; dimensionless
    double x[5];       // exact displacement at times[]
} oscillator;

static const double times[5] = {0.5, 1, 2, 5, 10};

static const oscillator cases[3] = {
    {"m=c=k=1 q=0.5",
     1,
     1,
     1,
     0.5,
     {0.8847790447550, 0.6122617857585, 0.1127138175883, 0.3310853723289, 0.1846031418484}},
    {"c=0.5 k=4pi^2 q=0.5",
     1,
     0.5,
     39.478417604357434,
     0.5,
     {-0.9398318147107, 0.9219526318407, 0.8523706999804, 0.6556880007329, 0.3773531060883}},
    {"m=c=k=1 q=0.8",
     1,
     1,
     1,
     0.8,
     {0.8903100256906, 0.6396928807315, 0.1408551183029, 0.08721680193986, 0.03903107298296}},
};

#endif
