# Remove a temporary folder at the end.
work=$(mktemp -d)
cleanup() { local code=$?; rm -rf "$work"; [ -d "$work" ] || echo "cleaned after $code"; }
trap cleanup EXIT
touch "$work/a" "$work/b"
ls "$work" | wc -l
exit 7
