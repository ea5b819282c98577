// SPDX-License-Identifier: MIT
// replay.c: main function for compilers without libFuzzer: calls the fuzz target with every file of
// the given folders.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Calls the fuzz target with the bytes of a file. Returns 1, or 0 if the file cannot be read.
static int replay_file(const char *path)
{
    enum { MAX_BYTES = 1 << 20 }; // the rest of a longer file is ignored
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_BYTES);
    if (!file || !data) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(data);
        if (file)
            fclose(file);
        return 0;
    }
    size_t size = fread(data, 1, MAX_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.')
                count += replay_file(path);
        }
        if (folder)
            closedir(folder);
    }
    printf("%d files\n", count);
    return count == 0;
}
