// SPDX-License-Identifier: GPL-2.0
#include "unwind/kernel_rules.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "arch/kernel_rule.h"
#include "arch/regs.h"

#define CACHE_BITS	9

/*
 * The key of a return address is its low 32 bits, which are a negative number. The key of an
 * interrupted instruction is its offset in the image, which is positive, and no address of code.
 * The two kinds are kept apart: an interrupt may stop a trampoline, which gets a rule. The same
 * address as a return address on the stack stands in place of the caller's, and must find no rule.
 */
struct rule {
	s32 key;	/* 0: free */
	/* As in struct pprof_arch_kernel_rule. */
	u8 kind;
	u8 cfa_words;
	u8 fp_words;
};

struct rule_set {
	struct rule rules[2];
};

struct rule_cache {
	struct rule_set sets[1U << CACHE_BITS];
};

/* Each is used on its own CPU alone, with interrupts off. So they need no lock. */
static struct rule_cache __percpu *caches;

static struct rule_set *set_of(struct rule_cache *cache, unsigned long key)
{
	return &cache->sets[(u32)key * 2654435769U >> (32 - CACHE_BITS)];
}

/*
 * A key of 32 bits is sign-extended for the comparison with @key. So only addresses in the image,
 * at the top of the address space, equal the key of a return address.
 */
static __always_inline const struct rule *find(struct rule_cache *cache, unsigned long key)
{
	const struct rule *rule = set_of(cache, key)->rules;

	if (likely((unsigned long)rule->key == key))
		return rule;
	rule++;
	return (unsigned long)rule->key == key ? rule : NULL;
}

/*
 * Adds the rule of @address under @key, in place of the older rule of the set. Not inlined: the
 * made-up frame in pprof_arch_kernel_rule() takes 1 KiB of stack.
 */
static noinline const struct rule *add(struct rule_cache *cache, unsigned long key,
				       unsigned long address)
{
	struct pprof_arch_kernel_rule rule = pprof_arch_kernel_rule(address);
	struct rule *rules = set_of(cache, key)->rules;

	rules[1] = rules[0];
	rules[0] = (struct rule) {
		.key = key,
		.kind = rule.kind,
		.cfa_words = rule.cfa_words,
		.fp_words = rule.fp_words,
	};
	return rules;
}

/* Returns the rule of an interrupted instruction, or NULL if it is not in the image. */
static const struct rule *find_interrupted(struct rule_cache *cache, unsigned long address)
{
	unsigned long key = address - PPROF_ARCH_KERNEL_IMAGE;
	const struct rule *rule;

	if (!pprof_arch_is_kernel_image(address))
		return NULL;
	rule = find(cache, key);
	return likely(rule) ? rule : add(cache, key, address);
}

static __always_inline const struct rule *find_caller(struct rule_cache *cache,
						      unsigned long address)
{
	return likely((long)address < 0) ? find(cache, address) : NULL;
}

/* The state of a walk: the current frame, and the end of the stack. */
struct step {
	const unsigned long *sp;
	const unsigned long *top;
	unsigned long fp;
};

/*
 * Returns @address if it is aligned and less than THREAD_SIZE above @sp; else NULL. The caller
 * compares it with the top of the stack. Interrupted code may have had any number as its frame
 * pointer, even one that the user chose. The CPU must not read there speculatively before the check
 * is done (Spectre v1). So the distance is masked, and hidden from gcc, which would find out that
 * the sum is @address.
 */
static __always_inline const unsigned long *above(const unsigned long *sp, unsigned long address)
{
	unsigned long distance = address - (unsigned long)sp, masked = distance & (THREAD_SIZE - 8);

	OPTIMIZER_HIDE_VAR(masked);
	return likely(distance == masked) ? (void *)sp + masked : NULL;
}

static __always_inline bool step_by_sp(struct step *step, const struct rule *rule)
{
	step->sp += rule->cfa_words;
	if (step->sp > step->top)
		return false;
	if (rule->fp_words)
		step->fp = READ_ONCE_NOCHECK(*(step->sp - rule->fp_words));
	return true;
}

static __always_inline bool step_by_fp(struct step *step, const struct rule *rule)
{
	const unsigned long *fp = above(step->sp, step->fp), *cfa;

	if (!fp || fp >= step->top)
		return false;
	cfa = fp + 2;
	if (rule->kind == PPROF_ARCH_KERNEL_ALIGNED) {
		if (fp - step->sp < rule->cfa_words)
			return false;
		cfa = above(step->sp, READ_ONCE_NOCHECK(*(fp - rule->cfa_words)));
	}
	if (!cfa || cfa <= step->sp || cfa > step->top)
		return false;
	step->fp = READ_ONCE_NOCHECK(*fp);
	step->sp = cfa;
	return true;
}

static __always_inline bool take_step(struct step *step, const struct rule *rule)
{
	if (likely(rule->kind == PPROF_ARCH_KERNEL_SP))
		return step_by_sp(step, rule);
	return (rule->kind == PPROF_ARCH_KERNEL_FP || rule->kind == PPROF_ARCH_KERNEL_ALIGNED) &&
	       step_by_fp(step, rule);
}

static bool is_user_entry(const struct step *step, const struct rule *rule)
{
	struct pt_regs *regs = (struct pt_regs *)(step->sp + rule->cfa_words);

	return rule->kind == PPROF_ARCH_KERNEL_ENTRY &&
	       (unsigned long *)(regs + 1) <= step->top && user_mode(regs);
}

/*
 * Each read is in current's own stack: the stack pointer begins there, rises with each step, and is
 * compared with the top. KASAN must not check the reads (READ_ONCE_NOCHECK): they may hit memory
 * that the interrupted function has poisoned.
 */
u32 pprof_kernel_rules_walk(struct pt_regs *regs, u64 *frames, u32 max)
{
	const unsigned long *bottom = task_stack_page(current);
	struct step step = {
		.sp = (void *)kernel_stack_pointer(regs),
		.top = (void *)bottom + THREAD_SIZE,
		.fp = pprof_arch_fp(regs),
	};
	unsigned long address = instruction_pointer(regs);
	struct rule_cache *cache = this_cpu_ptr(caches);
	const struct rule *rule;
	u32 nr = 0;

	if (step.sp < bottom || step.sp >= step.top)
		return 0;	/* before a rule is made: a softirq's stack may have little room */
	for (rule = find_interrupted(cache, address); rule && nr < max;
	     rule = find_caller(cache, address)) {
		frames[nr++] = address;
		if (unlikely(!take_step(&step, rule)))
			return is_user_entry(&step, rule) ? nr : 0;
		address = READ_ONCE_NOCHECK(*(step.sp - 1));
	}
	return 0;
}

/*
 * A return address is behind the call, and may belong to the next function. So the rule is that of
 * the last byte of the call, as in the kernel's unwinder.
 */
bool pprof_kernel_rules_learn(unsigned long return_address)
{
	struct rule_cache *cache = this_cpu_ptr(caches);

	if (find(cache, return_address) || !pprof_arch_is_kernel_image(return_address))
		return false;
	add(cache, return_address, return_address - 1);
	return true;
}

int pprof_kernel_rules_init(void)
{
	caches = alloc_percpu(struct rule_cache);
	return caches ? 0 : -ENOMEM;
}

void pprof_kernel_rules_exit(void)
{
	free_percpu(caches);
}
