// SPDX-License-Identifier: MIT
// embree.c: intersects rays with triangles, spheres and tubes. The only file that includes Embree
// (3.13).
//
// The BVH is built by one thread, which makes it deterministic, and with it the choice between two
// triangles that a ray hits at the same distance.
#include "render/render.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Every 61st ray is timed; a prime avoids resonance with regular patterns.
enum { TIMED_EVERY = 61 };

static const double INTERRUPTED = 20e-6; // s; a ray takes longer only if its thread was interrupted

struct fm_ray_device {
    RTCDevice device;
};

struct fm_tracer {
    // Embree scenes of all, of solid and of transparent objects. Without transparent objects the
    // first two are the same, and the third is NULL.
    RTCScene scenes[FM_RAY_SCENE_COUNT];
};

// False with err filled if Embree has reported an error.
static bool check_embree(RTCDevice device, fm_error *err)
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

// Initializes Embree with one thread. NULL with err filled on failure.
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
        check_embree(NULL, err);
        free(device);
        return NULL;
    }
    return device;
}

// Releases Embree's library state.
void fm_ray_device_destroy(fm_ray_device *device)
{
    if (!device)
        return;
    rtcReleaseDevice(device->device);
    free(device);
}

// Copies a triangle mesh into an Embree geometry.
static RTCGeometry create_mesh_geometry(RTCDevice device, const fm_triangle_mesh *mesh)
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

// Copies spheres, or a tube through their centres, into an Embree geometry.
static RTCGeometry create_sphere_geometry(RTCDevice device, const fm_sphere_list *spheres)
{
    RTCGeometry geometry =
        rtcNewGeometry(device, spheres->joined ? RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE
                                               : RTC_GEOMETRY_TYPE_SPHERE_POINT);
    void *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                           4 * sizeof(float), (size_t)spheres->count);
    if (points)
        memcpy(points, spheres->points, 4 * (size_t)spheres->count * sizeof(float));
    unsigned *starts = NULL;
    if (spheres->joined)
        starts = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT,
                                         sizeof(unsigned), (size_t)spheres->count - 1);
    for (int i = 0; starts && i + 1 < spheres->count; i++)
        starts[i] = (unsigned)i;
    return geometry;
}

// Adds a geometry to the scene of all objects and, if they are separate scenes, to that of solid or
// transparent objects. id: number by which hits refer to it.
static void attach(fm_tracer *tracer, RTCGeometry geometry, int id, bool transparent)
{
    RTCScene group = tracer->scenes[transparent ? FM_RAY_SCENE_TRANSPARENT : FM_RAY_SCENE_SOLID];
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scenes[FM_RAY_SCENE_ALL], geometry, (unsigned)id);
    if (group && group != tracer->scenes[FM_RAY_SCENE_ALL])
        rtcAttachGeometryByID(group, geometry, (unsigned)id);
    rtcReleaseGeometry(geometry);
}

// True if any mesh has a transparent material.
static bool drawing_has_transparent(const fm_drawing *drawing)
{
    for (int i = 0; i < drawing->mesh_count; i++)
        if (drawing->meshes[i].paint.refraction > 0)
            return true;
    return false;
}

// Creates an empty Embree scene whose rays do not slip through between triangles.
static RTCScene create_scene(RTCDevice device)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    return scene;
}

// Builds the ray tracing structures of a drawing.
fm_tracer *fm_tracer_create(fm_ray_device *device, const fm_drawing *drawing, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_tracer *tracer = calloc(1, sizeof *tracer);
    if (!tracer) {
        fm_fail_no_memory(err, "picture", sizeof *tracer);
        return NULL;
    }
    tracer->scenes[FM_RAY_SCENE_ALL] = tracer->scenes[FM_RAY_SCENE_SOLID] =
        create_scene(device->device);
    if (drawing_has_transparent(drawing)) {
        tracer->scenes[FM_RAY_SCENE_SOLID] = create_scene(device->device);
        tracer->scenes[FM_RAY_SCENE_TRANSPARENT] = create_scene(device->device);
    }
    for (int i = 0; i < drawing->mesh_count; i++)
        if (drawing->meshes[i].triangle_count > 0)
            attach(tracer, create_mesh_geometry(device->device, &drawing->meshes[i]), i,
                   drawing->meshes[i].paint.refraction > 0);
    for (int i = 0; i < drawing->sphere_list_count; i++) {
        const fm_sphere_list *spheres = &drawing->sphere_lists[i];
        if (spheres->count > (spheres->joined ? 1 : 0))
            attach(tracer, create_sphere_geometry(device->device, spheres), drawing->mesh_count + i,
                   false);
    }
    for (int i = 0; i < FM_RAY_SCENE_COUNT; i++)
        if (tracer->scenes[i] && (i == 0 || tracer->scenes[i] != tracer->scenes[i - 1]))
            rtcCommitScene(tracer->scenes[i]);
    if (!check_embree(device->device, err)) {
        fm_tracer_destroy(tracer);
        return NULL;
    }
    return tracer;
}

// Releases the Embree scenes, each once: the first two may be the same.
void fm_tracer_destroy(fm_tracer *tracer)
{
    if (!tracer)
        return;
    for (int i = 0; i < FM_RAY_SCENE_COUNT; i++)
        if (tracer->scenes[i] && (i == 0 || tracer->scenes[i] != tracer->scenes[i - 1]))
            rtcReleaseScene(tracer->scenes[i]);
    free(tracer);
}

// Time of the monotonic clock, s.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Counts a ray. Returns true if this ray is timed, and starts the clock then.
static bool begin_ray(fm_ray_stats *stats, double *start)
{
    bool timed = stats->measure && stats->ray_count % TIMED_EVERY == 0;
    stats->ray_count++;
    if (timed)
        *start = now();
    return timed;
}

// Adds the time of a timed ray, unless the thread was interrupted.
static void end_ray(fm_ray_stats *stats, bool timed, double start)
{
    if (!timed)
        return;
    double seconds = now() - start;
    if (seconds > INTERRUPTED)
        return;
    stats->timed_seconds += seconds;
    stats->timed_count++;
}

// The least time between two readings of the clock, s.
double fm_ray_clock_cost(void)
{
    double least = 1;
    for (int i = 0; i < 1000; i++) {
        double start = now(), cost = now() - start;
        least = cost < least ? cost : least;
    }
    return least;
}

// An Embree ray from `origin`, tested between the distances near and far, m.
static struct RTCRay ray_from(fm_float3 origin, fm_float3 direction, float near, float far)
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

bool fm_tracer_has_transparent(const fm_tracer *tracer)
{
    return tracer->scenes[FM_RAY_SCENE_TRANSPARENT] != NULL;
}

// Finds the first hit of a ray between the distances near and far, m. set: which objects to test;
// coherent: neighbouring rays are similar.
bool fm_tracer_intersect(const fm_tracer *tracer, fm_ray_stats *stats, fm_ray_scene set,
                         fm_float3 origin, fm_float3 direction, float near, float far,
                         bool coherent, fm_ray_hit *hit)
{
    if (!tracer->scenes[set])
        return false;
    struct RTCIntersectContext context;
    struct RTCRayHit ray = {.ray = ray_from(origin, direction, near, far)};
    double start = 0;
    rtcInitIntersectContext(&context);
    context.flags =
        coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    bool timed = begin_ray(stats, &start);
    rtcIntersect1(tracer->scenes[set], &context, &ray);
    end_ray(stats, timed, start);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    *hit = (fm_ray_hit){.distance = ray.ray.tfar,
                        .u = ray.hit.u,
                        .v = ray.hit.v,
                        .normal = {ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z},
                        .object = (int)ray.hit.geomID,
                        .primitive = (int)ray.hit.primID};
    return true;
}

// True if a solid object lies on the ray between the distances near and far, m.
bool fm_tracer_is_occluded(const fm_tracer *tracer, fm_ray_stats *stats, fm_float3 origin,
                           fm_float3 direction, float near, float far)
{
    struct RTCIntersectContext context;
    struct RTCRay ray = ray_from(origin, direction, near, far);
    double start = 0;
    rtcInitIntersectContext(&context);
    bool timed = begin_ray(stats, &start);
    rtcOccluded1(tracer->scenes[FM_RAY_SCENE_SOLID], &context, &ray);
    end_ray(stats, timed, start);
    return ray.tfar < 0;
}
