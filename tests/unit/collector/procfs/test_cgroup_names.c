// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup_names.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "procfs/cgroup_names.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID	"6f3c62f1-44f5-4f4b-8a5e-0a8ed6d8e2b6"
#define UID_	"6f3c62f1_44f5_4f4b_8a5e_0a8ed6d8e2b6"
#define HASH	"2e5c8a8e7ac4d1d0be8e0b8dd1b5e8b7"

struct row {
	const char *path;
	struct cgroup_names names;
};

static void check(const struct row *row)
{
	/* A copy without a spare byte, so that ASan sees one read too many. */
	char *path = strdup(row->path);
	struct cgroup_names names;

	assert_non_null(path);
	memset(&names, 'x', sizeof(names));
	cgroup_names_find(path, &names);
	free(path);
	if (strcmp(names.container, row->names.container) || strcmp(names.pod, row->names.pod) ||
	    strcmp(names.unit, row->names.unit))
		fail_msg("%s: '%s', '%s', '%s'", row->path, names.container, names.pod,
			 names.unit);
}

#define CHECK_ALL(rows)	\
	for (size_t i = 0; i < sizeof(rows) / sizeof(*(rows)); i++)	\
		check(&(rows)[i])

static void test_runtimes(void **state)
{
	static const struct row rows[] = {
		{ "/system.slice/docker-" ID ".scope", { ID, "", "" } },
		{ "/docker/" ID, { ID, "", "" } },
		{ "/system.slice/cri-containerd-" ID ".scope", { ID, "", "" } },
		{ "/system.slice/crio-" ID ".scope", { ID, "", "" } },
		{ "/machine.slice/libpod-" ID ".scope", { ID, "", "" } },
		{ "/machine.slice/libpod-" ID ".scope/container", { ID, "", "" } },
		{ "/libpod_parent/libpod-" ID, { ID, "", "" } },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
		  ".scope/container", { ID, "", "" } },
		{ "/system.slice/web.service/libpod-payload-" ID, { ID, "", "web.service" } },
		/* Seen from a cgroup namespace elsewhere. */
		{ "/../../docker-" ID ".scope", { ID, "", "" } },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_kubernetes(void **state)
{
	static const struct row rows[] = {
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/"
		  "cri-containerd-" ID ".scope", { ID, UID, "" } },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
		  ".slice/crio-" ID ".scope", { ID, UID, "" } },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" ID ".scope",
		  { ID, UID, "" } },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" HASH
		  ".slice/cri-containerd-" ID ".scope", { ID, HASH, "" } },
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_
		  ".slice/cri-containerd-" ID ".scope", { ID, UID, "" } },
		{ "/kubepods/burstable/pod" UID "/" ID, { ID, UID, "" } },
		{ "/kubepods/besteffort/pod" UID "/crio-" ID, { ID, UID, "" } },
		{ "/kubepods/pod" UID "/" ID, { ID, UID, "" } },
		{ "/kubepods/pod" HASH "/" ID, { ID, HASH, "" } },
		{ "/kubepods/pod" UID, { "", UID, "" } },
		{ "/system.slice/containerd.service/kubepods-burstable-pod" UID_
		  ".slice:cri-containerd:" ID, { ID, UID, "" } },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_services(void **state)
{
	static const struct row rows[] = {
		{ "/system.slice/nginx.service", { "", "", "nginx.service" } },
		{ "/system.slice/nginx.service/worker", { "", "", "nginx.service" } },
		{ "/system.slice/system-getty.slice/getty@tty1.service",
		  { "", "", "getty@tty1.service" } },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/a\\x2db.service",
		  { "", "", "a\\x2db.service" } },
		{ "/user.slice/user-1000.slice/user@1000.service/init.scope", { "", "", "" } },
		{ "/user.slice/user-1000.slice/session-3.scope", { "", "", "" } },
		{ "/system.slice/_cpu.service", { "", "", "cpu.service" } },
		{ "/init.scope", { "", "", "" } },
		{ "/system.slice", { "", "", "" } },
		{ "/system.slice/.service", { "", "", "" } },
	};

	(void)state;
	CHECK_ALL(rows);
}

/* The innermost name wins. */
static void test_nested(void **state)
{
	static const struct row rows[] = {
		{ "/system.slice/docker-" ID ".scope/docker/" OTHER, { OTHER, "", "" } },
		{ "/system.slice/docker-" ID ".scope/kubepods/pod" UID "/" OTHER,
		  { OTHER, UID, "" } },
		{ "/system.slice/docker-" ID ".scope/system.slice/nginx.service",
		  { ID, "", "nginx.service" } },
		{ "/docker/" ID "/system.slice/nginx.service", { ID, "", "nginx.service" } },
		{ "/system.slice/docker-" ID ".scope/init.scope", { ID, "", "" } },
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_other_forms(void **state)
{
	static const struct row rows[] = {
		{ "", { "", "", "" } },
		{ "/", { "", "", "" } },
		{ "//", { "", "", "" } },
		{ "/docker", { "", "", "" } },
		/* An id has 64 digits in lower case, and nothing before or behind it. */
		{ "/docker/0123456789ab", { "", "", "" } },
		{ "/docker/" ID "0", { "", "", "" } },
		{ "/docker/x" ID, { "", "", "" } },
		{ "/docker/A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		  { "", "", "" } },
		{ "/system.slice/docker-" ID, { "", "", "" } },
		{ "/system.slice/docker-.scope", { "", "", "" } },
		{ "/system.slice/docker.scope", { "", "", "" } },
		{ "/system.slice/docker-" ID ".slice", { "", "", "" } },
		{ "/machine.slice/libpod-conmon-" ID ".scope", { "", "", "" } },
		{ "/system.slice/crio-conmon-" ID ".scope", { "", "", "" } },
		{ "/other/" ID, { "", "", "" } },
		{ "/kubepods/burstable/" ID, { "", "", "" } },
		/* A pod is below kubepods. */
		{ "/pod" UID "/" ID, { "", "", "" } },
		{ "/system.slice/system-pod" UID_ ".slice/" ID, { "", "", "" } },
		{ "/kubepods/pod6f3c62f1-44f5-4f4b-8a5e-0a8ed6d8e2b/" ID, { "", "", "" } },
		{ "/kubepods/pod6f3c62f1-44f5-4f4b-8a5e-0a8ed6d8e2b66/" ID, { "", "", "" } },
		{ "/kubepods/pod" UID_ "/" ID, { "", "", "" } },
		{ "/kubepods.slice/kubepods-pod" UID ".slice", { "", "", "" } },
		{ "/kubepods.slice/kubepods-pod.slice", { "", "", "" } },
		{ "/kubepods.slice/mykubepods-pod" UID_ ".slice", { "", "", "" } },
		{ "/x.slice:cri-containerd:" ID "0", { "", "", "" } },
		{ "/x.slice:other:" ID, { "", "", "" } },
	};

	(void)state;
	CHECK_ALL(rows);
}

/* The kernel allows 255 bytes for a name. A longer one is no name, and must not overflow. */
static void test_long_service(void **state)
{
	char path[300];
	struct cgroup_names names;

	(void)state;
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	strcpy(&path[1 + 255 - strlen(".service")], ".service");
	cgroup_names_find(path, &names);
	assert_string_equal(names.unit, &path[1]);
	path[1 + 255 - strlen(".service")] = 'a';
	strcpy(&path[1 + 256 - strlen(".service")], ".service");
	cgroup_names_find(path, &names);
	assert_string_equal(names.unit, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_kubernetes),
		cmocka_unit_test(test_services),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_long_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
