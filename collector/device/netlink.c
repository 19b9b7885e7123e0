// SPDX-License-Identifier: GPL-2.0
#include "device/netlink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#define DATAGRAM_BYTES	(16 << 10)	/* the deepest stack takes 2 KiB */
/* A burst of announcements waits in the socket while the caller looks up symbols. */
#define SOCKET_BYTES	(8 << 20)
#define DATAGRAMS_A_CALL	64

struct netlink {
	struct nl_sock *sock;
	int family;
	/* The errno that the kernel sent, negative, or 0. libnl's own codes are coarser. */
	int error;
	uint64_t flushed_seq;
	netlink_session_fn take_session;
	void *take_arg;
	struct netlink_session session;	/* the next messages may be about it, too */
	bool has_session;
	struct netlink_thread thread;
	union {
		struct nlmsghdr first;
		char bytes[DATAGRAM_BYTES];
	} datagram;
};

/* libnl checks only a minimum by default. A longer number would be misread. */
#define EXACTLY(bytes)	{ .minlen = (bytes), .maxlen = (bytes) }
#define U32		EXACTLY(sizeof(uint32_t))
#define U64		EXACTLY(sizeof(uint64_t))

/* Strings and arrays are not listed: their length is checked when they are copied. */
static const struct nla_policy policy[PPROF_A_MAX + 1] = {
	[PPROF_A_SESSION_ID]	= U32,
	[PPROF_A_FLAGS]		= U32,
	[PPROF_A_PID]		= U32,
	[PPROF_A_TID]		= U32,
	[PPROF_A_UID]		= U32,
	[PPROF_A_TARGETS]	= U32,
	[PPROF_A_SOURCES]	= U64,
	[PPROF_A_PERIOD_NS]	= U64,
	[PPROF_A_RING_BYTES]	= U32,
	[PPROF_A_CPU_ID]	= U32,
	[PPROF_A_PENDING]	= U64,
	[PPROF_A_CLASS_ID]	= U32,
	[PPROF_A_PRODUCED]	= U64,
	[PPROF_A_SEQ]		= U64,
	[PPROF_A_NEW_TID]	= U32,
	[PPROF_A_TIME_NS]	= U64,
	[PPROF_A_EXEC_ID]	= U64,
	[PPROF_A_END_REASON]	= U32,
	[PPROF_A_TICK_NS]	= U64,
	[PPROF_A_WALL_PERIOD_NS] = U64,
	[PPROF_A_WALL_TICK_NS]	= U64,
};

static uint32_t get_u32(const struct nlattr *a)
{
	return a ? nla_get_u32(a) : 0;
}

/* Attributes are aligned to 4 only; nla_get_u64() copies. */
static uint64_t get_u64(const struct nlattr *a)
{
	return a ? nla_get_u64(a) : 0;
}

/* The kernel ends the string with a NUL, but nothing here depends on that. */
static void get_comm(const struct nlattr *a, char comm[PPROF_COMM_LEN])
{
	memset(comm, 0, PPROF_COMM_LEN);
	if (a)
		nla_memcpy(comm, a, PPROF_COMM_LEN - 1);
}

/* Copies at most max numbers to `to`. *nr becomes the number in the message, also above max. */
static int get_array(const struct nlattr *a, uint64_t *to, size_t max, size_t *nr)
{
	size_t len = a ? nla_len(a) : 0;

	*nr = len / sizeof(*to);
	if (len % sizeof(*to))
		return -EINVAL;
	if (len)
		memcpy(to, nla_data(a), (*nr < max ? *nr : max) * sizeof(*to));
	return 0;
}

/*
 * Checks the lengths of message, header and attributes against each other. After success all of
 * attrs lie inside of the message. The cast drops const, since libnl takes no const header; libnl
 * changes nothing there.
 */
static int parse_message(const void *msg, size_t len, uint8_t cmd, struct nlattr **attrs)
{
	struct nlmsghdr *header = (struct nlmsghdr *)msg;

	if (len > INT_MAX || !nlmsg_ok(header, len) || !genlmsg_valid_hdr(header, 0))
		return -EINVAL;
	if (genlmsg_hdr(header)->cmd != cmd)
		return -EINVAL;
	return genlmsg_parse(header, 0, attrs, PPROF_A_MAX, policy) ? -EINVAL : 0;
}

/* A stack with more frames than the ABI allows is truncated as one that is too deep. */
static int parse_frames(const struct nlattr *a, struct netlink_thread *out)
{
	size_t nr;

	if (get_array(a, out->frames, PPROF_MAX_FRAMES, &nr))
		return -EINVAL;
	out->nr_frames = nr;
	if (nr > PPROF_MAX_FRAMES) {
		out->nr_frames = PPROF_MAX_FRAMES;
		out->end_reason = PPROF_END_DEPTH;
	}
	return 0;
}

int netlink_parse_thread(const void *msg, size_t len, struct netlink_thread *out)
{
	struct nlattr *attrs[PPROF_A_MAX + 1];

	if (parse_message(msg, len, PPROF_CMD_THREAD, attrs))
		return -EINVAL;
	out->seq = get_u64(attrs[PPROF_A_SEQ]);
	out->time_ns = get_u64(attrs[PPROF_A_TIME_NS]);
	out->exec_id = get_u64(attrs[PPROF_A_EXEC_ID]);
	out->pid = get_u32(attrs[PPROF_A_PID]);
	out->tid = get_u32(attrs[PPROF_A_TID]);
	out->uid = get_u32(attrs[PPROF_A_UID]);
	out->new_tid = get_u32(attrs[PPROF_A_NEW_TID]);
	out->end_reason = get_u32(attrs[PPROF_A_END_REASON]);
	get_comm(attrs[PPROF_A_COMM], out->comm);
	return parse_frames(attrs[PPROF_A_FRAMES], out);
}

/* An unknown class, of a newer module, is skipped: the arrays have no entry for it. */
static int parse_class(struct nlattr *nest, struct netlink_cpu *out)
{
	struct nlattr *attrs[PPROF_A_MAX + 1];
	uint32_t id;
	size_t nr;

	if (nla_parse_nested(attrs, PPROF_A_MAX, nest, policy))
		return -EINVAL;
	id = get_u32(attrs[PPROF_A_CLASS_ID]);
	if (id >= PPROF_NR_CLASSES)
		return 0;
	out->produced[id] = get_u64(attrs[PPROF_A_PRODUCED]);
	if (get_array(attrs[PPROF_A_LOST], out->lost[id], PPROF_MAX_LOST, &nr))
		return -EINVAL;
	return get_array(attrs[PPROF_A_END_REASONS], out->end_reasons[id], PPROF_MAX_END_REASONS,
			 &nr);
}

/* PPROF_A_CLASS is repeated, and attrs holds only one of each: so there is a second walk. */
static int parse_cpu(struct nlattr *nest, struct netlink_cpu *out)
{
	struct nlattr *attrs[PPROF_A_MAX + 1];
	struct nlattr *a;
	int left;

	if (nla_parse_nested(attrs, PPROF_A_MAX, nest, policy))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	out->id = get_u32(attrs[PPROF_A_CPU_ID]);
	out->pending_bytes = get_u64(attrs[PPROF_A_PENDING]);
	out->tick_ns = get_u64(attrs[PPROF_A_TICK_NS]);
	out->wall_tick_ns = get_u64(attrs[PPROF_A_WALL_TICK_NS]);
	nla_for_each_nested(a, nest, left) {
		if (nla_type(a) == PPROF_A_CLASS && parse_class(a, out))
			return -EINVAL;
	}
	return 0;
}

int netlink_parse_session(const void *msg, size_t len, struct netlink_session *out,
			  struct netlink_cpu *cpu)
{
	struct nlattr *attrs[PPROF_A_MAX + 1];

	if (parse_message(msg, len, PPROF_CMD_SESSION_GET, attrs))
		return -EINVAL;
	out->id = get_u32(attrs[PPROF_A_SESSION_ID]);
	out->flags = get_u32(attrs[PPROF_A_FLAGS]);
	out->pid = get_u32(attrs[PPROF_A_PID]);
	out->uid = get_u32(attrs[PPROF_A_UID]);
	out->nr_targets = get_u32(attrs[PPROF_A_TARGETS]);
	out->sources = get_u64(attrs[PPROF_A_SOURCES]);
	out->period_ns = get_u64(attrs[PPROF_A_PERIOD_NS]);
	out->wall_period_ns = get_u64(attrs[PPROF_A_WALL_PERIOD_NS]);
	out->ring_bytes = get_u32(attrs[PPROF_A_RING_BYTES]);
	get_comm(attrs[PPROF_A_COMM], out->comm);
	out->nr_cpus = attrs[PPROF_A_CPU] ? 1 : 0;
	out->cpus = attrs[PPROF_A_CPU] ? cpu : NULL;
	return attrs[PPROF_A_CPU] ? parse_cpu(attrs[PPROF_A_CPU], cpu) : 0;
}

/* Maps an error code of libnl to a positive errno. Errnos of the kernel come by on_error(). */
static int errno_of(int nl_err)
{
	switch (-nl_err) {
	case NLE_OBJ_NOTFOUND:
		return ENOENT;
	case NLE_NOMEM:
		return ENOMEM;
	case NLE_DUMP_INTR:
		return EINTR;
	default:
		return EIO;
	}
}

/* Returns the errno that the kernel sent; if there is none, that of libnl's error nl_err. */
static int result_of(const struct netlink *n, int nl_err)
{
	if (n->error)
		return n->error;
	return nl_err < 0 ? -errno_of(nl_err) : 0;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct netlink *n = arg;

	(void)from;
	n->error = err->error;
	return NL_STOP;
}

/*
 * The message that ends a dump carries an errno. libnl drops it: without this, sessions would be
 * missing without an error.
 */
static int on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct netlink *n = arg;
	int err = 0;

	if (nlmsg_datalen(header) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(header), sizeof(err));
	if (err < 0)
		n->error = err;
	return NL_STOP;
}

/* Passes the session of the messages before to the caller's function, if there is one. */
static void pass_session(struct netlink *n)
{
	if (n->has_session)
		n->take_session(n->take_arg, &n->session);
	n->has_session = false;
	free(n->session.cpus);
	n->session.cpus = NULL;
}

static int append_cpu(struct netlink_session *s, const struct netlink_cpu *cpu)
{
	struct netlink_cpu *cpus = reallocarray(s->cpus, s->nr_cpus + 1, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	cpus[s->nr_cpus++] = *cpu;
	s->cpus = cpus;
	return 0;
}

/* A message holds one ring of a session. The messages of a session follow each other. */
static int on_session(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct netlink_session part;
	struct netlink_cpu cpu;
	struct netlink *n = arg;

	if (netlink_parse_session(header, header->nlmsg_len, &part, &cpu))
		return NL_SKIP;
	if (!n->has_session || n->session.id != part.id) {
		pass_session(n);
		n->session = part;
		n->session.nr_cpus = 0;
		n->session.cpus = NULL;
		n->has_session = true;
	}
	if (part.nr_cpus && append_cpu(&n->session, &cpu))
		n->error = -ENOMEM;
	return NL_OK;
}

static int on_flushed(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct nlattr *attrs[PPROF_A_MAX + 1];
	struct netlink *n = arg;

	if (parse_message(header, header->nlmsg_len, PPROF_CMD_FLUSH, attrs))
		return NL_SKIP;
	n->flushed_seq = get_u64(attrs[PPROF_A_SEQ]);
	return NL_OK;
}

/*
 * Requests the list of all families. To request this one by name would make the kernel try to
 * load a module.
 * Returns: the id of the family, or a negative errno.
 */
static int find_family(struct nl_sock *sock)
{
	struct genl_family *family;
	struct nl_cache *families;
	int err, id;

	err = genl_ctrl_alloc_cache(sock, &families);
	if (err < 0)
		return -errno_of(err);
	family = genl_ctrl_search_by_name(families, PPROF_GENL_NAME);
	if (!family)
		id = -ENOENT;
	else if (genl_family_get_version(family) != PPROF_GENL_VERSION)
		id = -EPROTONOSUPPORT;
	else
		id = genl_family_get_id(family);
	if (family)
		genl_family_put(family);
	nl_cache_free(families);
	return id;
}

static int connect_family(struct netlink *n)
{
	int err;

	n->sock = nl_socket_alloc();
	if (!n->sock)
		return -ENOMEM;
	err = genl_connect(n->sock);
	if (err < 0)
		return -errno_of(err);
	n->family = find_family(n->sock);
	if (n->family < 0)
		return n->family;
	nl_socket_disable_auto_ack(n->sock);	/* no call reads an ack that follows an answer */
	nl_socket_modify_err_cb(n->sock, NL_CB_CUSTOM, on_error, n);
	nl_socket_modify_cb(n->sock, NL_CB_FINISH, NL_CB_CUSTOM, on_done, n);
	return 0;
}

struct netlink *netlink_open(void)
{
	struct netlink *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return NULL;
	err = connect_family(n);
	if (!err)
		return n;
	netlink_close(n);
	errno = -err;
	return NULL;
}

void netlink_close(struct netlink *n)
{
	if (!n)
		return;
	nl_socket_free(n->sock);
	free(n);
}

/* libnl fills in the port and the sequence number: it finds the answer by them. */
static struct nl_msg *new_command(const struct netlink *n, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return NULL;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, n->family, 0, flags, cmd,
			PPROF_GENL_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/*
 * Sends the command, and calls on_answer for each message of the answer.
 * Returns: 0 or more, or a negative error code of libnl; n->error may say more: see result_of().
 */
static int request(struct netlink *n, uint8_t cmd, int flags, nl_recvmsg_msg_cb_t on_answer)
{
	struct nl_msg *msg = new_command(n, cmd, flags);
	int err;

	if (!msg)
		return -NLE_NOMEM;
	nl_socket_modify_cb(n->sock, NL_CB_VALID, NL_CB_CUSTOM, on_answer, n);
	n->error = 0;
	err = nl_send_auto(n->sock, msg);
	nlmsg_free(msg);
	if (err >= 0)
		err = nl_recvmsgs_default(n->sock);
	return err;
}

int netlink_sessions(struct netlink *n, netlink_session_fn take, void *arg)
{
	int err;

	n->take_session = take;
	n->take_arg = arg;
	err = request(n, PPROF_CMD_SESSION_GET, NLM_F_DUMP, on_session);
	pass_session(n);
	return result_of(n, err);
}

int netlink_flush(struct netlink *n, uint64_t *seq)
{
	int err = request(n, PPROF_CMD_FLUSH, 0, on_flushed);

	*seq = n->flushed_seq;
	return result_of(n, err);
}

/*
 * Best effort: a smaller buffer overruns sooner, and the loss is counted. SO_RCVBUFFORCE may exceed
 * net.core.rmem_max. It needs CAP_NET_ADMIN, as the whole family does.
 */
static void enlarge_buffer(struct netlink *n)
{
	int bytes = SOCKET_BYTES;

	if (setsockopt(netlink_fd(n), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		nl_socket_set_buffer_size(n->sock, bytes, 0);
}

int netlink_fd(const struct netlink *n)
{
	return nl_socket_get_fd(n->sock);
}

/*
 * Receives one datagram, without waiting. A process with CAP_NET_ADMIN can send one, too, and must
 * not forge an audit: only port 0, the kernel's, counts. nl_recvmsgs() is not used: it takes
 * ENOBUFS for an error, and makes two system calls for each datagram.
 * Returns: the length, 0 if the sender is not the kernel, or a negative errno.
 */
static ssize_t receive_datagram(struct netlink *n)
{
	struct sockaddr_nl from = { 0 };
	socklen_t from_bytes = sizeof(from);
	ssize_t len;

	do {
		len = recvfrom(netlink_fd(n), n->datagram.bytes, sizeof(n->datagram), MSG_DONTWAIT,
			       (struct sockaddr *)&from, &from_bytes);
	} while (len < 0 && (errno == ENOBUFS || errno == EINTR));
	if (len < 0)
		return -errno;
	return from.nl_pid ? 0 : len;
}

static int send_listen(struct netlink *n, bool stacks)
{
	struct nl_msg *msg = new_command(n, PPROF_CMD_LISTEN, NLM_F_ACK);
	int err;

	if (!msg)
		return -ENOMEM;
	if (stacks && nla_put_flag(msg, PPROF_A_STACKS)) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	err = nl_send_auto(n->sock, msg);
	nlmsg_free(msg);
	return err < 0 ? -errno_of(err) : 0;
}

/* Returns: the result in the acknowledgment, 0 or a negative errno; 1 if the datagram has none. */
static int find_answer(const struct netlink *n, int len)
{
	const struct nlmsghdr *header = &n->datagram.first;
	const struct nlmsgerr *answer;

	if (!nlmsg_ok(header, len) || header->nlmsg_type != NLMSG_ERROR ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof(*answer)))
		return 1;
	answer = nlmsg_data(header);
	return answer->error;
}

/*
 * The kernel answers during sendmsg(). Announcements may stand before the answer, where libnl does
 * not expect them, so the answer is read here. These announcements are dropped: their threads were
 * created before this function returned.
 */
int netlink_listen(struct netlink *n, bool stacks)
{
	int result;
	ssize_t len;

	enlarge_buffer(n);
	result = send_listen(n, stacks);
	if (result)
		return result;
	do {
		len = receive_datagram(n);
		result = len < 0 ? len : find_answer(n, len);
	} while (result > 0);
	return result;
}

/* A datagram over DATAGRAM_BYTES ends in a message that is not complete; that is not read. */
static void take_threads(struct netlink *n, int len, netlink_thread_fn take, void *arg)
{
	struct nlmsghdr *header = &n->datagram.first;

	for (; nlmsg_ok(header, len); header = nlmsg_next(header, &len)) {
		if (header->nlmsg_type != n->family)
			continue;
		if (!netlink_parse_thread(header, header->nlmsg_len, &n->thread))
			take(arg, &n->thread);
	}
}

int netlink_receive(struct netlink *n, netlink_thread_fn take, void *arg)
{
	for (int nr = 0; nr < DATAGRAMS_A_CALL; nr++) {
		ssize_t len = receive_datagram(n);

		if (len < 0)
			return len == -EAGAIN ? nr : len;
		take_threads(n, len, take, arg);
	}
	return DATAGRAMS_A_CALL;
}
