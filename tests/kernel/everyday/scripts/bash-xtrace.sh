# Trace of what runs.
exec 2>&1
PS4='+ '
set -x
name=world
echo "hello $name"
[[ $name == w* ]] && n=$((1 + 2))
{ set +x; } 2> /dev/null
echo "n is $n"
