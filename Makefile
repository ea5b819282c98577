# Shortcuts for CMake and the scripts. `make help` lists the targets.
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
CTEST   = ctest --output-on-failure --no-tests=error -j $(JOBS)
SOURCES = $(shell git ls-files '*.c' '*.h')
# clang-tidy reads the assertions. ANALYSIS=deep follows calls further and takes five times as long.
ANALYSIS ?= shallow
TIDY = --extra-arg=-UNDEBUG $(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang mode=$(ANALYSIS))
# not in the build: needs PETSc; compiled by a test against the installed library
FOREIGN = bench/petsc_poisson.c tests/install/consumer.c

all: build/fathom ## build into build/
.PHONY: all help demo test check check-long sanitize thread-sanitize clang native debug bench format lint coverage install clean build/fathom

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-].*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' Makefile

build/fathom:
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS)

demo: ## install packages, build, simulate a towel under water, make a movie and pictures
	scripts/setup core
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target fathom_program
	@mkdir -p build/demo
	build/fathom run scenes/underwater/swing.yaml -o build/demo/swing --frames 120 --force --quiet
	build/fathom render build/demo/swing -o build/demo/swing.mp4 --size 640x360 --samples 4
	build/fathom render build/demo/swing -o build/demo/swing.png --frame 96 --samples 48
	build/fathom render build/demo/swing -o build/demo/sheet.png --sheet 6x2 --view 35,4
	@echo "Movie: build/demo/swing.mp4. Picture: build/demo/swing.png. Contact sheet: build/demo/sheet.png."

test: ## install packages, build, run all tests with gcc, clang and the sanitizers
	scripts/setup all
	$(MAKE) sanitize thread-sanitize clang check # the shortest rounds first

check: all ## run the tests with the release build
	cd build && $(CTEST) -LE long

check-long: all ## run the tests that are too long for make test
	cd build && $(CTEST) -L long

sanitize: ## run unit tests and scenes with AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset sanitize && cmake --build build-sanitize -j $(JOBS) --target quick_tests
	cd build-sanitize && $(CTEST) -LE 'slow|exact|experiments|clients|threads'

thread-sanitize: ## run the threaded tests with ThreadSanitizer
	cmake --preset thread-sanitize && cmake --build build-thread -j $(JOBS) --target threaded_tests
	cd build-thread && $(CTEST) -L threads

clang: ## run the quick tests with clang
	cmake --preset clang && cmake --build build-clang -j $(JOBS) --target clang_tests
	cd build-clang && $(CTEST) -LE 'slow|scenes|experiments|clients|threads'

native debug: ## build for the processor of this machine, or with assertions
	cmake --preset $@ && cmake --build build-$@ -j $(JOBS)

bench: all ## run all benchmarks
	build/fathom bench

coverage: ## measure which lines of src/ the tests execute
	cmake --preset coverage && cmake --build build-coverage -j $(JOBS)
	find build-coverage -name '*.gcda' -delete
	cd build-coverage && $(CTEST) -LE 'slow|clients'
	gcovr --root . --filter src/ --object-directory build-coverage --print-summary

format: ## format all source files
	clang-format -i $(SOURCES)

lint: all ## check format, layers and line length, run static analysis
	clang-format --dry-run --Werror $(SOURCES)
	scripts/check-layers
	@! awk 'length > 100 {print FILENAME ":" FNR ": longer than 100 columns"; bad = 1} END {exit !bad}' $(SOURCES)
	echo $(filter-out $(FOREIGN),$(filter %.c,$(SOURCES))) | \
	    xargs -n 4 -P $(JOBS) clang-tidy --quiet -p build $(TIDY)

install: all ## install program, headers and libraries into PREFIX (default /usr/local)
	cmake --install build --prefix "$(PREFIX)"

clean: ## remove all build directories
	rm -rf build build-*
