// SPDX-License-Identifier: MIT
// hash.c: a 64-bit hash of bytes, eight at a time.
#include "core/core.h"

#include <string.h>

static uint64_t mix(uint64_t value)
{
    // the finaliser of splitmix64: a bijection in which every input bit moves half of the output
    // bits
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t fm_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = mix(seed + 0x9e3779b97f4a7c15u * (size + 1));
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    if (size) {
        uint64_t word = 0;
        memcpy(&word, bytes, size);
        hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    return mix(hash);
}
