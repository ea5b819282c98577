// SPDX-License-Identifier: MIT
// fabric.c: shared parts of the fabric experiments.
#include "fabric.h"

#include <complex.h>

fm_world *fabric_create_world(experiment *e, double gravity)
{
    fm_world_def def = fm_default_world_def();
    def.medium.density = def.medium.viscosity = 0;
    def.gravity = (fm_vec3){0, -gravity, 0};
    return fm_world_create(&def, experiment_error(e));
}

fm_fabric_def fabric_def(double k, double m)
{
    fm_fabric_def fabric = fm_default_fabric_def();
    fabric.spring = k;
    fabric.point_mass = m;
    return fabric;
}

fm_mesh_shape fabric_shape(fm_mesh_shape_kind kind, double edge)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = kind;
    shape.edge = edge;
    return shape;
}

fm_cloth *fabric_create(experiment *e, fm_world *world, const fm_cloth_def *def,
                        const fm_fabric_def *fabric, const fm_mesh_shape *shape, double prestretch)
{
    fm_fabric_place place = {.prestretch = prestretch};
    return fm_cloth_create_fabric_shape(world, def, fabric, shape, &place, experiment_error(e));
}

double fabric_energy(fm_world *world)
{
    fm_report report = fm_world_report(world);
    return report.kinetic_energy + report.potential_energy;
}

double fabric_area_ratio(experiment *e, fm_cloth *cloth)
{
    return fm_cloth_area(cloth, experiment_error(e)) / fm_cloth_rest_area(cloth);
}

// Fast Fourier transform, radix 2, recursive: data[i], i = 0, stride, 2 stride ... into out.
static void transform(const double *data, int count, int stride, double complex *out)
{
    if (count == 1) {
        out[0] = data[0];
        return;
    }
    int half = count / 2;
    transform(data, half, 2 * stride, out);
    transform(data + stride, half, 2 * stride, out + half);
    for (int k = 0; k < half; k++) {
        double complex even = out[k], odd = cexp(-2 * FABRIC_PI * I * k / count) * out[half + k];
        out[k] = even + odd, out[half + k] = even - odd;
    }
}

void fabric_find_spectrum(experiment *e, const double *record, int count, double *power)
{
    double *data = experiment_alloc(e, (size_t)count, sizeof *data), mean = 0;
    double complex *out = experiment_alloc(e, (size_t)count, sizeof *out);
    if (!data || !out)
        return;
    for (int i = 0; i < count; i++)
        mean += record[i] / count;
    for (int i = 0; i < count; i++) {
        double t = 2 * FABRIC_PI * (i + 0.5) / count;
        data[i] = (record[i] - mean) * (0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t));
    }
    transform(data, count, 1, out);
    for (int i = 0; i < count / 2; i++)
        power[i] = creal(out[i]) * creal(out[i]) + cimag(out[i]) * cimag(out[i]);
}

// Sums the power from the lowest frequency on until the share is reached.
double fabric_find_cutoff(const double *power, int count, double dt, double share)
{
    double total = 0, sum = 0;
    for (int i = 0; i < count / 2; i++)
        total += power[i];
    for (int i = 0; i < count / 2; i++) {
        sum += power[i];
        if (sum >= share * total)
            return i / (count * dt);
    }
    return NAN;
}
