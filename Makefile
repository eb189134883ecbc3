# Copaflash. `make help` lists what there is.
GO      ?= go
PKGS     = ./...
STATICCHECK_VERSION = v0.8.2

# Debian packages the tests need beyond Go: compilers for the stencils and the
# firmware, emulators to run them, CPython as the oracle of the script language, and Wine.
DEB_PACKAGES = \
	gcc libc6-dev           \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross \
	gcc-arm-none-eabi gcc-riscv64-unknown-elf \
	qemu-system-arm qemu-system-misc qemu-user-static \
	libmpfr-dev python3 \
	clang-14 libclang-rt-14-dev \
	wine wine64 binutils-mingw-w64-x86-64

.PHONY: help build run test test-all test-go deps lint check-generated stencils firmware codes reference \
        prove-math fuzz fuzz-short fuzz-long bench wiring bench-page bench-realtime windows cross release install sizes clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the copaflash binary, static, into the current folder
	CGO_ENABLED=0 $(GO) build -trimpath -o copaflash ./cmd/copaflash

PREFIX ?= /usr/local
install: build ## the binary into $(PREFIX)/bin (PREFIX=/usr/local)
	install -D -m 755 copaflash $(DESTDIR)$(PREFIX)/bin/copaflash

test: deps lint check-generated test-go windows fuzz-short cross ## install what is needed, then every check, and tests of one case of each class

test-all: export COPAFLASH_TEST_ALL = 1
test-all: test ## the same with every case on every board (no limit of time)

deps: ## install the Debian packages the tests need (root or sudo), a newer QEMU beside them, and the emulator of a Pico
	@.ci/install-deps $(DEB_PACKAGES)
	@.ci/install-qemu
	@.ci/install-rp2040js

test-go: ## all Go tests, with counts; in CI a skipped test is a failure
	.ci/go-test

windows: ## programs in the process of the host, and the examples, on Windows under Wine
	@.ci/install-deps wine wine64 binutils-mingw-w64-x86-64
	.ci/windows

# As `make cross` builds for them, so that packages are compiled once for both.
VET = windows/amd64 darwin/arm64
lint: ## gofmt, go mod tidy, go vet for every system, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet $(PKGS)
	@for t in $(VET); do echo "vet $$t"; CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) vet -trimpath $(PKGS) || exit 1; done
	$(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) $(PKGS)

check-generated: ## rebuild codes, ops, reference, stencils and firmware and compare them byte for byte
	$(GO) run ./compiler/graph/gen -check
	$(GO) run ./protocol/gen -check
	$(GO) run ./compiler/script/copapy/manual/write -check
	$(GO) run ./stencils/build -check $(if $(COPAFLASH_TEST_ALL),-all)
	$(GO) run ./firmware/build -check
	$(MAKE) -s -j$$(nproc) -C stencils/proof check

codes: ## message codes from protocol/messages.cddl into Go and C, methods of ops from the op table
	$(GO) run ./compiler/graph/gen
	$(GO) run ./protocol/gen

reference: ## docs/reference from the op table and compiler/script/copapy/manual
	$(GO) run ./compiler/script/copapy/manual/write

stencils: ## stencil libraries from stencils/src
	$(GO) run ./stencils/build

firmware: ## runner images of all boards and of the local target
	$(GO) run ./firmware/build

sizes: ## flash and RAM that each board's runner takes, against its budget
	@$(GO) run ./firmware/build -sizes

prove-math: ## every math function against MPFR, all 2^32 inputs each, and floats in integers against hardware (about an hour)
	@.ci/install-deps gcc libc6-dev libmpfr-dev gcc-arm-none-eabi gcc-riscv64-unknown-elf qemu-user-static
	$(MAKE) -C stencils/proof sweep sample single

FUZZTIME ?= 10m
fuzz: ## every fuzz target for FUZZTIME (10m) each, then the runner core with sanitizers
	.ci/fuzz $(FUZZTIME)
	$(MAKE) -C firmware fuzz

fuzz-short: ## every Go fuzz target for seconds; an input that fails is printed
	.ci/fuzz 2s

fuzz-long: ## 1000 million frames against the runner core, led to where none has been (about half an hour)
	@.ci/install-deps clang-14 libclang-rt-14-dev
	$(MAKE) -C firmware fuzz-long

bench: ## speed of generated code and of the compiler, as ratios to GCC in the same run
	$(GO) test -run '^$$' -bench . -benchtime 1s ./compiler/... ./stencils/... ./protocol/... ./firmware/... ./hil

wiring: ## the wiring pictures of docs/pin-examples.md
	$(GO) run ./docs/internal/wiring

bench-page: ## docs/benchmarks.md and its plot: calls from Go and scripts, GCC and NumPy (about a minute)
	@.ci/install-deps gcc libc6-dev python3-numpy || echo "bench-page: continues with what is installed"
	$(GO) run ./internal/benchpage/write

REALTIME ?= 10m
bench-realtime: ## lateness of ticks of the realtime runner beside cyclictest for REALTIME (10m) each (root, a quiet machine)
	@.ci/install-deps rt-tests
	$(GO) run ./firmware/local/cyclic -time $(REALTIME)

CROSS = linux/amd64 linux/386 linux/arm64 linux/arm windows/amd64 darwin/arm64
cross: ## static binaries for every system, without cgo, into dist/
	@for t in $(CROSS); do \
		os=$${t%/*}; arch=$${t#*/}; ext=; [ $$os = windows ] && ext=.exe; \
		echo "build $$os/$$arch"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -o dist/copaflash-$$os-$$arch$$ext ./cmd/copaflash || exit 1; \
	done

RELEASES = linux/amd64 linux/386 linux/arm64 linux/arm windows/amd64 windows/arm64 darwin/amd64 darwin/arm64
release: ## archives for every system with licences, bills of materials and sums, into dist/
	$(GO) run ./internal/release/pack -o dist $(RELEASES)

clean: ## remove what was built
	rm -rf copaflash dist
	$(MAKE) -C firmware clean
	$(MAKE) -C stencils/proof clean
