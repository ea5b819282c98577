// SPDX-License-Identifier: MIT
// picture.c: pictures in memory; writing them as PNG files, and reading painted maps, with libpng.
#include "io/io.h"
#include "render/render.h"

#include <assert.h>
#include <png.h>
#include <stdlib.h>

// A black picture. NULL with err filled on failure.
fm_picture *fm_picture_create(int width, int height, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (width < 1 || width > FM_PICTURE_SIDE_MAX || height < 1 || height > FM_PICTURE_SIDE_MAX) {
        fm_fail_number(err, "picture",
                       width < 1 || width > FM_PICTURE_SIDE_MAX ? "width" : "height",
                       width < 1 || width > FM_PICTURE_SIDE_MAX ? width : height, "1 to 8192");
        return NULL;
    }
    fm_picture *picture = malloc(sizeof *picture);
    unsigned char *pixels = calloc(3 * (size_t)width, (size_t)height);
    if (!picture || !pixels) {
        fm_fail_no_memory(err, "picture", 3 * (size_t)width * (size_t)height);
        free(picture);
        free(pixels);
        return NULL;
    }
    *picture = (fm_picture){width, height, pixels};
    return picture;
}

// Frees a picture and its pixels.
void fm_picture_destroy(fm_picture *picture)
{
    if (!picture)
        return;
    free(picture->pixels);
    free(picture);
}

// Writes a picture as PNG, atomically.
bool fm_picture_write(const fm_picture *picture, const char *path, fm_error *err)
{
    assert(err->status != FM_OK || picture);
    if (err->status != FM_OK)
        return false;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)picture->width,
                       .height = (png_uint_32)picture->height,
                       .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *bytes = malloc(size);
    if (!bytes)
        return fm_fail_no_memory(err, "picture", size);
    if (png_image_write_to_memory(&image, bytes, &size, 0, picture->pixels, 0, NULL)) {
        fm_writer *writer = fm_writer_open(path, err);
        fm_writer_write(writer, bytes, size);
        fm_writer_close(writer, false);
    } else {
        fm_fail_content(err, FM_INPUT_OUTPUT, path, "libpng", "%s", image.message);
        png_image_free(&image);
    }
    free(bytes);
    return err->status == FM_OK;
}

// Grey values as they are stored: maps are painted by numbers, not by light.
bool fm_picture_read_image(void *context, const char *path, fm_image_data *out, fm_error *err)
{
    (void)context;
    enum { BYTES_MAX = 1 << 28, SIDE_MAX = 1 << 14 };
    size_t size;
    *out = (fm_image_data){0};
    char *bytes = err->status == FM_OK ? fm_file_read(path, BYTES_MAX, &size, err) : NULL;
    if (!bytes)
        return false;
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char *grey = NULL;
    bool good = png_image_begin_read_from_memory(&image, bytes, size);
    if (good && (image.width > SIDE_MAX || image.height > SIDE_MAX)) {
        fm_fail_content(err, FM_BAD_VALUE, path, "image", "%u x %u pixels, allowed is up to 16384",
                        (unsigned)image.width, (unsigned)image.height);
    } else if (good) {
        image.format = PNG_FORMAT_GRAY;
        size_t count = (size_t)image.width * image.height;
        grey = malloc(count);
        out->values = malloc(count * sizeof *out->values);
        good = grey && out->values && png_image_finish_read(&image, &(png_color){0}, grey, 0, NULL);
        out->width = (int)image.width, out->height = (int)image.height;
        for (size_t i = 0; good && i < count; i++)
            out->values[i] = (float)grey[i] / 255;
    }
    if (!good)
        fm_fail_content(err, FM_INPUT_OUTPUT, path, "image", "%s",
                        image.message[0] ? image.message : "it does not fit into memory");
    png_image_free(&image);
    free(grey);
    free(bytes);
    if (err->status != FM_OK) {
        free(out->values);
        *out = (fm_image_data){0};
    }
    return err->status == FM_OK;
}
