#include "exact.h"
#include "flows.h"

static double strip(int n, double offset, double shift, double H)
{
    // w = 1, n cells per width; duct H high
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    double L = 3;
    def.cells[0] = (int)lround(L * n), def.cells[1] = (int)lround(H * n), def.cells[2] = 1;
    def.spacing = 1.0 / n;
    def.density = 1, def.viscosity = 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side < FM_SIDE_BOTTOM ? FM_GRID_PERIODIC : FM_GRID_SLIP;
    def.acceleration.x = 1;
    fm_grid *grid = create_grid(world, &def);
    fm_cloth_def sheet = plain_sheet(0.1, 100);
    double y = (H - 1) / 2 + offset / n, x = L / 2 + shift / n;
    fm_cloth *cloth = create_strip(world, &sheet, FM_CLOTH_MESH, 4 * n + 1, (fm_vec3){x, y, 0},
                                   (fm_vec3){x, y + 1, 0}, def.spacing, 0);
    hold_sheet(cloth);
    couple_sheet(world, cloth, grid, INFINITY, 0);
    double dt = 1e-3;
    advance(world, dt);
    double U = mean_velocity(grid, 0) / dt, C = L * (1 / U - 1) / 2;
    double w = 2 * H / PI * acos(exp(-PI * C / H));
    fm_world_destroy(world);
    return w;
}

static double disc(int n, double oy, double oz, double W)
{
    fm_error err = {0};
    fm_world *world = create_grid_world();
    fm_grid_def def = fm_default_grid_def();
    double L = 3;
    def.cells[0] = (int)lround(L * n), def.cells[1] = def.cells[2] = (int)lround(W * n);
    def.spacing = 1.0 / n;
    def.density = 1, def.viscosity = 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.sides[side].kind = side < FM_SIDE_BOTTOM ? FM_GRID_PERIODIC : FM_GRID_SLIP;
    def.acceleration.x = 1;
    fm_grid *grid = create_grid(world, &def);
    fm_cloth_def sheet = plain_sheet(0.1, 100);
    int rings = 2 * n > 24 ? 2 * n : 24, sectors = 96;
    fixture_mesh m = fixture_create_mesh(rings * sectors + 1, 2 * rings * sectors);
    int centre = rings * sectors;
    fm_vec3 c = {L / 2 + 0.3 / n, W / 2 + oy / n, W / 2 + oz / n};
    m.vertex_count = centre + 1;
    m.positions[centre] = c;
    for (int r = 0; r < rings; r++)
        for (int s = 0; s < sectors; s++) {
            double angle = 2 * PI * s / sectors, out = 0.5 * (r + 1) / rings;
            int a = r * sectors + s, b = r * sectors + (s + 1) % sectors;
            m.positions[a] = (fm_vec3){c.x, c.y + out * cos(angle), c.z + out * sin(angle)};
            fixture_add_triangle(&m, a, b, r ? a - sectors : centre);
            if (r)
                fixture_add_triangle(&m, b, b - sectors, a - sectors);
        }
    fm_cloth *cloth = create_mesh(world, &sheet, &m);
    fixture_destroy_mesh(&m);
    hold_sheet(cloth);
    couple_sheet(world, cloth, grid, INFINITY, 0);
    double dt = 1e-3;
    (void)err;
    advance(world, dt);
    double U = mean_velocity(grid, 0) / dt, C = L * (1 / U - 1) / 2;
    fm_world_destroy(world);
    double mass = 2 * C * W * W;
    return mass / (8.0 / 3 / 8);
}

static void it_is(void **state)
{
    (void)state;
    for (int n = 8; n <= 64; n *= 2) {
        print_message("strip n %d:", n);
        for (int i = 0; i < 8; i++)
            print_message(" %.4f", (strip(n, i / 8.0, 0.3, 4) - 1) * n);
        print_message(" h\n");
    }
    for (int n = 8; n <= 12; n += 2) {
        print_message("disc n %d:", n);
        for (int i = 0; i < 5; i++)
            print_message(" %.4f", disc(n, i / 5.0, i * 0.37, 4));
        print_message("\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
