// SPDX-License-Identifier: MIT
// embree.c: rays against triangles, spheres and lines. The only file that knows Embree (3.13).
//
// The tree is built by one thread: it is then the same every time, and with it the choice between
// two triangles that a ray hits at the same distance.
#include "render/render.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMED_EVERY = 61 }; // rays; a prime, not to fall in step with anything

struct fm_ray_device {
    RTCDevice device;
};

struct fm_tracer {
    RTCScene scenes[FM_PART_COUNT]; // all the same where nothing is clear, and none for that
};

static bool fail_embree(RTCDevice device, fm_error *err)
{
    enum RTCError code = rtcGetDeviceError(device);
    if (code == RTC_ERROR_NONE)
        return true;
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return fm_fail(err, FM_NO_MEMORY, "picture", "Embree", "out of memory", "");
    char number[16];
    snprintf(number, sizeof number, "error %d", (int)code);
    return fm_fail(err, FM_BAD_VALUE, "picture", "Embree", number, "a processor that it supports");
}

fm_ray_device *fm_ray_device_create(fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_ray_device *device = calloc(1, sizeof *device);
    if (!device) {
        fm_fail_no_memory(err, "picture", sizeof *device);
        return NULL;
    }
    device->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!device->device) {
        fail_embree(NULL, err);
        free(device);
        return NULL;
    }
    return device;
}

void fm_ray_device_destroy(fm_ray_device *device)
{
    if (!device)
        return;
    rtcReleaseDevice(device->device);
    free(device);
}

static RTCGeometry make_mesh(RTCDevice device, const fm_mesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           3 * sizeof(float), (size_t)mesh->point_count);
    void *corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(unsigned), (size_t)mesh->triangle_count);
    if (points && corners) {
        memcpy(points, mesh->points, 3 * (size_t)mesh->point_count * sizeof(float));
        memcpy(corners, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(unsigned));
    }
    return geometry;
}

static RTCGeometry make_beads(RTCDevice device, const fm_beads *beads)
{
    RTCGeometry geometry =
        rtcNewGeometry(device, beads->joined ? RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE
                                             : RTC_GEOMETRY_TYPE_SPHERE_POINT);
    void *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                           4 * sizeof(float), (size_t)beads->count);
    if (points)
        memcpy(points, beads->points, 4 * (size_t)beads->count * sizeof(float));
    unsigned *starts = NULL;
    if (beads->joined)
        starts = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT,
                                         sizeof(unsigned), (size_t)beads->count - 1);
    for (int i = 0; starts && i + 1 < beads->count; i++)
        starts[i] = (unsigned)i;
    return geometry;
}

// To all, and to the scene of its own kind if there are several.
static void attach(fm_tracer *tracer, RTCGeometry geometry, int id, bool clear)
{
    RTCScene own = tracer->scenes[clear ? FM_PART_CLEAR : FM_PART_SOLID];
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scenes[FM_PART_ALL], geometry, (unsigned)id);
    if (own && own != tracer->scenes[FM_PART_ALL])
        rtcAttachGeometryByID(own, geometry, (unsigned)id);
    rtcReleaseGeometry(geometry);
}

static bool has_clear(const fm_drawing *drawing)
{
    for (int i = 0; i < drawing->mesh_count; i++)
        if (drawing->meshes[i].paint.refraction > 0)
            return true;
    return false;
}

static RTCScene make_scene(RTCDevice device)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    return scene;
}

fm_tracer *fm_tracer_create(fm_ray_device *device, const fm_drawing *drawing, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_tracer *tracer = calloc(1, sizeof *tracer);
    if (!tracer) {
        fm_fail_no_memory(err, "picture", sizeof *tracer);
        return NULL;
    }
    tracer->scenes[FM_PART_ALL] = tracer->scenes[FM_PART_SOLID] = make_scene(device->device);
    if (has_clear(drawing)) {
        tracer->scenes[FM_PART_SOLID] = make_scene(device->device);
        tracer->scenes[FM_PART_CLEAR] = make_scene(device->device);
    }
    for (int i = 0; i < drawing->mesh_count; i++)
        if (drawing->meshes[i].triangle_count > 0)
            attach(tracer, make_mesh(device->device, &drawing->meshes[i]), i,
                   drawing->meshes[i].paint.refraction > 0);
    for (int i = 0; i < drawing->bead_count; i++) {
        const fm_beads *beads = &drawing->beads[i];
        if (beads->count > (beads->joined ? 1 : 0))
            attach(tracer, make_beads(device->device, beads), drawing->mesh_count + i, false);
    }
    for (int i = 0; i < FM_PART_COUNT; i++)
        if (tracer->scenes[i] && (i == 0 || tracer->scenes[i] != tracer->scenes[i - 1]))
            rtcCommitScene(tracer->scenes[i]);
    if (!fail_embree(device->device, err)) {
        fm_tracer_destroy(tracer);
        return NULL;
    }
    return tracer;
}

void fm_tracer_destroy(fm_tracer *tracer)
{
    if (!tracer)
        return;
    for (int i = 0; i < FM_PART_COUNT; i++)
        if (tracer->scenes[i] && (i == 0 || tracer->scenes[i] != tracer->scenes[i - 1]))
            rtcReleaseScene(tracer->scenes[i]);
    free(tracer);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool begin_ray(fm_tally *tally, double *start)
{
    bool timed = tally->measure && tally->ray_count % TIMED_EVERY == 0;
    tally->ray_count++;
    if (timed)
        *start = now();
    return timed;
}

static void end_ray(fm_tally *tally, bool timed, double start)
{
    if (!timed)
        return;
    double seconds = now() - start;
    if (seconds > 20e-6) // another program had the processor
        return;
    tally->timed_seconds += seconds;
    tally->timed_count++;
}

double fm_clock_cost(void)
{
    double least = 1;
    for (int i = 0; i < 1000; i++) {
        double start = now(), cost = now() - start;
        least = cost < least ? cost : least;
    }
    return least;
}

static struct RTCRay make_ray(fm_float3 origin, fm_float3 direction, float near, float far)
{
    return (struct RTCRay){.org_x = origin.x,
                           .org_y = origin.y,
                           .org_z = origin.z,
                           .tnear = near,
                           .dir_x = direction.x,
                           .dir_y = direction.y,
                           .dir_z = direction.z,
                           .tfar = far,
                           .mask = ~0u};
}

bool fm_tracer_has_clear(const fm_tracer *tracer)
{
    return tracer->scenes[FM_PART_CLEAR] != NULL;
}

bool fm_tracer_hit(const fm_tracer *tracer, fm_tally *tally, fm_part part, fm_float3 origin,
                   fm_float3 direction, float near, float far, bool coherent, fm_hit *hit)
{
    if (!tracer->scenes[part])
        return false;
    struct RTCIntersectContext context;
    struct RTCRayHit ray = {.ray = make_ray(origin, direction, near, far)};
    double start = 0;
    rtcInitIntersectContext(&context);
    context.flags =
        coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    bool timed = begin_ray(tally, &start);
    rtcIntersect1(tracer->scenes[part], &context, &ray);
    end_ray(tally, timed, start);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    *hit = (fm_hit){.distance = ray.ray.tfar,
                    .u = ray.hit.u,
                    .v = ray.hit.v,
                    .normal = {ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z},
                    .object = (int)ray.hit.geomID,
                    .primitive = (int)ray.hit.primID};
    return true;
}

bool fm_tracer_is_blocked(const fm_tracer *tracer, fm_tally *tally, fm_float3 origin,
                          fm_float3 direction, float near, float far)
{
    struct RTCIntersectContext context;
    struct RTCRay ray = make_ray(origin, direction, near, far);
    double start = 0;
    rtcInitIntersectContext(&context);
    bool timed = begin_ray(tally, &start);
    rtcOccluded1(tracer->scenes[FM_PART_SOLID], &context, &ray);
    end_ray(tally, timed, start);
    return ray.tfar < 0;
}
