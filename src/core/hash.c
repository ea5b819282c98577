// SPDX-License-Identifier: MIT
// hash.c: a 64-bit hash of bytes, in four streams of eight at a time.
//
// States are megabytes and are hashed every frame, so each word costs one multiplication, and the
// four streams do not wait for each other. They are mixed well at the end.
#include "core/core.h"

#include <string.h>

static const uint64_t ODD = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t value)
{
    // the finaliser of splitmix64: a bijection in which every input bit moves half of the output
    // bits
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint64_t absorb(uint64_t stream, uint64_t word)
{
    uint64_t next = (stream ^ word) * 0xd6e8feb86659fd93u;
    return next ^ (next >> 32); // high bits come down, or the low ones would never see them
}

uint64_t fm_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t stream[4];
    for (int i = 0; i < 4; i++)
        stream[i] = mix(seed + ODD * (size + 1 + (uint64_t)i));
    for (; size >= 32; size -= 32, bytes += 32) {
        uint64_t word[4];
        memcpy(word, bytes, 32);
        for (int i = 0; i < 4; i++)
            stream[i] = absorb(stream[i], word[i]);
    }
    for (int i = 0; size > 0; i++) { // at most four words, the last one filled up with zeros
        uint64_t word = 0;
        size_t part = size < 8 ? size : 8;
        memcpy(&word, bytes, part);
        stream[i] = absorb(stream[i], word);
        size -= part;
        bytes += part;
    }
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++)
        hash = mix(hash ^ stream[i]) + ODD;
    return mix(hash);
}
