# SPDX-License-Identifier: Apache-2.0
#
# Short names for the commands that a person types. Every target first sees to it that what it needs is installed
# (test/demo/install-packages.sh: nothing to do, nothing done), so each works on a fresh Debian 12.

SHELL := /bin/bash
.NOTPARALLEL:
.DEFAULT_GOAL := help

# So that a build that takes minutes shows where it is.
export NINJA_STATUS := [%f/%t %es] 
export PYTHONDONTWRITEBYTECODE := 1

RUN_TESTS := python3 test/tools/run_tests.py

.PHONY: help
help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: setup build  ## Watch claims live and die on a real control plane (KEEP=1 leaves it running)
	KEEP="$(KEEP)" test/demo/demo

.PHONY: test
test: setup  ## Everything: checks, unit tests, control plane, integration tests, cases
	$(RUN_TESTS)

.PHONY: build
build: setup  ## Optimized binary: build/release/dra-claim-controller
	cmake --preset release
	cmake --build --preset release

.PHONY: dev
dev: setup  ## Debug build with ASan and UBSan, all targets: build/dev/
	cmake --preset dev
	cmake --build --preset dev

.PHONY: unit
unit: setup  ## Unit tests under ASan and UBSan
	$(RUN_TESTS) unit

.PHONY: race
race: setup  ## Unit tests under ThreadSanitizer
	$(RUN_TESTS) race

.PHONY: integration
integration: setup  ## Integration tests and cases on a real API server
	$(RUN_TESTS) integration cases

.PHONY: check
check: setup  ## Layers, fences, sizes, format, documents, and the tests of these checks
	$(RUN_TESTS) checks tools

.PHONY: tidy
tidy: dev  ## clang-tidy over controller/ (advice; its few errors are bugs)
	run-clang-tidy-14 -quiet -p build/dev "$(CURDIR)/controller/.*\.cc$$"

.PHONY: cluster-up
cluster-up: setup  ## Start a real control plane on 127.0.0.1 (see test/controlplane/cluster --help)
	test/controlplane/cluster up

.PHONY: cluster-down
cluster-down:  ## Stop it and delete its data
	test/controlplane/cluster down

.PHONY: setup
setup:  ## Install what is missing (packages as root; Go from a package)
	@test/demo/install-packages.sh

.PHONY: clean
clean:  ## Delete build/ (the cache of the control plane stays)
	rm -rf build
