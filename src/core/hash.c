// SPDX-License-Identifier: MIT
// hash.c: 64-bit hash of bytes, computed in four independent streams of 8-byte words.
//
// Simulation states are megabytes and are hashed every frame. Each word therefore costs one
// multiplication only, and the processor can work on the four streams at the same time. The streams
// are mixed at the end.
#include "core/core.h"

#include <string.h>

// an odd number with irregular bits, 2^64 / golden ratio, that separates the seeds of the streams
static const uint64_t SEED_STRIDE = 0x9e3779b97f4a7c15u;

// an odd multiplier with irregular bits, by which each word is mixed into its stream
static const uint64_t WORD_MULTIPLIER = 0xd6e8feb86659fd93u;

// The finaliser of splitmix64: a bijection in which every input bit changes about half of the
// output bits.
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

// Mixes an 8-byte word into one of the four hash streams.
static uint64_t absorb(uint64_t stream, uint64_t word)
{
    uint64_t next = (stream ^ word) * WORD_MULTIPLIER;
    return next ^ (next >> 32); // multiplication carries upwards only: bring the high bits down
}

// 64-bit hash of `size` bytes. Another seed gives an independent hash.
uint64_t fm_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t stream[4];
    for (int i = 0; i < 4; i++)
        stream[i] = mix(seed + SEED_STRIDE * (size + 1 + (uint64_t)i));
    for (; size >= 32; size -= 32, bytes += 32) {
        uint64_t word[4];
        memcpy(word, bytes, 32);
        for (int i = 0; i < 4; i++)
            stream[i] = absorb(stream[i], word[i]);
    }
    for (int i = 0; size > 0; i++) { // at most four words, the last one padded with zeros
        uint64_t word = 0;
        size_t part = size < 8 ? size : 8;
        memcpy(&word, bytes, part);
        stream[i] = absorb(stream[i], word);
        size -= part;
        bytes += part;
    }
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++)
        hash = mix(hash ^ stream[i]) + SEED_STRIDE;
    return mix(hash);
}
