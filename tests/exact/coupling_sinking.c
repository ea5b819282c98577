// SPDX-License-Identifier: MIT
// coupling_sinking.c: experiment
#include "couplings.h"

int main(int argc, char **argv)
{
    double layers = strtod(argv[1], NULL), spacing = argc > 2 ? strtod(argv[2], NULL) : 0.02;
    double deep = argc > 3 ? strtod(argv[3], NULL) : 0.1, depth = argc > 4 ? strtod(argv[4], NULL) : 0.4;
    double duration = argc > 5 ? strtod(argv[5], NULL) : 0.9;
    double bend = argc > 6 ? strtod(argv[6], NULL) : 1e-6;
    const double t = 1e-3, size = 0.2, wide = 0.4;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth_def def = light_cotton();
    def.thickness = t;
    def.density = 1000 + layers * 1000 * spacing / t;
    def.bend.stiffness = bend;
    fm_sheet sheet = flat_sheet(9, size, (wide - size) / 2, depth - deep, (wide - size) / 2);
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_particles_def fd = fixture_tank_def(3, spacing, (fm_vec3){wide, depth + 0.1, wide});
    if (getenv("ALPHA")) fd.artificial_viscosity = atof(getenv("ALPHA"));
    if (getenv("DELTA")) fd.diffusion = atof(getenv("DELTA"));
    if (getenv("SHIFT")) fd.shifting = atof(getenv("SHIFT"));
    fm_particles *water = create_fluid(world, &fd);
    add_box(water, &(fm_fluid_box){.high = {wide, depth, wide}, .settled = true});
    couple(world, cloth, water, FM_COUPLING_TWO_WAY);
    double weight = layers * 1000 * spacing * size * size * 9.81;
    fm_samples *s = NULL;
    int n;
    for (int k = 1; k <= (int)(duration / 0.1 + .5); k++) {
        double P = 0, n0 = 0, up = 0, time = 0, wet=0, cl = 0;
        fm_report r = {0};
        for (int q = 0; q < 100; q++) {
            r = advance(world, 1e-3);
            s = water->surfaces[0];
            for (int i = 0; i < s->count; i++)
                up += s->impulse_to_body[i].y;
            time += s->end - s->start;
            for (int i = 0; i < s->count; i++) wet += s->wet[i], cl += s->clinging_mass[i];
        }
        int w = 0;
        for (w = 0; w < water->wet_count; w++) {
            int kk, i = water->wet[w];
            fm_samples *ss = fm_boundary_surface(water, i, &kk);
            if (!ss) continue;
            P += (water->sample_sums[i].P[0] - water->sample_sums[i].P[1]) * 1000; n0 += 1;
        }
        const fm_vec3 *x = fm_cloth_positions(cloth, &n), *v = fm_cloth_velocities(cloth, &n);
        double y = 0, vy = 0, low = 1, high = 0;
        for (int i = 0; i < n; i++) {
            y += x[i].y / n, vy += v[i].y / n, low = fmin(low, x[i].y), high = fmax(high, x[i].y);
        }
        printf("%.1f s y %+.4f [%.4f %.4f] v %+.4f  up/weight %.2f dP %.0f Pa (weight %.0f Pa) stopped %lld c %.0f clinging %.2g\n", k * 0.1,
               y - (depth - deep), low - (depth - deep), high - (depth - deep), vy,
               up / time / weight, P / n0, weight / size / size,
               (long long)fm_particles_read_stats(water).stopped_count, water->c, cl/100);
        if (getenv("CAT")) {
            int near = 0, near_surface = 0, inside = 0, fast = 0, far = 0, farin = 0, farsurf = 0;
            double fill[2] = {0}, fc[2] = {0};
            for (int i = 0; i < water->count; i++) {
                int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
                double yy = water->now.y[i], xx = water->now.x[i], zz = water->now.z[i];
                bool is = false;
                if (water->near_boundary_count[i] > 0) {
                const int *list = fm_neighbours_in_boundary(water, i, buffer, &count, &padding);
                for (int m = 0; m < count - padding; m++) { int kk; is = is || fm_boundary_surface(water, list[m], &kk); } }
                if (is) {
                    near++; near_surface += water->beside_surface[i]; inside += water->is_inside[i];
                    if (fabs(xx - .2) < .06 && fabs(zz - .2) < .06 && fabs(yy - y) < 0.02) fill[yy > y] += water->fill[i], fc[yy > y]++;
                    fast += water->P[i] < water->now.vx[i]*water->now.vx[i]+water->now.vy[i]*water->now.vy[i]+water->now.vz[i]*water->now.vz[i];
                } else if (fabs(xx - .2) < .15 && fabs(zz - .2) < .15 && fabs(yy - y) < 0.1) {
                    far++; farin += water->is_inside[i]; farsurf += water->beside_surface[i];
                }
            }
            printf("   near %d: beside surface %d inside %d fast %d; around %d: inside %d beside surface %d; fill below %.3f (%g) above %.3f (%g)\n", near, near_surface, inside, fast, far, farin, farsurf, fill[0] / fc[0], fc[0], fill[1] / fc[1], fc[1]);
        }
        fflush(stdout);
        (void)r;
    }
    fm_world_destroy(world);
    return 0;
}
