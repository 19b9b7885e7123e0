/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SIPHASH_H
#define SHIM_SIPHASH_H

#include <linux/types.h>

struct shim_siphash_key {
	u64 key[2];
};

#define siphash_key_t	struct shim_siphash_key

/* Replaces SipHash. Its result depends on each bit of both numbers and of the key, too. */
static inline u64 siphash_2u64(u64 first, u64 second, const siphash_key_t *key)
{
	u64 hash = first ^ key->key[0];

	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL + second + key->key[1];
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return hash ^ hash >> 33;
}

#endif
