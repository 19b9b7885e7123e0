// SPDX-License-Identifier: GPL-2.0
#include "arch/libc_code.h"

#include <string.h>

#define CALL_BYTES		5	/* call rel32 */
#define MAX_INDIRECT_BYTES	8	/* call *disp32(base,index), with a prefix */

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const struct pprof_rule end_of_stack = { .cfa = PPROF_CFA_END };

/* At the return of a handler, sp is the address of the struct ucontext. */
static const struct pprof_rule signal_frame = { .cfa = PPROF_CFA_SIGNAL };

/*
 * arch/x86_64/crt_arch.h of musl: xor %rbp,%rbp; mov %rsp,%rdi; lea _DYNAMIC(%rip),%rsi;
 * and $-16,%rsp; call
 */
bool arch_is_musl_entry(const uint8_t *code, size_t nr)
{
	static const uint8_t before[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35 };
	static const uint8_t after[] = { 0x48, 0x83, 0xe4, 0xf0, 0xe8 };
	const size_t displacement = sizeof(before) + 4;

	return nr >= displacement + sizeof(after) && !memcmp(code, before, sizeof(before)) &&
	       !memcmp(code + displacement, after, sizeof(after));
}

/* Returns the bytes of an indirect call at code, or 0. */
static size_t indirect_call_bytes(const uint8_t *code, size_t nr)
{
	static const uint8_t displacement_bytes[] = { 0, 1, 4, 0 };
	size_t bytes = 2;
	uint8_t mod, rm;

	if (nr < MAX_INDIRECT_BYTES)
		return 0;
	if (*code == 0x41) {
		code++;
		bytes++;
	}
	if (code[0] != 0xff || (code[1] & 0x38) != 0x10)
		return 0;
	mod = code[1] >> 6;
	rm = code[1] & 7;
	if (mod != 3 && rm == 4)
		bytes++;
	if (!mod && rm == 5)
		return 0;	/* through the GOT */
	return bytes + displacement_bytes[mod];
}

static bool is_at(const uint8_t *code, size_t nr, const void *pattern, size_t bytes)
{
	return nr >= bytes && !memcmp(code, pattern, bytes);
}

/*
 * musl's exit(main(...)) and __pthread_exit(start_func(...)): the result becomes the argument of
 * the next call. mov %eax,%edi; mov %rax,%rdi; movslq %eax,%rdi
 */
static bool passes_result_on(const uint8_t *code, size_t nr)
{
	static const uint8_t mov64[] = { 0x48, 0x89, 0xc7, 0xe8 };
	static const uint8_t movslq[] = { 0x48, 0x63, 0xf8, 0xe8 };
	static const uint8_t mov32[] = { 0x89, 0xc7, 0xe8 };

	return nr >= sizeof(mov64) + CALL_BYTES &&
	       (!memcmp(code, mov64, sizeof(mov64)) || !memcmp(code, movslq, sizeof(movslq)) ||
		!memcmp(code, mov32, sizeof(mov32)));
}

/* __clone of musl: mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall */
static bool exits_with_result(const uint8_t *code, size_t nr)
{
	static const uint8_t exits[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05 };

	return is_at(code, nr, exits, sizeof(exits));
}

/*
 * boost.context, of whose make_fcontext the last part is where a fiber's function returns to:
 * push %rbp; jmp *%rbx; endbr64, if at all; xor %rdi,%rdi; call _exit; hlt. The rule is that of the
 * last byte of the jump.
 */
static bool find_fiber(const uint8_t *code, size_t nr, struct libc_code *found)
{
	static const uint8_t jump[] = { 0x55, 0xff, 0xe3 };
	static const uint8_t exits[] = { 0x48, 0x31, 0xff, 0xe8 };
	size_t at = sizeof(jump);

	if (!is_at(code, nr, jump, sizeof(jump)))
		return false;
	if (is_at(code + at, nr - at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (!is_at(code + at, nr - at, exits, sizeof(exits)))
		return false;
	*found = (struct libc_code){
		.start = sizeof(jump) - 1, .end = sizeof(jump), .rule = end_of_stack,
	};
	return true;
}

/*
 * A call of a thread's or a program's first function. The rule is that of the last byte of the
 * call: a walk looks that up, and no instruction begins there.
 */
static bool find_start(const uint8_t *code, size_t nr, bool is_musl, struct libc_code *found)
{
	size_t bytes = indirect_call_bytes(code, nr);

	if (!bytes)
		return false;
	if (!exits_with_result(code + bytes, nr - bytes) &&
	    !(is_musl && passes_result_on(code + bytes, nr - bytes)))
		return false;
	*found = (struct libc_code){
		.start = bytes - 1, .end = bytes, .rule = end_of_stack,
	};
	return true;
}

/*
 * __restore_rt: mov $15,%rax; syscall. libgcc knows it by these bytes, too. A walk looks up the
 * byte before the return address. musl has a nop there, for the same reason.
 */
static bool find_restorer(const uint8_t *code, size_t nr, struct libc_code *found)
{
	static const uint8_t restorer[] = {
		0x90, 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05,
	};

	if (!is_at(code, nr, restorer, sizeof(restorer)))
		return false;
	*found = (struct libc_code){ .end = sizeof(restorer), .rule = signal_frame };
	return true;
}

bool arch_libc_code_find(const uint8_t *code, size_t nr, bool is_musl, struct libc_code *found)
{
	for (size_t at = 0; at < nr; at++) {
		if (!find_restorer(code + at, nr - at, found) &&
		    !find_start(code + at, nr - at, is_musl, found) &&
		    !find_fiber(code + at, nr - at, found))
			continue;
		found->start += at;
		found->end += at;
		return true;
	}
	return false;
}

/*
 * mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je; call __setcontext; mov %rax,%rdi; call exit;
 * hlt
 */
bool arch_is_context_start(const uint8_t *code, size_t nr)
{
	static const uint8_t before[] = {
		0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74, 0x08, 0xe8,
	};
	static const uint8_t between[] = { 0x48, 0x89, 0xc7, 0xe8 };
	const size_t second = sizeof(before) + 4, bytes = second + sizeof(between) + 4 + 1;

	if (nr == bytes + sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64))) {
		code += sizeof(endbr64);
		nr = bytes;
	}
	return nr == bytes && !memcmp(code, before, sizeof(before)) &&
	       !memcmp(code + second, between, sizeof(between)) && code[bytes - 1] == 0xf4;
}
