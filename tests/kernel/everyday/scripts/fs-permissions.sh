# Modes of files.
umask 022
touch a b; mkdir d
chmod 640 a; chmod u+x,go-r b; chmod -R 755 d
stat -c '%a %n' a b d
ls -l a b | cut -c1-10
find . -maxdepth 1 -type f -perm -u+x
chmod a=r b; stat -c %A b
install -m 600 a c 2> /dev/null; stat -c %a c
