# SPDX-License-Identifier: GPL-2.0
#
#   make          pprof.ko for the running kernel (KVER=release or KDIR=folder:
#                 for another) and pprof-collect
#   make demo     profiles a program in a VM and leaves the profiles in demo/
#   make help     this list
#   make check    all tests: unit tests, and the VM tests on eight kernels
#   make check-debug  the VM tests and the stress on debug kernels; with
#                 STRESS=full as much of it as doc/testing.md's figures say: hours
#   make check-fresh  README's commands on a fresh Debian 12 and 13, doctor's advice
#   make check-kernels  builds the module for each kernel that Debian's suites offer
#   make unit     the unit tests alone
#   make coverage how many lines of collector/ the unit tests execute
#   make lint     the checks of style and layout
#   make bench    the figures, beside those of other tools
#   make fuzz     each fuzz target for FUZZ_SECONDS
#   make shadow   the walk by tables beside true stacks, in large programs, too
#   make vm-shell a shell as root in the VM (KERNEL=6.12)
#   make setup-X  installs the packages that make X needs, which make X does, too
#   make install  into DESTDIR/PREFIX and the modules of the kernel KVER; make
#                 uninstall removes that
#   make deb      Debian packages, in build/deb/; make check-packages tries them

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
KERNEL ?= 6.12
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
BUILD := build
VERSION := $(shell cat VERSION)

CC := gcc
CFLAGS ?= -O2 -g
WARNINGS := -Werror -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Iuapi -Icollector -I/usr/include/libnl3
LIBS := -lnl-genl-3 -lnl-3 -ldw -lelf -lz -llzma -lxxhash -liberty -lm -pthread
COMPILE = $(CC) -std=gnu11 $(CPPFLAGS) $(WARNINGS) -MMD -MP

all: module collector

# The list at the head of this file.
help:
	@sed -n '/^#   make /,/^$$/s/^#   //p' Makefile

# The module. Kbuild works in a copy, one a kernel, so that several can be built
# from one tree; sources that are gone must go there too. No BTF: nobody asks
# for the module's, and where the headers bring a vmlinux to base it on, kbuild
# would need pahole, and that of the kernel's own version. BUILDER is a Debian suite
# whose root has the kernel's compiler, where this machine lacks it.
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
# The compiler that Debian's headers ask for, unless make's command line names one.
kernel_cc = $(or $(if $(filter command,$(origin CC)),$(CC)),$(shell sed -nE \
	's/^CC = .*(gcc-[0-9]+)$$/\1/p' $(KDIR)/.kernelvariables 2>/dev/null),$(CC))
module_dir = $(BUILD)/module-$(release)
no_btf := CONFIG_DEBUG_INFO_BTF_MODULES= PAHOLE_VERSION='$$(CONFIG_PAHOLE_VERSION)'

module: $(BUILD)/.module
	@cp $(module_dir)/pprof.ko pprof.ko
	@echo '  made pprof.ko for $(release)'

$(BUILD)/.module: FORCE
	@CC='$(if $(BUILDER),$(CC),$(kernel_cc))' tests/can-build module $(KDIR) $(if $(filter file,$(origin KDIR)),$(KVER))
	@mkdir -p $(module_dir)
	@cd $(module_dir) && find kmod uapi -name '*.[ch]' ! -name '*.mod.c' 2>/dev/null | \
		while read -r f; do [ -e "$(CURDIR)/$$f" ] || rm "$$f"; done
	@cp -ru --preserve=timestamps Kbuild VERSION kmod uapi $(module_dir)/
	@$(if $(BUILDER),tests/root build $(BUILDER)) $(MAKE) --no-print-directory -s \
		-C $(KDIR) M=$(CURDIR)/$(module_dir) $(no_btf) modules

# The collector.
collector_sources := $(wildcard collector/*.c collector/*/*.c collector/arch/x86/*.c)
collector_objects := $(patsubst collector/%.c,$(BUILD)/collector/%.o,$(collector_sources))
headers := $(wildcard $(addprefix collector/,*/*.h arch/*/*.h) $(addprefix kmod/,*/*.h arch/*/*.h) uapi/*.h)

collector: pprof-collect

pprof-collect: $(collector_objects)
	@$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--build-id -o $@ $^ $(LIBS)
	@echo '  made $@'

$(BUILD)/collector/cli/command_line.o $(BUILD)/unit/collector/cli/command_line.o: VERSION

$(BUILD)/collector/%.o: collector/%.c | $(BUILD)/.can-build
	@mkdir -p $(@D)
	@$(COMPILE) $(CFLAGS) -c -o $@ $<

$(BUILD)/.can-build: tests/packages.tsv
	@CC='$(CC) $(CPPFLAGS)' tests/can-build collector $(collector_packages)
	@mkdir -p $(@D)
	@touch $@

# Unit tests: a program a part. What it is made of stands in its head, in the
# lines "// sources:" and "// libs:", and what it includes of these in "// includes:";
# "// flags:" replaces the sanitizers. Without that it shares the collector's objects
# with the others.
sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard $(addprefix \
	tests/unit/,*/test_*.c */*/test_*.c)))
head_line = $(shell sed -n 's|^// $(1): *||p' $(2))
unit_sources = $(if $(call head_line,flags,$(1)),$(call head_line,sources,$(1)),$(patsubst \
	collector/%.c,$(BUILD)/unit/collector/%.o,$(call head_line,sources,$(1))))

unit_objects := $(patsubst collector/%.c,$(BUILD)/unit/collector/%.o,$(collector_sources))

.SECONDARY: $(unit_objects)
$(BUILD)/unit/collector/%.o: collector/%.c
	@mkdir -p $(@D)
	@$(COMPILE) $(sanitize) $(coverage_flags) -c -o $@ $<

.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/%.c $$(call unit_sources,tests/unit/$$*.c) \
		$$(call head_line,includes,tests/unit/$$*.c) \
		$(headers) $(wildcard tests/unit/*.h tests/unit/shim/*/*.h)
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 $(CPPFLAGS) -I. -Ikmod -Itests/unit $(call head_line,include,$<) $(WARNINGS) \
		$(or $(call head_line,flags,$<),$(sanitize)) $(coverage_flags) \
		-o $@ $< $(call unit_sources,$<) -lcmocka $(call head_line,libs,$<)

unit_environment := CMOCKA_MESSAGE_OUTPUT=TAP FIXTURES=$(BUILD)/fixtures

unit-build: $(unit_tests) $(BUILD)/fixtures/.done
unit:
	@tests/setup $(unit_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) unit-build
	@$(unit_environment) prove --exec 'timeout 120 tests/unit/run' $(unit_tests)

# The same, built to count lines: in a folder of their own.
coverage-build: $(collector_objects) unit-build

coverage:
	@tests/setup $(coverage_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) coverage-build BUILD=$(BUILD)/count \
		CFLAGS='-O0 -g --coverage' coverage_flags='-O0 --coverage'
	@tests/unit/coverage $(BUILD)/count

$(BUILD)/fixtures/.done: $(wildcard tests/unit/fixtures/*)
	@mkdir -p $(@D)
	tests/unit/fixtures/build $(BUILD)/fixtures
	@touch $@

# Fuzz targets say in their heads what they are made of, too.
fuzz_targets := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))

$(BUILD)/fuzz/%: tests/fuzz/%.c $$(call head_line,sources,tests/fuzz/$$*.c) \
		$(headers)
	@mkdir -p $(@D)
	@clang -std=gnu11 $(CPPFLAGS) -I. -Ikmod $(call head_line,include,$<) -O1 -g \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-o $@ $< $(call head_line,sources,$<) $(call head_line,libs,$<)

fuzz:
	@tests/setup $(fuzz_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) $(fuzz_targets)
	@tests/fuzz/run $(FUZZ_SECONDS)

# The module's walk, for user space, beside stacks that are known to be true.
$(BUILD)/shadow/%: tests/shadow/%.c $$(call head_line,sources,tests/shadow/$$*.c) \
		$(filter-out %/main.o,$(collector_objects)) \
		$(headers) $(wildcard tests/shadow/*.h tests/unit/shim/*/*.h)
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 $(CPPFLAGS) -I. -Ikmod -Itests/unit/shim $(WARNINGS) $(CFLAGS) -o $@ \
		$(filter %.c %.o,$^) $(LIBS)

$(BUILD)/shadow/.done: $(wildcard tests/shadow/programs/*) tests/shadow/build
	@tests/shadow/build $(@D)
	@touch $@

shadow-build: $(BUILD)/shadow/shadow $(BUILD)/shadow/stops $(BUILD)/shadow/.done

shadow:
	@tests/setup $(shadow_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) shadow-build
	@tests/shadow/long

# Text profiles, to be read by Go's pprof and compared with Go's own.
text_programs := $(patsubst tests/text-forms/%.c,$(BUILD)/text/%,$(wildcard tests/text-forms/*.c))

$(BUILD)/text/%: tests/text-forms/%.c $$(call head_line,sources,tests/text-forms/$$*.c) \
		$(headers) tests/unit/madeup.h
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 $(CPPFLAGS) -I. $(WARNINGS) $(CFLAGS) -o $@ $< \
		$(call head_line,sources,$<) $(call head_line,libs,$<)

# What each target needs, by the names of tests/packages.tsv.
collector_packages := gcc libc libnl-3 libnl-genl-3 zlib libdw libelf liblzma libxxhash libiberty
vm_packages := $(collector_packages) qemu busybox-static cpio kmod zstd xz
load_packages := g++ libjemalloc
program_packages := python3 perl git openssl sqlite3 node libc-debuginfo
demo_packages := $(vm_packages) python3 go
vm-shell_packages := $(vm_packages) debootstrap $(load_packages)
unit_packages := $(collector_packages) g++ binutils dwz xz perl libcmocka libc-debuginfo
coverage_packages := $(unit_packages)
fuzz_packages := $(collector_packages) libcmocka clang clang-rt
shadow_packages := $(collector_packages) g++ $(program_packages)
e2e_packages := $(vm_packages) debootstrap $(load_packages) $(program_packages) binutils bats bash-static procps libcap \
	libtcmalloc go pprof-source protoc npm
debug_packages := $(e2e_packages) flex bison bc libssl
check_packages := $(debug_packages) $(unit_packages) $(fuzz_packages) pkg-config zsh fish
check-debug_packages := $(debug_packages)
bench_packages := $(vm_packages) debootstrap $(load_packages) $(program_packages) go pprof-source npm clang \
	perf bpftrace heaptrack rt-tests gdb elfutils javac procps
lint_packages := $(vm_packages) g++ clang git perl pkg-config shellcheck sparse

setup-%:
	@tests/setup $($*_packages)

# The module for a kernel of the VM.
vm-module-%:
	@mkdir -p $(BUILD)
	@tests/vm/kernel $* >$(BUILD)/.kernel-$*
	@. ./$(BUILD)/.kernel-$* && $(MAKE) --no-print-directory $(BUILD)/.module \
		KDIR="$$kdir" BUILDER="$$builder"

# Programs for the VM, all or none of them anew: another VM may be about to copy them.
programs: $(BUILD)/programs/.built
	@:

e2e-programs: $(BUILD)/e2e/.built
	@:

$(BUILD)/programs/.built: $(wildcard tests/programs/*) $(wildcard uapi/*)
	@tests/programs/build $(@D)
	@touch $@

# The demo's only one, and so without the packages that all of them need.
$(BUILD)/programs/threads4: $(addprefix tests/programs/,build program.h threads4.c)
	@tests/programs/build $(@D) $(@F)

$(BUILD)/e2e/.built: $(wildcard $(addprefix tests/,e2e/programs/* e2e/lib/build stress/*.[ch] unit/*.h)) $(wildcard uapi/*)
	@tests/e2e/lib/build $(@D)
	@touch $@

demo:
	@tests/setup $(demo_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) collector $(BUILD)/programs/threads4 vm-module-$(KERNEL)
	@KERNEL=$(KERNEL) tests/demo/run

vm-shell:
	@tests/setup $(vm-shell_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) collector programs vm-module-$(KERNEL)
	@tests/vm/run -k $(KERNEL) --shell

# The VM tests: everything on the newest kernel, on 6.12 what meets the kernel, a
# part of it on the others and on RT, some stress, some of that on the debug kernel; and who
# sees what in a VM that stays locked down, what is counted in one without high-resolution
# timers. Fresh machines are tried in VMs, too: README's commands, and the packages. Two at a
# time, the longest first, and beside them what needs no VM (tests/take-turn).
vm_kernels := 6.12 7.3 7.2 6.1 5.10 6.12-rt 6.1-rt
vm_tests := $(patsubst %,tests/%.t,$(addprefix suites/,7.3 7.3-collector) fresh/bookworm-short \
	fresh/trixie-short $(addprefix suites/,6.12 debug-stress-short) packages/trixie \
	$(addprefix suites/,6.1 6.12-stress 5.10 6.12-rt 7.2 6.1-rt rates lowres lockdown) vm/insmod)

# Two at once in a checkout would write each other's files.
check:
	@mkdir -p $(BUILD)
	@flock --nonblock --conflict-exit-code 75 $(BUILD)/.check \
		$(MAKE) --no-print-directory check-alone || { code=$$?; [ $$code -ne 75 ] || \
		echo 'make: another make check is at work in this checkout: wait for its end.' >&2; exit $$code; }

# All that it runs here or in a VM, but for the modules.
check-build: collector programs e2e-programs unit-build shadow-build $(text_programs) $(fuzz_targets)

check-alone:
	@tests/setup $(check_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) check-build $(addprefix vm-module-,$(vm_kernels))
	@tests/vm/kernel debug >/dev/null
	@$(unit_environment) tests/check $(wordlist 1,2,$(vm_tests)) $(unit_tests) tests/install.t \
		tests/setup.t tests/packages/options.t tests/vm/clean.t tests/vm/cache.t tests/vm/options.t \
		tests/fuzz/replay.t tests/fuzz/search.t tests/shadow/short.t tests/text-forms/short.t \
		$(wordlist 3,$(words $(vm_tests)),$(vm_tests))

check-fresh:
	@tests/setup $(vm_packages) debootstrap git
	@$(MAKE) --no-print-directory -j$(JOBS) collector
	@prove --timer --failures --comments tests/fresh/bookworm.t tests/fresh/trixie.t tests/doctor.t

check-kernels:
	@tests/setup $(vm_packages) debootstrap
	@tests/vm/all-kernels

# No limit but that of each call in the VM: how long it takes is for STRESS to say. Two VMs
# at a time.
check-debug:
	@tests/setup $(debug_packages)
	@tests/vm/kernel debug >/dev/null
	@tests/vm/kernel kcsan >/dev/null
	@E2E_SECONDS=100000 prove --jobs 2 --timer --failures --comments tests/suites/debug.t \
		tests/suites/kcsan.t tests/suites/debug-heap.t tests/suites/debug-stress.t
	@tests/e2e/lib/coverage

bench:
	@tests/setup $(bench_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) collector programs $(addprefix vm-module-,$(vm_kernels))
	@tests/bench/run

lint:
	@tests/setup $(lint_packages)
	@tests/lint/run

# Installs what was built, as root, or for a package with DESTDIR; and removes it.
install: pprof-collect
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' KVER='$(KVER)' packaging/install install

uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' KVER='$(KVER)' packaging/install uninstall

# Debian packages, for the release that this machine runs.
deb_packages := $(collector_packages) git build-essential dpkg-dev debhelper dh-dkms

deb:
	@tests/setup $(deb_packages)
	@packaging/build $(BUILD)/deb

# The packages on fresh machines of Debian 12 and 13.
check-packages_packages := $(vm_packages) debootstrap perl git

check-packages:
	@tests/setup $(check-packages_packages)
	@prove --timer --failures --comments tests/packages/bookworm.t tests/packages/trixie.t

clean:
	rm -rf $(BUILD) pprof.ko pprof-collect

FORCE:
-include $(collector_objects:.o=.d) $(unit_objects:.o=.d)
.PHONY: all help install uninstall deb check-packages module collector unit unit-build coverage coverage-build programs e2e-programs demo vm-shell \
	check check-build check-alone check-fresh check-kernels check-debug bench fuzz shadow shadow-build lint clean FORCE
