# Write a script, make it executable, run it with arguments.
mkdir -p bin
cat > bin/greet <<'EOF'
#!/usr/bin/env bash
set -eu
[ $# -ge 1 ] || { echo "usage: $(basename "$0") NAME..." >&2; exit 64; }
for n in "$@"; do echo "hello, $n"; done
EOF
chmod +x bin/greet
bin/greet Anna "Bob C"
PATH=$PWD/bin:$PATH greet you
greet 2> /dev/null || true
bin/greet; echo "exit $?"
