/* SPDX-License-Identifier: GPL-2.0 */
/* Processes of root that take a CPU and the module away while others use them. */
#ifndef DISTURBERS_H
#define DISTURBERS_H

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "victims.h"

#define CPU_FILE	"/sys/devices/system/cpu/cpu1/online"
#define MAX_OFFLINE_US	200000
#define MAX_ONLINE_US	3000000
#define UNLOAD_EACH_US	50000
#define MAX_UNLOADED_US	50000
#define BUSY_US		1000
#define MAX_STAY_US	100000
#define DISTURBERS_NICE	-20
#define GROUPS		"groups"
#define NR_GROUPS	3U

static const char *module_path;

static void set_cpu(const char *online)
{
	int fd = open(CPU_FILE, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, online, 1) != 1)
		give_up(CPU_FILE);
	close(fd);
}

static void __attribute__((noreturn)) toggle_cpu(void)
{
	for (;;) {
		set_cpu("0");
		add(HOTPLUGS, 1);
		sleep_us(below(MAX_OFFLINE_US));
		set_cpu("1");
		sleep_us(below(MAX_ONLINE_US));
	}
}

/*
 * Loads the module unless it is there. If another process loads it, finit_module() waits for that.
 * EBUSY: another process is unloading it.
 */
static void load(void)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		give_up(module_path);
	while (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST) {
		if (errno != EBUSY)
			give_up(module_path);
		sleep_us(BUSY_US);
	}
	close(fd);
}

/* Most often the module is in use, and stays. */
static void __attribute__((noreturn)) reload(void)
{
	for (;;) {
		if (syscall(SYS_delete_module, "pprof", O_NONBLOCK)) {
			add(REFUSED_UNLOADS, 1);
		} else {
			add(UNLOADS, 1);
			sleep_us(below(MAX_UNLOADED_US));
			load();
		}
		sleep_us(UNLOAD_EACH_US);
	}
}

/* A cgroup that victims come to and leave. It is removed while it has none. */
static void group_path(char *path, unsigned int group, const char *file)
{
	snprintf(path, PATH_MAX, "%s/" GROUPS "/%u/%s", folder, group, file);
}

static void groups_path(char *path)
{
	snprintf(path, PATH_MAX, "%s/" GROUPS, folder);
}

static void mount_groups(void)
{
	char path[PATH_MAX];

	groups_path(path);
	if (mkdir(path, 0711) || mount("none", path, "cgroup2", 0, NULL))
		give_up(path);
}

static void unmount_groups(void)
{
	char path[PATH_MAX];

	for (unsigned int group = 0; group < NR_GROUPS; group++) {
		group_path(path, group, "");
		rmdir(path);
	}
	groups_path(path);
	if (umount(path) || rmdir(path))
		give_up(path);
}

static int open_group(unsigned int group)
{
	char path[PATH_MAX];

	group_path(path, group, "");
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void move(pid_t pid, unsigned int group)
{
	char path[PATH_MAX], number[24];
	int fd;

	group_path(path, group, "cgroup.procs");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	sprintf(number, "%d", pid);
	if (fd >= 0 && write(fd, number, strlen(number)) > 0)
		add(MOVES, 1);
	close(fd);
}

static void __attribute__((noreturn)) move_victims(void)
{
	char path[PATH_MAX];
	pid_t pid;

	for (;;) {
		group_path(path, below(NR_GROUPS), "");
		if (one_in(20))
			rmdir(path);
		else
			mkdir(path, 0755);
		pid = __atomic_load_n(&shared->victims[below(NR_VICTIMS)].pid, __ATOMIC_RELAXED);
		if (pid > 0)
			move(pid, below(NR_GROUPS));
		sleep_us(below(MAX_STAY_US));
	}
}

/*
 * Starts one of these. It runs until it is killed. It has more of the CPU than all callers: they
 * can do nothing while the module is loaded, and a debug kernel needs long for that.
 */
static pid_t start_disturber(void (*disturb)(void), uint64_t seed)
{
	pid_t pid = fork_child();

	if (!pid) {
		if (setpriority(PRIO_PROCESS, 0, DISTURBERS_NICE))
			give_up("setpriority");
		random_state = seed;
		disturb();
	}
	return pid;
}

#endif
