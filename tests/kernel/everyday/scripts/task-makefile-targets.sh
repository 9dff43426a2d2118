# The targets of a Makefile.
cat > Makefile <<'EOF'
.PHONY: all test
all: build test ## build and test
build: src/index.js ## make the bundle
	mkdir -p dist
test: ; @echo ok ## run tests
clean:
	rm -rf dist
EOF
grep -E '^[a-z]+:.*##' Makefile | awk 'BEGIN { FS = ":.*## " } { printf "%-8s %s\n", $1, $2 }'
grep -oE '^[a-z]+:' Makefile | tr -d : | paste -sd' '
