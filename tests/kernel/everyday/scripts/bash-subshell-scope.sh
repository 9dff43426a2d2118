# What a subshell keeps to itself.
x=1; dir=$PWD
( x=2; cd /tmp; echo "inside $x $PWD" )
echo "outside $x $([ "$PWD" = "$dir" ] && echo same)"
echo 5 | read -r y; echo "y=${y:-unset}"
shopt -s lastpipe; echo 6 | read -r z; echo "z=$z"
{ x=3; }; echo "$x"
