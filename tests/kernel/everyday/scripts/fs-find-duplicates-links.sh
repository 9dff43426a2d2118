# Duplicates by content, replaced by hard links; links that lead nowhere.
mkdir -p store/x store/y; echo same > store/a; echo same > store/x/b; echo other > store/c; cp store/c store/y/d; : > store/e; : > store/y/f
find store -type f -size +0 -exec md5sum {} + | sort | awk '{ if ($1 == h) print f "\t" $2; else { h = $1; f = $2 } }' | while IFS=$'\t' read -r keep dup; do ln -f "$keep" "$dup"; echo "$dup -> $keep"; done
find store -type f -links +1 | sort; stat -c '%h %n' store/a store/c
find store -empty | sort
ln -s a store/good; ln -s nowhere store/bad; ln -s ../../store store/x/loop
find store -xtype l; find -L store -maxdepth 2 -name good -type f
readlink store/bad; readlink -f store/x/loop/a | sed "s,$PWD/,,"; [[ store/a -ef store/x/b ]] && echo "same file"
find store -type l -printf '%f %l\n' | sort; rm store/bad; find store -type l | wc -l
