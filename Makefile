# SPDX-License-Identifier: GPL-2.0
#
#   make            builds pprof.ko for the running kernel, and pprof-collect;
#                   KVER=RELEASE or KDIR=FOLDER choose another kernel
#   make module     builds pprof.ko alone
#   make collector  builds pprof-collect alone
#   make install    installs them below DESTDIR and PREFIX, and the module for the
#                   kernel KVER
#   make uninstall  removes the installed files
#   make man        writes the options of the collector into man/pprof-collect.8
#   make deb        builds Debian packages in build/deb/
#   make clean      removes all that was built
#   make help       prints this list
#
#   make demo       profiles two programs in a VM, and leaves the profiles in demo/
#   make vm-shell   opens a shell as root in a VM (KERNEL=6.12)
#
#   make check      runs all tests: unit tests, and the VM tests on eight kernels
#   make unit       runs the unit tests alone
#   make coverage   prints how many lines of collector/ the unit tests execute
#   make lint       checks style and layout
#   make fuzz       runs each fuzz target for FUZZ_SECONDS (60)
#   make names      compares the names of functions with those of other tools
#   make single-step     compares the walk by tables with true stacks, in large programs
#   make bench      measures pprof beside other tools
#   make check-debug    runs the VM and stress tests on debug kernels; STRESS=full
#                       repeats them as often as doc/testing.md says, for hours
#   make check-fresh    follows the README and the advice of doctor on fresh Debians
#   make check-kernels  builds the module for each kernel that Debian's suites offer
#   make check-packages installs and removes the Debian packages on fresh Debians
#   make check-backends pushes profiles to an OpenTelemetry collector, and to a
#                       Pyroscope and a Parca that PYROSCOPE=URL and PARCA=URL name; and lets
#                       the scrapers in PARCA_SOURCE=DIR and ALLOY_SOURCE=DIR take profiles
#   make check-day      writes windows for HOURS (24) of a VM's time, beside processes that
#                       come and go; this takes hours
#
#   make setup-X    installs the packages that "make X" needs; demo, vm-shell, deb and
#                   the test targets do this by themselves

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
KERNEL ?= 6.12
FUZZ_SECONDS ?= 60
HOURS ?= 24
JOBS ?= $(shell nproc)
BUILD := build
VERSION := $(shell cat VERSION)

CC := gcc
CFLAGS ?= -O2 -g
WARNINGS := -Werror -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Iuapi -Icollector -I/usr/include/libnl3
LIBS := -lnl-genl-3 -lnl-3 -ldw -lelf -lz -lisal -llzma -lxxhash -lpcre2-8 -liberty -lm -pthread
COMPILE = $(CC) -std=gnu11 $(CPPFLAGS) $(WARNINGS) -MMD -MP

all: module collector

# Prints the list at the head of this file.
help:
	@sed -n '/^#   make /,/^$$/s/^#\( *$$\|   \)//p' Makefile

# The module. Kbuild works in a copy of the sources, one for each kernel. So one tree
# builds for several kernels. A source that is gone is deleted from the copy, too.
# no_btf: nothing reads the BTF of this module. If the headers bring a vmlinux, kbuild
# would base the BTF on it, and would need pahole in the version that built the kernel.
# BUILDER: a Debian suite. The module is built in a root of that suite, which has the
# kernel's compiler, because this machine lacks it.
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
# The compiler that Debian's headers name, unless make's command line names another.
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

$(foreach file,cli/command_line formats/otlp_writer formats/speedscope_writer push/transfers,$(BUILD)/collector/$(file).o \
	$(BUILD)/unit/collector/$(file).o): VERSION

# The page of a flame graph is in the program.
$(BUILD)/collector/flame/assets.o $(BUILD)/unit/collector/flame/assets.o: $(wildcard collector/flame/page/*)

$(BUILD)/collector/%.o: collector/%.c | $(BUILD)/.can-build
	@mkdir -p $(@D)
	@$(COMPILE) $(CFLAGS) -c -o $@ $<

$(BUILD)/.can-build: tests/packages.tsv
	@CC='$(CC) $(CPPFLAGS)' tests/can-build collector $(collector_packages)
	@mkdir -p $(@D)
	@touch $@

# Unit tests: a program for each file that is tested. Lines in its head say how it is built.
# "// sources:" and "// libs:" name the files and libraries that it is linked with.
# "// includes:" names sources that it includes, so that make knows of them.
# "// flags:" replaces the sanitizers. A test without such a line shares the objects of
# collector/ with the other tests.
sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard $(addprefix \
	tests/unit/,*/test_*.c */*/test_*.c */*/*/test_*.c)))
head_line = $(shell sed -n 's|^// $(1): *||p' $(2))
unit_sources = $(if $(call head_line,flags,$(1)),$(call head_line,sources,$(1)),$(patsubst \
	collector/%.c,$(BUILD)/unit/collector/%.o,$(call head_line,sources,$(1))))

# The kernel whose names tests/unit/shim has: 7.3.
shim_kernel := -DLINUX_VERSION_CODE=0x70300

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
	@tests/compile $@ $(CC) -std=gnu11 $(CPPFLAGS) -I. -Ikmod -Itests/unit $(shim_kernel) $(call head_line,include,$<) \
		$(WARNINGS) $(or $(call head_line,flags,$<),$(sanitize)) $(coverage_flags) \
		$< $(call unit_sources,$<) -lcmocka $(call head_line,libs,$<)

unit_environment := CMOCKA_MESSAGE_OUTPUT=TAP FIXTURES=$(BUILD)/fixtures

unit-build: $(unit_tests) $(BUILD)/fixtures/.done
unit:
	@tests/setup $(unit_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) unit-build
	@$(unit_environment) prove --exec 'timeout 600 tests/unit/run' $(unit_tests)

# The same tests, built with --coverage, in a build folder of their own.
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

# The heads of fuzz targets have the lines "// sources:" and "// libs:", too.
fuzz_targets := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))

$(BUILD)/fuzz/%: tests/fuzz/%.c $$(call head_line,sources,tests/fuzz/$$*.c) \
		$(headers) $(wildcard tests/fuzz/*.h)
	@mkdir -p $(@D)
	@tests/compile $@ clang -std=gnu11 $(CPPFLAGS) -I. -Ikmod $(call head_line,include,$<) -O1 -g \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		$< $(call head_line,sources,$<) $(call head_line,libs,$<)

fuzz:
	@tests/setup $(fuzz_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) $(fuzz_targets)
	@tests/fuzz/run $(FUZZ_SECONDS)

# The module's stack walk, built for user space, compared with stacks that are known.
$(BUILD)/single-step/%: tests/single-step/%.c $$(call head_line,sources,tests/single-step/$$*.c) \
		$(filter-out %/main.o,$(collector_objects)) \
		$(headers) $(wildcard tests/single-step/*.h tests/unit/shim/*/*.h)
	@mkdir -p $(@D)
	@tests/compile $@ $(CC) -std=gnu11 $(CPPFLAGS) -iquote tests/unit/shim -I. -Ikmod -Itests/unit/shim $(WARNINGS) $(CFLAGS) \
		$(filter %.c %.o,$^) $(LIBS)

$(BUILD)/single-step/.done: $(wildcard tests/single-step/programs/*) tests/single-step/build
	@tests/single-step/build $(@D)
	@touch $@

single-step-build: $(BUILD)/single-step/steps $(BUILD)/single-step/stops $(BUILD)/single-step/.done

single-step:
	@tests/setup $(single-step_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) single-step-build
	@tests/single-step/long

# Text profiles. Go's pprof reads them, and they are compared with those that Go writes.
text_programs := $(patsubst tests/text-forms/%.c,$(BUILD)/text/%,$(wildcard tests/text-forms/*.c))

$(BUILD)/text/%: tests/text-forms/%.c $$(call head_line,sources,tests/text-forms/$$*.c) \
		$(headers) tests/unit/madeup.h
	@mkdir -p $(@D)
	@tests/compile $@ $(CC) -std=gnu11 $(CPPFLAGS) -I. $(WARNINGS) $(CFLAGS) $< \
		$(call head_line,sources,$<) $(call head_line,libs,$<)

# Programs for tests of profiles: filters as in Go's pprof, and random profiles.
profile_programs := $(patsubst tests/profiles/%.c,$(BUILD)/profiles/%,$(wildcard tests/profiles/*.c))

$(BUILD)/profiles/%: tests/profiles/%.c $$(call head_line,sources,tests/profiles/$$*.c) $(headers)
	@mkdir -p $(@D)
	@$(COMPILE) $(CFLAGS) -o $@ $< $(call head_line,sources,$<) $(call head_line,libs,$<)

# What the symbolizer finds in programs of many kinds, compared with other tools.
$(BUILD)/names/lookup: tests/names/lookup.c $(filter-out %/main.o,$(collector_objects)) $(headers)
	@mkdir -p $(@D)
	@$(COMPILE) $(CFLAGS) -o $@ $(filter %.c %.o,$^) $(LIBS)

names:
	@tests/setup $(names_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/names/lookup
	@tests/names/run

# Flame graphs for the test in a browser.
$(BUILD)/flame/pages: tests/flame/pages.c \
		$(if $(wildcard tests/flame/pages.c),$(call head_line,sources,tests/flame/pages.c)) \
		$(headers) $(wildcard collector/flame/page/*)
	@mkdir -p $(@D)
	@tests/compile $@ $(CC) -std=gnu11 $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $< \
		$(call head_line,sources,$<) $(call head_line,libs,$<)

# The packages that each target needs, by their names in tests/packages.tsv.
collector_packages := gcc libc libnl-3 libnl-genl-3 zlib libisal libdw libelf liblzma libxxhash libpcre2 \
	libiberty libcurl libmicrohttpd libgnutls
vm_packages := $(collector_packages) qemu busybox-static cpio kmod zstd xz
load_packages := g++ libjemalloc
program_packages := python3 perl git openssl sqlite3 node libc-debuginfo musl
demo_packages := $(vm_packages) python3
vm-shell_packages := $(vm_packages) debootstrap $(load_packages)
unit_packages := $(collector_packages) g++ binutils dwz xz perl libcmocka libc-debuginfo libdebuginfod
coverage_packages := $(unit_packages)
fuzz_packages := $(collector_packages) libcmocka clang clang-rt
names_packages := $(collector_packages) g++ binutils clang llvm dwz xz python3
single-step_packages := $(collector_packages) g++ $(program_packages) lld mold llvm-bolt go luajit
e2e_packages := $(vm_packages) debootstrap $(load_packages) $(program_packages) binutils bats bash-static procps libcap curl \
	libtcmalloc libmimalloc mold go pprof-source protoc npm python3-venv
debug_packages := $(e2e_packages) flex bison bc libssl
check_packages := $(debug_packages) $(unit_packages) $(fuzz_packages) $(names_packages) ccache lld pkg-config zsh fish python3-venv \
	python3-prometheus chromium
check-debug_packages := $(debug_packages)
bench_packages := $(vm_packages) debootstrap $(load_packages) $(program_packages) go pprof-source npm clang \
	perf bpftrace heaptrack rt-tests gdb elfutils javac procps
lint_packages := $(vm_packages) g++ clang git perl pkg-config shellcheck sparse

setup-%:
	@tests/setup $($*_packages)

# The module for a kernel of the VM, by its name in tests/vm/kernel.
vm-module-%:
	@mkdir -p $(BUILD)
	@tests/vm/kernel $* >$(BUILD)/.kernel-$*
	@. ./$(BUILD)/.kernel-$* && $(MAKE) --no-print-directory $(BUILD)/.module \
		KDIR="$$kdir" BUILDER="$$builder"

# Programs for the VM. All of them are built again, or none: a running VM may still read
# the present ones.
programs: $(BUILD)/programs/.built
	@:

e2e-programs: $(BUILD)/e2e/.built
	@:

$(BUILD)/programs/.built: $(wildcard tests/programs/*) $(wildcard uapi/*)
	@tests/programs/build $(@D)
	@touch $@

# The only program of the demo. It is built alone: all of them need more packages.
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

# The VM tests; the head of each file says more. The e2e tests run on the newest kernel, and
# those that depend on the kernel on 6.12, too. The other kernels run a part of them.
# There are stress tests on 6.12 and on the debug kernel, and VMs that are locked down, or
# have no high-resolution timers. fresh/ and packages/ try the README and the packages.
# Three VMs run at a time, the longest first. Tests without a VM run beside them
# (tests/take-turn).
vm_kernels := 6.12 7.3 7.2 6.1 5.10 6.12-rt 6.1-rt
vm_tests := $(patsubst %,tests/%.t,$(addprefix suites/,7.3 7.3-collector) fresh/bookworm-short \
	fresh/trixie-short $(addprefix suites/,6.12 debug-stress-short) packages/trixie \
	$(addprefix suites/,6.1 6.12-stress 5.10 6.12-rt 7.2 6.1-rt rates lowres lockdown) vm/insmod)

# One run at a time: two of them in a checkout would overwrite each other's files. ccache and Go
# keep what the compilers make, in the folder of the kernels: the next run compiles what changed.
check:
	@mkdir -p $(BUILD)
	@cache="$${PPROF_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/pprof}"; \
		PATH="/usr/lib/ccache:$$PATH" CCACHE_DIR="$$cache/ccache" GOCACHE="$$cache/go" \
		flock --nonblock --conflict-exit-code 75 $(BUILD)/.check \
		$(MAKE) --no-print-directory check-alone || { code=$$?; [ $$code -ne 75 ] || \
		echo 'make: this checkout is in use by another "make check": wait until that has ended.' >&2; exit $$code; }

# All programs that "make check" runs, here or in a VM, without the modules.
check-build: collector programs e2e-programs unit-build single-step-build $(BUILD)/names/lookup $(text_programs) $(profile_programs) $(BUILD)/flame/pages $(fuzz_targets)

check-alone:
	@tests/setup $(check_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) check-build $(addprefix vm-module-,$(vm_kernels))
	@tests/vm/kernel debug >/dev/null
	@$(unit_environment) tests/check $(wordlist 1,2,$(vm_tests)) $(unit_tests) tests/install.t \
		tests/setup.t tests/packages/options.t tests/packages/examples.t tests/vm/clean.t tests/vm/cache.t tests/vm/options.t \
		tests/fuzz/replay.t tests/fuzz/search.t tests/serve/go.t tests/serve/limits.t tests/serve/operation.t \
		tests/single-step/short.t tests/names/short.t tests/text-forms/short.t \
		tests/flame/browser.t tests/flame/command.t tests/profiles/check.t tests/profiles/commands.t \
		tests/profiles/convert.t tests/profiles/filters.t tests/profiles/legacy.t tests/profiles/merge.t \
		tests/profiles/perf_script.t tests/profiles/reports.t tests/push/push.t \
		$(wordlist 3,$(words $(vm_tests)),$(vm_tests))

check-fresh:
	@tests/setup $(vm_packages) debootstrap git
	@$(MAKE) --no-print-directory -j$(JOBS) collector
	@prove --timer --failures --comments tests/fresh/bookworm.t tests/fresh/trixie.t tests/doctor.t

check-kernels:
	@tests/setup $(vm_packages) debootstrap
	@tests/vm/all-kernels

# The suites get no time limit: STRESS decides how long they take. Each call in the VM
# keeps its own limit. Two VMs run at a time.
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

# The options in the man page come from the tables by which the collector parses its options.
man: collector
	@man/options

# Installs the files that were built, and removes them. Needs root, or DESTDIR, as packages
# set it.
install: pprof-collect
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' KVER='$(KVER)' packaging/install install

uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' KVER='$(KVER)' packaging/install uninstall

# Debian packages, for the Debian release of this machine.
deb_packages := $(collector_packages) git build-essential dpkg-dev debhelper dh-dkms

deb:
	@tests/setup $(deb_packages)
	@packaging/build $(BUILD)/deb

# Installs and removes the packages on fresh machines of Debian 12 and 13.
check-packages_packages := $(vm_packages) debootstrap perl git

check-packages:
	@tests/setup $(check-packages_packages)
	@prove --timer --failures --comments tests/packages/bookworm.t tests/packages/trixie.t

check-backends_packages := $(collector_packages) go node npm python3-venv protoc curl perl

check-backends:
	@tests/setup $(check-backends_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) collector $(BUILD)/text/forms
	@prove --timer --failures --comments tests/push/backends.t tests/serve/scrapers.t

check-day:
	@tests/setup $(vm_packages)
	@$(MAKE) --no-print-directory -j$(JOBS) collector vm-module-6.12
	@tests/day/run $(HOURS)

clean:
	rm -rf $(BUILD) pprof.ko pprof-collect

FORCE:
-include $(collector_objects:.o=.d) $(unit_objects:.o=.d)
.PHONY: all help man install uninstall deb check-packages module collector unit unit-build coverage coverage-build programs e2e-programs demo vm-shell \
	check check-build check-alone check-fresh check-kernels check-debug check-backends check-day bench fuzz single-step single-step-build lint clean FORCE
