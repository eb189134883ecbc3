# Copaflash. `make help` lists what there is.
GO      ?= go
PKGS     = ./...
STATICCHECK_VERSION = 2026.1

# Debian packages the tests need beyond Go, with the reason for each.
DEB_PACKAGES = \
	gcc libc6-dev           \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	qemu-system-arm qemu-user-static \
	libmpfr-dev python3-minimal

.PHONY: help build run test test-go deps lint check-generated stencils firmware codes \
        prove-math fuzz bench cross sizes clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the copaflash binary, static, into the current folder
	CGO_ENABLED=0 $(GO) build -trimpath -o copaflash ./cmd/copaflash

test: deps lint check-generated test-go cross ## install what is needed, then every check and test

deps: ## install the Debian packages the tests need (root or sudo)
	@.ci/install-deps $(DEB_PACKAGES)

test-go: ## all tests (quick ones alone: go test -short ./...)
	COPAFLASH_NO_SKIP=$(CI) $(GO) test -timeout 30m $(PKGS)

lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	$(GO) vet $(PKGS)
	$(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) $(PKGS)
