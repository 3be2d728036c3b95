# Thin verbs over CMake: `make help` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell tools/jobs)

.DEFAULT_GOAL := help
.PHONY: help setup configure build demo test bench fuzz format lint install clean

help:
	@echo "make demo      build likely and train a network on MNIST-1D"
	@echo "make test      build likely and run all tests"
	@echo "make bench     build and run the benchmarks, beside libtorch where libtorch-dev is installed"
	@echo "make fuzz      build every reader with sanitizers and attack it (FUZZ_RUNS=100000 inputs each)"
	@echo "make format    format the C++ sources"
	@echo "make lint      run the linter over the C++ sources"
	@echo "make install   install headers, library and command to PREFIX ($(PREFIX))"
	@echo "make clean     remove everything that was built"

setup:
	@tools/setup

configure: setup
	@cmake --preset release --log-level=NOTICE

build: configure
	@cmake --build --preset release --parallel $(JOBS)

demo: configure
	@cmake --build --preset release --parallel $(JOBS) --target likely_command
	@build/release/bin/likely train mnist1d-cnn --out build/demo --force

test: build
	@ctest --preset release --parallel $(JOBS)

bench:
	@tools/setup bench
	@cmake --preset release --log-level=NOTICE -DLIKELY_BUILD_BENCH=ON
	@cmake --build --preset release --parallel $(JOBS)
	@cmake --build --preset release --target bench

fuzz:
	@tools/setup fuzz
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz --parallel $(JOBS)
	@tools/fuzz

format:
	@tools/setup check
	@tools/check_format --fix

lint:
	@tools/setup check
	@tools/lint

install: configure
	@cmake --build --preset release --parallel $(JOBS) --target likely_command
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@cmake -E rm -rf build
