/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LIST_H
#define SHIM_LIST_H

#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	node->next = head;
	node->prev = head->prev;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	list_add_tail(node, head->next);
}

static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

#define shim_entry(at, type, member)	((type *)((char *)(at) - offsetof(type, member)))

/* Computes no item of the head: it would be misaligned, which UBSAN reports. */
#define list_for_each_entry(item, head, member)						\
	for (struct list_head *shim_at = (head)->next;					\
	     shim_at != (head) && (item = shim_entry(shim_at, typeof(*item), member), 1); \
	     shim_at = shim_at->next)

#define list_for_each_entry_safe(item, after, head, member)				\
	for (item = shim_entry((head)->next, typeof(*item), member),			\
	     after = shim_entry(item->member.next, typeof(*item), member);		\
	     &item->member != (head);							\
	     item = after, after = shim_entry(after->member.next, typeof(*item), member))

static inline int hlist_empty(const struct hlist_head *head)
{
	return !head->first;
}

static inline void hlist_move_list(struct hlist_head *from, struct hlist_head *to)
{
	to->first = from->first;
	if (to->first)
		to->first->pprev = &to->first;
	from->first = NULL;
}

#define hlist_for_each_entry_safe(item, after, head, member)				\
	for (after = (head)->first;							\
	     after && (item = shim_entry(after, typeof(*item), member),			\
		       after = after->next, 1);)

#define hlist_for_each_entry(item, head, member)					\
	for (struct hlist_node *shim_node = (head)->first;				\
	     shim_node && (item = shim_entry(shim_node, typeof(*item), member), 1);	\
	     shim_node = shim_node->next)

#endif
