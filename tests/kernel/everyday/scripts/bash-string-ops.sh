# Parts of a path and of texts.
path=/srv/www/site/index.tar.gz
echo "${path##*/} ${path%/*} ${path##*.} ${path%%.*}"
s="Hello, World"
echo "${#s} ${s:7} ${s: -5:3} ${s/o/0} ${s//o/0} ${s^^} ${s,,} ${s/#Hello/Bye} ${s/%World/all}"
unset x
echo "${x:-default} ${x:=set} $x ${x:+alternative}"
