import { compare } from "./support.ts"

const links = "ln -s dir/sub d; ln -s dir/a.c l; ln -s 'none/' m; ln -s 'dir/a.c/' f; ln -s y x; ln -s x y; "

compare(
  "realpath and readlink resolve as Debian's do",
  [
    "realpath -L none/..; realpath none/.; realpath none/a; realpath -m none/a/../b; realpath -e none; realpath none/",
    "realpath l/; realpath f; realpath m; realpath l; realpath d; realpath d/..; realpath -L d/..; realpath -s d/..",
    "realpath -s dir/a.c/x; realpath -s l/..; realpath -L l/..; realpath -s dir/a.c/; realpath dir/a.c/..; realpath dir/a.c/.",
    "realpath -s --relative-to=. none/x/y d/y.log l; realpath -L -m --relative-to=. none/..; realpath -L /..; realpath -se none/x",
    "realpath --relative-to=. dir/./a.c ./dir/..//dir/a.c none; realpath -e --relative-to=. dir/.; realpath --relative-to=dir dir abc.txt",
    "realpath --relative-base=. abc.txt /usr; realpath --relative-base=dir abc.txt dir/a.c; realpath --relative-base=/ /usr",
    "realpath --relative-to=dir --relative-base=. dir/a.c /usr; realpath --relative-to=/usr --relative-base=. dir/a.c abc.txt",
    "realpath x; realpath -q none/a; realpath -z --relative-to=. abc.txt dir | od -c | head -2; realpath -e --relative-to=none abc.txt",
    "realpath -m dir/a.c/x/.. f/z; realpath ''; realpath -P d/..; realpath -LP d/..; realpath --logical d/..; realpath -s .//dir///sub",
    "readlink -f l m f d/../a.c; readlink -e l m; readlink -m none/x/../y; readlink -f none/x; readlink l/; readlink -f dir/a.c/",
  ].map((script) => `${links}{ ${script}; } 2>&1 | sed 's,/[^ ]*/work[0-9]*,/work,g'`),
  { shell: true, tree: true },
)
