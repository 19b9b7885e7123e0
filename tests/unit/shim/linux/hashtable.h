/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/hash.h>
#include <linux/list.h>

#define DEFINE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]

#define shim_nr_buckets(table)		(sizeof(table) / sizeof((table)[0]))
#define shim_bits(table)		__builtin_ctzl(shim_nr_buckets(table))
#define shim_bucket(table, key)		(&(table)[hash_64(key, shim_bits(table))])

#define hash_add(table, node, key)	hlist_add_head(node, shim_bucket(table, key))
#define hash_del(node)			hlist_del(node)

#define hash_for_each_possible(table, item, member, key)			\
	hlist_for_each_entry(item, shim_bucket(table, key), member)

#define hash_for_each_safe(table, bucket, after, item, member)			\
	for (bucket = 0; bucket < (int)shim_nr_buckets(table); bucket++)	\
		hlist_for_each_entry_safe(item, after, &(table)[bucket], member)
