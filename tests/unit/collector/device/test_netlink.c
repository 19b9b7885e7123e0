// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/netlink.c
// libs: -lnl-genl-3 -lnl-3
/*
 * Messages are built by hand, not by libnl. The kernel is simulated by sendmsg(), recvmsg(),
 * recvfrom() and setsockopt() of this file: they are in the executable, so libnl finds them before
 * those of libc.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "device/netlink.h"

#define FAMILY		42
#define UNKNOWN_ATTR	(PPROF_A_MAX + 7)

struct message {
	_Alignas(8) unsigned char bytes[6000];
	size_t len;
};

static void put_bytes(struct message *m, const void *data, size_t len)
{
	assert_true(m->len + NLMSG_ALIGN(len) <= sizeof(m->bytes));
	if (len)
		memcpy(m->bytes + m->len, data, len);
	m->len += NLMSG_ALIGN(len);
	((struct nlmsghdr *)m->bytes)->nlmsg_len = m->len;
}

static void begin(struct message *m, uint16_t type, uint16_t flags)
{
	struct nlmsghdr header = { .nlmsg_type = type, .nlmsg_flags = flags };

	memset(m, 0, sizeof(*m));
	put_bytes(m, &header, sizeof(header));
}

static void begin_genl(struct message *m, uint16_t type, uint8_t cmd)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = PPROF_GENL_VERSION };

	begin(m, type, 0);
	put_bytes(m, &genl, sizeof(genl));
}

static void put_attr(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr head = { .nla_len = sizeof(head) + len, .nla_type = type };

	put_bytes(m, &head, sizeof(head));
	put_bytes(m, data, len);
}

static void put_u32(struct message *m, uint16_t type, uint32_t value)
{
	put_attr(m, type, &value, sizeof(value));
}

static void put_u64(struct message *m, uint16_t type, uint64_t value)
{
	put_attr(m, type, &value, sizeof(value));
}

static size_t begin_nest(struct message *m, uint16_t type)
{
	put_attr(m, type | NLA_F_NESTED, NULL, 0);
	return m->len - sizeof(struct nlattr);
}

static void end_nest(struct message *m, size_t at)
{
	((struct nlattr *)(m->bytes + at))->nla_len = m->len - at;
}

/* Copies the message to memory without slack: ASan sees a read behind its end. */
static void *exact_copy(const struct message *m, size_t len)
{
	void *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, m->bytes, len);
	return copy;
}

static int parse_thread(const struct message *m, size_t len, struct netlink_thread *out)
{
	void *copy = exact_copy(m, len);
	int err = netlink_parse_thread(copy, len, out);

	free(copy);
	return err;
}

static int parse_session(const struct message *m, struct netlink_session *out,
			 struct netlink_cpu *cpu)
{
	void *copy = exact_copy(m, m->len);
	int err = netlink_parse_session(copy, m->len, out, cpu);

	free(copy);
	return err;
}

static void build_thread(struct message *m, uint64_t seq)
{
	static const uint64_t frames[] = { 0x401234, 0x7fff00001111, UINT64_MAX };

	begin_genl(m, FAMILY, PPROF_CMD_THREAD);
	put_u64(m, PPROF_A_SEQ, seq);
	put_u64(m, PPROF_A_TIME_NS, 1234567890123456789);
	put_u64(m, PPROF_A_EXEC_ID, 1ULL << 40);
	put_u32(m, PPROF_A_PID, 10);
	put_u32(m, PPROF_A_TID, 11);
	put_u32(m, PPROF_A_UID, 12);
	put_u32(m, PPROF_A_NEW_TID, 13);
	put_attr(m, PPROF_A_COMM, "nginx", 6);
	put_u32(m, PPROF_A_END_REASON, PPROF_END_FAULT);
	put_attr(m, PPROF_A_FRAMES, frames, sizeof(frames));
}

static void test_thread_reads_every_attribute(void **state)
{
	struct netlink_thread t;
	struct message m;

	(void)state;
	memset(&t, 0xFF, sizeof(t));
	build_thread(&m, 5);
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_int_equal(t.seq, 5);
	assert_int_equal(t.time_ns, 1234567890123456789);
	assert_int_equal(t.exec_id, 1ULL << 40);
	assert_int_equal(t.pid, 10);
	assert_int_equal(t.tid, 11);
	assert_int_equal(t.uid, 12);
	assert_int_equal(t.new_tid, 13);
	assert_string_equal(t.comm, "nginx");
	assert_int_equal(t.end_reason, PPROF_END_FAULT);
	assert_int_equal(t.nr_frames, 3);
	assert_int_equal(t.frames[0], 0x401234);
	assert_int_equal(t.frames[1], 0x7fff00001111);
	assert_int_equal(t.frames[2], UINT64_MAX);
}

static void test_thread_skips_unknown_and_zeroes_missing(void **state)
{
	struct netlink_thread t;
	struct message m;

	(void)state;
	memset(&t, 0xFF, sizeof(t));
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_attr(&m, UNKNOWN_ATTR, "abc", 3);
	put_attr(&m, PPROF_A_PAD, NULL, 0);
	put_u32(&m, PPROF_A_PID, 99);
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_int_equal(t.pid, 99);
	assert_int_equal(t.seq | t.time_ns | t.exec_id, 0);
	assert_int_equal(t.tid | t.uid | t.new_tid | t.end_reason | t.nr_frames, 0);
	assert_string_equal(t.comm, "");
}

static void test_thread_refuses_wrong_lengths(void **state)
{
	static const struct {
		uint16_t type;
		uint16_t len;
	} bad[] = {
		{ PPROF_A_PID, 0 }, { PPROF_A_PID, 2 }, { PPROF_A_PID, 8 },
		{ PPROF_A_TID, 3 }, { PPROF_A_UID, 5 }, { PPROF_A_NEW_TID, 2 },
		{ PPROF_A_SEQ, 4 }, { PPROF_A_SEQ, 16 }, { PPROF_A_TIME_NS, 7 },
		{ PPROF_A_EXEC_ID, 4 }, { PPROF_A_END_REASON, 1 },
		{ PPROF_A_FRAMES, 4 }, { PPROF_A_FRAMES, 15 },
	};
	static const char zeroes[16];
	struct netlink_thread t;
	struct message m;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
		put_attr(&m, bad[i].type, zeroes, bad[i].len);
		assert_int_equal(parse_thread(&m, m.len, &t), -EINVAL);
	}
}

static void test_thread_refuses_every_cut(void **state)
{
	struct netlink_thread t;
	struct message m;

	(void)state;
	build_thread(&m, 1);
	for (size_t len = 0; len < m.len; len++)
		assert_int_equal(parse_thread(&m, len, &t), -EINVAL);
}

/* An attribute, and a message, whose length reaches beyond the end of the message. */
static void test_thread_survives_lying_lengths(void **state)
{
	struct netlink_thread t;
	struct message m;

	(void)state;
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_u32(&m, PPROF_A_PID, 7);
	put_attr(&m, PPROF_A_COMM, "abc", 4);
	((struct nlattr *)(m.bytes + m.len - 8))->nla_len = UINT16_MAX;
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_int_equal(t.pid, 7);
	assert_string_equal(t.comm, "");
	for (uint32_t len = 0; len < NLMSG_HDRLEN + GENL_HDRLEN; len++) {
		((struct nlmsghdr *)m.bytes)->nlmsg_len = len;
		assert_int_equal(parse_thread(&m, m.len, &t), -EINVAL);
	}
}

static void test_thread_refuses_other_commands(void **state)
{
	struct netlink_session s;
	struct netlink_thread t;
	struct netlink_cpu cpu;
	struct message m;

	(void)state;
	begin_genl(&m, FAMILY, PPROF_CMD_SESSION_GET);
	assert_int_equal(parse_thread(&m, m.len, &t), -EINVAL);
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	assert_int_equal(parse_session(&m, &s, &cpu), -EINVAL);
}

static void test_thread_cuts_comm_without_nul(void **state)
{
	struct netlink_thread t;
	struct message m;

	(void)state;
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_attr(&m, PPROF_A_COMM, "0123456789abcdefghi", 19);
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_string_equal(t.comm, "0123456789abcde");
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_attr(&m, PPROF_A_COMM, "ab", 2);
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_string_equal(t.comm, "ab");
}

static void test_thread_bounds_frames(void **state)
{
	uint64_t frames[PPROF_MAX_FRAMES + 1];
	struct netlink_thread t;
	struct message m;

	(void)state;
	for (uint64_t i = 0; i <= PPROF_MAX_FRAMES; i++)
		frames[i] = i + 1;
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_attr(&m, PPROF_A_FRAMES, frames, PPROF_MAX_FRAMES * sizeof(*frames));
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_int_equal(t.nr_frames, PPROF_MAX_FRAMES);
	assert_int_equal(t.end_reason, PPROF_END_COMPLETE);
	begin_genl(&m, FAMILY, PPROF_CMD_THREAD);
	put_attr(&m, PPROF_A_FRAMES, frames, sizeof(frames));
	assert_int_equal(parse_thread(&m, m.len, &t), 0);
	assert_int_equal(t.nr_frames, PPROF_MAX_FRAMES);
	assert_int_equal(t.frames[PPROF_MAX_FRAMES - 1], PPROF_MAX_FRAMES);
	assert_int_equal(t.end_reason, PPROF_END_DEPTH);
}

static void put_class_as(struct message *m, uint16_t type, uint32_t id, uint64_t produced,
			 const uint64_t *lost, size_t lost_bytes)
{
	static const uint64_t ended[PPROF_MAX_END_REASONS + 1] = { 70,
								   [PPROF_MAX_END_REASONS - 1] = 30,
								   99 };
	size_t at = begin_nest(m, type);

	put_u32(m, PPROF_A_CLASS_ID, id);
	put_u64(m, PPROF_A_PRODUCED, produced);
	put_attr(m, PPROF_A_LOST, lost, lost_bytes);
	put_attr(m, PPROF_A_END_REASONS, ended, sizeof(ended));
	end_nest(m, at);
}

static void put_class(struct message *m, uint32_t id, uint64_t produced, const uint64_t *lost,
		      size_t lost_bytes)
{
	put_class_as(m, PPROF_A_CLASS, id, produced, lost, lost_bytes);
}

static void build_cpu(struct message *m, uint32_t id)
{
	static const uint64_t lost[PPROF_MAX_LOST + 1] = { 1, 2, 3, 4, 5 };
	size_t at = begin_nest(m, PPROF_A_CPU);

	put_u32(m, PPROF_A_CPU_ID, id);
	put_u64(m, PPROF_A_PENDING, 640);
	put_u64(m, PPROF_A_TICK_NS, 10000000);
	put_u64(m, PPROF_A_WALL_TICK_NS, 40000000);
	put_class(m, PPROF_SOURCE_CPU, 100, lost, 2 * sizeof(*lost));
	put_class(m, PPROF_NR_CLASSES, 7, lost, sizeof(*lost));
	put_class(m, PPROF_NR_CLASSES - 1, 200, lost, sizeof(lost));
	put_class_as(m, UNKNOWN_ATTR, PPROF_SOURCE_CPU, 999, lost, sizeof(*lost));
	end_nest(m, at);
}

static void build_session(struct message *m, uint32_t id)
{
	begin_genl(m, FAMILY, PPROF_CMD_SESSION_GET);
	put_u32(m, PPROF_A_SESSION_ID, id);
	put_u32(m, PPROF_A_FLAGS, PPROF_SETUP_CHILDREN);
	put_u32(m, PPROF_A_PID, 20);
	put_u32(m, PPROF_A_UID, 21);
	put_attr(m, PPROF_A_COMM, "owner", 6);
	put_u32(m, PPROF_A_TARGETS, 22);
	put_u64(m, PPROF_A_SOURCES, 3);
	put_u64(m, PPROF_A_PERIOD_NS, 10000000);
	put_u64(m, PPROF_A_WALL_PERIOD_NS, 20000000);
	put_u32(m, PPROF_A_RING_BYTES, 65536);
}

static void test_session_reads_every_attribute(void **state)
{
	struct netlink_session s;
	struct netlink_cpu cpu;
	struct message m;

	(void)state;
	build_session(&m, 6);
	assert_int_equal(parse_session(&m, &s, &cpu), 0);
	assert_int_equal(s.id, 6);
	assert_int_equal(s.flags, PPROF_SETUP_CHILDREN);
	assert_int_equal(s.pid, 20);
	assert_int_equal(s.uid, 21);
	assert_string_equal(s.comm, "owner");
	assert_int_equal(s.nr_targets, 22);
	assert_int_equal(s.sources, 3);
	assert_int_equal(s.period_ns, 10000000);
	assert_int_equal(s.wall_period_ns, 20000000);
	assert_int_equal(s.ring_bytes, 65536);
	assert_int_equal(s.nr_cpus, 0);
	assert_null(s.cpus);
}

/* Classes and reasons of a newer kernel must not be written behind the arrays. */
static void test_session_reads_counters(void **state)
{
	struct netlink_session s;
	struct netlink_cpu cpu;
	struct message m;

	(void)state;
	memset(&cpu, 0xFF, sizeof(cpu));
	build_session(&m, 6);
	build_cpu(&m, 4);
	assert_int_equal(parse_session(&m, &s, &cpu), 0);
	assert_int_equal(s.nr_cpus, 1);
	assert_ptr_equal(s.cpus, &cpu);
	assert_int_equal(cpu.id, 4);
	assert_int_equal(cpu.pending_bytes, 640);
	assert_int_equal(cpu.tick_ns, 10000000);
	assert_int_equal(cpu.wall_tick_ns, 40000000);
	assert_int_equal(cpu.produced[PPROF_SOURCE_CPU], 100);
	assert_int_equal(cpu.lost[PPROF_SOURCE_CPU][PPROF_LOST_FULL], 1);
	assert_int_equal(cpu.lost[PPROF_SOURCE_CPU][PPROF_LOST_QUEUE], 2);
	assert_int_equal(cpu.lost[PPROF_SOURCE_CPU][2], 0);
	assert_int_equal(cpu.end_reasons[PPROF_SOURCE_CPU][PPROF_END_COMPLETE], 70);
	assert_int_equal(cpu.end_reasons[PPROF_SOURCE_CPU][PPROF_MAX_END_REASONS - 1], 30);
	assert_int_equal(cpu.end_reasons[PPROF_SOURCE_CPU + 1][PPROF_END_COMPLETE], 0);
	assert_int_equal(cpu.produced[PPROF_SOURCE_MUTEX], 0);
	assert_int_equal(cpu.produced[PPROF_NR_CLASSES - 1], 200);
	assert_int_equal(cpu.lost[PPROF_NR_CLASSES - 1][PPROF_MAX_LOST - 1], 4);
}

static void test_session_refuses_bad_nests(void **state)
{
	static const uint64_t lost[1];
	struct netlink_session s;
	struct netlink_cpu cpu;
	struct message m;
	size_t at;

	(void)state;
	begin_genl(&m, FAMILY, PPROF_CMD_SESSION_GET);
	at = begin_nest(&m, PPROF_A_CPU);
	put_class(&m, PPROF_SOURCE_CPU, 1, lost, 4);
	end_nest(&m, at);
	assert_int_equal(parse_session(&m, &s, &cpu), -EINVAL);
	begin_genl(&m, FAMILY, PPROF_CMD_SESSION_GET);
	at = begin_nest(&m, PPROF_A_CPU);
	put_u64(&m, PPROF_A_CPU_ID, 1);
	end_nest(&m, at);
	assert_int_equal(parse_session(&m, &s, &cpu), -EINVAL);
}

/* The kernel's side: answers queue up in sendmsg() and leave by recvmsg(). */

struct datagram {
	struct message m;
	int error;		/* receiving it fails with this errno */
	uint32_t from_port;	/* 0: the kernel */
};

static struct {
	bool loaded;
	uint8_t version;
	int command_error;
	int done_error;
	uint16_t sessions_flags;
	uint32_t nr_sessions;	/* each of nr_rings messages, one at least */
	uint32_t nr_rings;
	struct nlmsghdr request;
	bool stacks_wanted;
	bool endless;
	uint64_t flushes;
	struct datagram queue[8];
	unsigned int nr_put;
	unsigned int nr_taken;
} kernel;

static struct datagram *put_datagram(void)
{
	assert_true(kernel.nr_put < sizeof(kernel.queue) / sizeof(*kernel.queue));
	return &kernel.queue[kernel.nr_put++];
}

static struct message *put_answer(void)
{
	return &put_datagram()->m;
}

/* libnl accepts only answers with the sequence number and the port of its request. */
static void address(struct message *m, uint16_t flags)
{
	struct nlmsghdr *header = (struct nlmsghdr *)m->bytes;

	header->nlmsg_flags = flags;
	header->nlmsg_seq = kernel.request.nlmsg_seq;
	header->nlmsg_pid = kernel.request.nlmsg_pid;
}

static void answer_error(int err)
{
	struct nlmsgerr body = { .error = err, .msg = kernel.request };
	struct message *m = put_answer();

	begin(m, NLMSG_ERROR, 0);
	put_bytes(m, &body, sizeof(body));
	address(m, 0);
}

static void answer_done(int err)
{
	struct message *m = put_answer();

	begin(m, NLMSG_DONE, 0);
	put_bytes(m, &err, sizeof(err));
	address(m, NLM_F_MULTI);
}

static void answer_family(uint16_t flags)
{
	struct message *m = put_answer();
	uint16_t id = FAMILY;

	begin_genl(m, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	put_attr(m, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	put_attr(m, CTRL_ATTR_FAMILY_NAME, PPROF_GENL_NAME, sizeof(PPROF_GENL_NAME));
	put_u32(m, CTRL_ATTR_VERSION, kernel.version);
	put_u32(m, CTRL_ATTR_HDRSIZE, 0);
	put_u32(m, CTRL_ATTR_MAXATTR, PPROF_A_MAX);
	address(m, flags);
}

static void answer_controller(void)
{
	bool dump = (kernel.request.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;

	if (kernel.loaded)
		answer_family(dump ? NLM_F_MULTI : 0);
	if (dump)
		answer_done(0);
	else
		answer_error(kernel.loaded ? 0 : -ENOENT);
}

static void answer_session(uint32_t id, uint32_t ring)
{
	struct message *m = put_answer();

	build_session(m, id);
	if (ring < kernel.nr_rings)
		build_cpu(m, ring);
	address(m, NLM_F_MULTI | kernel.sessions_flags);
}

static void answer_sessions(void)
{
	for (uint32_t id = 1; id <= kernel.nr_sessions; id++) {
		answer_session(id, 0);
		for (uint32_t ring = 1; ring < kernel.nr_rings; ring++)
			answer_session(id, ring);
	}
	answer_done(kernel.done_error);
}

/* A requested acknowledgment would stand before the next answer. */
static void answer_flush(void)
{
	struct message *m = put_answer();

	begin_genl(m, FAMILY, PPROF_CMD_FLUSH);
	put_u64(m, PPROF_A_SEQ, ++kernel.flushes << 40);
	address(m, 0);
	if (kernel.request.nlmsg_flags & NLM_F_ACK)
		answer_error(0);
}

static void answer_pprof(const struct genlmsghdr *genl)
{
	const struct nlattr *first = (const struct nlattr *)(genl + 1);

	if (genl->cmd == PPROF_CMD_SESSION_GET && !kernel.command_error) {
		answer_sessions();
		return;
	}
	if (genl->cmd == PPROF_CMD_FLUSH && !kernel.command_error) {
		answer_flush();
		return;
	}
	kernel.stacks_wanted = kernel.request.nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN &&
			       first->nla_type == PPROF_A_STACKS;
	answer_error(genl->cmd == PPROF_CMD_UNSPEC ? -EOPNOTSUPP : kernel.command_error);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct nlmsghdr *request = msg->msg_iov->iov_base;

	(void)fd;
	(void)flags;
	kernel.request = *request;
	if (request->nlmsg_type == GENL_ID_CTRL)
		answer_controller();
	else
		answer_pprof(NLMSG_DATA(request));
	return msg->msg_iov->iov_len;
}

static ssize_t receive(void *to, size_t room, struct sockaddr_nl *from, bool peek)
{
	struct datagram *d = &kernel.queue[kernel.nr_taken];

	if (kernel.nr_taken == kernel.nr_put) {
		errno = EAGAIN;
		return -1;
	}
	if (!peek && !kernel.endless)
		kernel.nr_taken++;
	if (d->error) {
		errno = d->error;
		return -1;
	}
	memset(from, 0, sizeof(*from));
	from->nl_family = AF_NETLINK;
	from->nl_pid = d->from_port;
	memcpy(to, d->m.bytes, room < d->m.len ? room : d->m.len);
	return d->m.len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	size_t room = msg->msg_iov->iov_len;
	ssize_t len = receive(msg->msg_iov->iov_base, room, msg->msg_name, flags & MSG_PEEK);

	(void)fd;
	msg->msg_namelen = sizeof(struct sockaddr_nl);
	msg->msg_controllen = 0;
	msg->msg_flags = len > (ssize_t)room ? MSG_TRUNC : 0;
	return len;
}

ssize_t recvfrom(int fd, void *to, size_t room, int flags, struct sockaddr *from, socklen_t *len)
{
	(void)fd;
	(void)len;
	assert_true(flags & MSG_DONTWAIT);
	return receive(to, room, (struct sockaddr_nl *)from, false);
}

static struct netlink *open_ready(void)
{
	struct netlink *n;

	memset(&kernel, 0, sizeof(kernel));
	kernel.loaded = true;
	kernel.version = PPROF_GENL_VERSION;
	n = netlink_open();
	assert_non_null(n);
	kernel.nr_put = 0;
	kernel.nr_taken = 0;
	return n;
}

static void test_open_tells_why_not(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	assert_null(netlink_open());
	assert_int_equal(errno, ENOENT);
	memset(&kernel, 0, sizeof(kernel));
	kernel.loaded = true;
	kernel.version = PPROF_GENL_VERSION + 1;
	assert_null(netlink_open());
	assert_int_equal(errno, EPROTONOSUPPORT);
}

static void sum_ids(void *arg, const struct netlink_session *s)
{
	uint32_t *sum = arg;

	*sum = *sum * 10 + s->id;
}

static void test_sessions_are_told_in_order(void **state)
{
	struct netlink *n = open_ready();
	uint32_t ids = 0;

	(void)state;
	kernel.nr_sessions = 3;
	assert_int_equal(netlink_sessions(n, sum_ids, &ids), 0);
	assert_int_equal(ids, 123);
	kernel.nr_put = 0;
	kernel.nr_taken = 0;
	assert_int_equal(netlink_sessions(n, sum_ids, &ids), 0);
	assert_int_equal(ids, 123123);
	netlink_close(n);
}

/* Digits: the session, then its CPUs. */
static void note_cpus(void *arg, const struct netlink_session *s)
{
	uint32_t *digits = arg;

	*digits = *digits * 10 + s->id;
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		*digits = *digits * 10 + s->cpus[i].id;
		assert_int_equal(s->cpus[i].produced[PPROF_SOURCE_CPU], 100);
	}
}

static void test_sessions_are_put_together(void **state)
{
	struct netlink *n = open_ready();
	uint32_t digits = 0;

	(void)state;
	kernel.nr_sessions = 2;
	kernel.nr_rings = 3;
	assert_int_equal(netlink_sessions(n, note_cpus, &digits), 0);
	assert_int_equal(digits, 10122012);
	netlink_close(n);
}

static void test_sessions_pass_errors_on(void **state)
{
	struct netlink *n = open_ready();
	uint32_t ids = 0;

	(void)state;
	kernel.command_error = -EPERM;
	assert_int_equal(netlink_sessions(n, sum_ids, &ids), -EPERM);
	netlink_close(n);

	n = open_ready();
	kernel.nr_sessions = 1;
	kernel.done_error = -EMSGSIZE;
	assert_int_equal(netlink_sessions(n, sum_ids, &ids), -EMSGSIZE);
	assert_int_equal(ids, 1);
	netlink_close(n);

	n = open_ready();
	kernel.nr_sessions = 2;
	kernel.sessions_flags = NLM_F_DUMP_INTR;
	assert_int_equal(netlink_sessions(n, sum_ids, &ids), -EINTR);
	assert_int_equal(ids, 112);
	netlink_close(n);
}

static void test_listen_fails_if_not_allowed(void **state)
{
	struct netlink *n = open_ready();

	(void)state;
	kernel.command_error = -EPERM;
	assert_int_equal(netlink_listen(n, false), -EPERM);
	kernel.command_error = 0;
	kernel.nr_put = 0;
	kernel.nr_taken = 0;
	assert_int_equal(netlink_listen(n, false), 0);
	assert_false(kernel.stacks_wanted);
	netlink_close(n);

	n = open_ready();
	assert_int_equal(netlink_listen(n, true), 0);
	assert_true(kernel.stacks_wanted);
	netlink_close(n);
}

static void test_flush_tells_the_last_number(void **state)
{
	struct netlink *n = open_ready();
	uint64_t seq;

	(void)state;
	assert_int_equal(netlink_flush(n, &seq), 0);
	assert_int_equal(seq, 1ULL << 40);
	assert_int_equal(netlink_flush(n, &seq), 0);
	assert_int_equal(seq, 2ULL << 40);
	kernel.command_error = -EPERM;
	assert_int_equal(netlink_flush(n, &seq), -EPERM);
	netlink_close(n);
}

struct seen {
	unsigned int nr;
	uint64_t last_seq;
};

static void see_thread(void *arg, const struct netlink_thread *t)
{
	struct seen *seen = arg;

	seen->nr++;
	seen->last_seq = t->seq;
}

/* An overrun, a forged message, another family, then a real message. */
static void test_receive_takes_only_the_kernels(void **state)
{
	struct netlink *n = open_ready();
	struct seen seen = { 0 };
	struct datagram *d;

	(void)state;
	put_datagram()->error = ENOBUFS;
	d = put_datagram();
	build_thread(&d->m, 1);
	d->from_port = 4711;
	d = put_datagram();
	build_thread(&d->m, 2);
	((struct nlmsghdr *)d->m.bytes)->nlmsg_type = FAMILY + 1;
	build_thread(&put_datagram()->m, 3);
	assert_int_equal(netlink_receive(n, see_thread, &seen), 3);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.last_seq, 3);
	assert_int_equal(netlink_receive(n, see_thread, &seen), 0);
	netlink_close(n);
}

/* One bad message is skipped; a length that is not padded ends the walk. */
static void test_receive_walks_a_datagram(void **state)
{
	struct netlink *n = open_ready();
	struct datagram *d = put_datagram();
	struct seen seen = { 0 };
	struct message next;
	size_t at;

	(void)state;
	build_thread(&d->m, 1);
	at = d->m.len;
	begin_genl(&next, FAMILY, PPROF_CMD_THREAD);
	put_attr(&next, PPROF_A_SEQ, "abc", 3);
	memcpy(d->m.bytes + at, next.bytes, next.len);
	at += next.len;
	begin_genl(&next, FAMILY, PPROF_CMD_THREAD);
	put_u64(&next, PPROF_A_SEQ, 8);
	put_attr(&next, UNKNOWN_ATTR, "x", 1);
	((struct nlmsghdr *)next.bytes)->nlmsg_len -= 3;
	memcpy(d->m.bytes + at, next.bytes, next.len);
	d->m.len = at + next.len - 3;
	assert_int_equal(netlink_receive(n, see_thread, &seen), 1);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.last_seq, 8);
	netlink_close(n);
}

static void test_receive_is_bounded_and_tells_errors(void **state)
{
	struct netlink *n = open_ready();
	struct seen seen = { 0 };
	int nr;

	(void)state;
	build_thread(&put_datagram()->m, 1);
	kernel.endless = true;
	nr = netlink_receive(n, see_thread, &seen);
	assert_true(nr > 0);
	assert_int_equal(seen.nr, nr);
	kernel.queue[0].error = EBADF;
	assert_int_equal(netlink_receive(n, see_thread, &seen), -EBADF);
	netlink_close(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_reads_every_attribute),
		cmocka_unit_test(test_thread_skips_unknown_and_zeroes_missing),
		cmocka_unit_test(test_thread_refuses_wrong_lengths),
		cmocka_unit_test(test_thread_refuses_every_cut),
		cmocka_unit_test(test_thread_survives_lying_lengths),
		cmocka_unit_test(test_thread_refuses_other_commands),
		cmocka_unit_test(test_thread_cuts_comm_without_nul),
		cmocka_unit_test(test_thread_bounds_frames),
		cmocka_unit_test(test_session_reads_every_attribute),
		cmocka_unit_test(test_session_reads_counters),
		cmocka_unit_test(test_session_refuses_bad_nests),
		cmocka_unit_test(test_open_tells_why_not),
		cmocka_unit_test(test_sessions_are_told_in_order),
		cmocka_unit_test(test_sessions_are_put_together),
		cmocka_unit_test(test_sessions_pass_errors_on),
		cmocka_unit_test(test_listen_fails_if_not_allowed),
		cmocka_unit_test(test_flush_tells_the_last_number),
		cmocka_unit_test(test_receive_takes_only_the_kernels),
		cmocka_unit_test(test_receive_walks_a_datagram),
		cmocka_unit_test(test_receive_is_bounded_and_tells_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
