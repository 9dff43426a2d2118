# Work in batches by xargs.
find src -name '*.js' | sort | xargs -d '\n' -n 2 echo batch:
seq 1 7 | xargs -n3 | sed 's/^/[/; s/$/]/'
printf 'a b\nc\n' | xargs -I{} echo "<{}>"
printf '' | xargs -r echo never
