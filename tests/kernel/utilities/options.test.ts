import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

compare("less common options do what Debian's do", [
  "cp --parents dir/sub/y.log x; mkdir -p x; cp --parents dir/sub/y.log x; find x | sort; cp --parents missing x; cp -v --parents dir/a.c x",
  "mapfile -t -c 2 -C 'echo cb' a < abc.txt; echo ${#a[@]}; mapfile -C 'echo x' -c 3 b < abc.txt",
  "stat -t abc.txt | cut -d' ' -f1,2,13; stat -c '%n %s %a %F %h %U %G %A %Y' abc.txt; stat -c '%n %F %A' dir; stat --printf '%n\\n%s' abc.txt; stat -L -c %F link; stat -c '%N' link",
  "ls -C | head -3; ls -x | head -3; ls -w 40 -C; ls --hide='*.txt' -1; ls -I '*.txt' -1; ls -aI '.*' dir; ls --ignore='d*' -m; ls -w 30 -m;  ls -Cw 60 dir; ls -x -w 60; ls --format=single-column dir; ls --format=commas dir; ls -B; ls --width=40 -C",
  "sort --sort=numeric numbers.txt; sort --sort=version versions.txt; sort --sort=human-numeric sizes.txt; sort --sort=general-numeric numbers.txt; sort --sort=month abc.txt; sort --sort=bogus abc.txt; echo $?; printf 'abc.txt\\0dup.txt\\0' > l; sort --files0-from=l; printf 'abc.txt\\0' | sort --files0-from=-; sort --files0-from=l abc.txt; echo $?; sort --sort=random abc.txt | wc -l",
  "find . -newermt 2023-11-20 -name '*.txt' | sort; find . -newermt '2023-11-20 10:00' ! -newermt 2023-12-01 -type f | sort; find . -newermm abc.txt -name 'd*' | sort; find . -samefile link; find . -samefile abc.txt; ln abc.txt hard; find . -samefile abc.txt | sort; find . -xtype f -name link; find . -xtype l; ln -s none broken; find . -xtype l; find . -type l | sort; printf 'dir\\0abc.txt\\0' > l0; find -files0-from l0 -maxdepth 0; printf 'dir\\0' | find -files0-from - -name '*.c'",
  "find dir -name a.c -ls | awk '{$1=\"\";print}'; find abc.txt -fls out; awk '{print $NF}' out; find dir -name '*.c' -fprint o1; cat o1; find dir -name '*.c' -fprint0 o2; tr '\\0' '\\n' < o2; find dir -name '*.c' -fprintf o3 '%f\\n'; cat o3; find dir -regextype posix-extended -regex '.*/(a|b)\\.[ch]' | sort",
  "printf 'a\\tb\\n' > t; grep -T b t; grep -nT a abc.txt; grep -HnT alpha abc.txt; grep --color=always alpha abc.txt; grep --color=always -n alpha abc.txt; grep --color=never alpha abc.txt; grep --color=always -Hn alpha abc.txt; grep --color=always -v alpha abc.txt; grep --color=always -o al abc.txt; grep --color=always -A1 soup abc.txt; grep --color alpha abc.txt; grep --color=always -c a abc.txt dup.txt; grep --color=always -l a abc.txt",
  "du -a dir | sort -k2; du -s dir; du --exclude='*.c' -a dir | sort -k2; du --time dir/a.c | cut -f2; du --time --time-style=+%Y dir/a.c; du -h dir/a.c; du -b dir/a.c; du -c dir/a.c dir/b.h; du -d0 dir; du --apparent-size -a dir | cut -f2 | sort; du -0 dir/a.c | od -c | head -1; du --max-depth=1 dir | sort -k2; du -S dir | sort -k2; du -X l dir; echo $?; du -t 1 -a dir | sort -k2;  du --inodes dir | sort -k2",
], { shell: true })

compare("cp makes directories and backups as Debian's does", [
  "mkdir x; cp -r --parents dir/sub x; cp --parents dir/sub/y.log nodir; echo $?; cp -p --parents dir/sub/deep/x.txt x",
  "cp --backup abc.txt dup.txt; cp -b empty dup.txt; cp --backup=numbered abc.txt nonl.txt;  cp --backup=numbered empty nonl.txt; cp --backup=simple -S .bak abc.txt empty; ls; cp --backup=none abc.txt long.txt; cp --backup=existing abc.txt nonl.txt; cp --backup=bogus abc.txt x; echo $?",
], { shell: true, tree: true })

compare("options that corpora and everyday lines asked for do what Debian's do", [
  "find dir -regex '.*\\.[ch]\\(pp\\)?' | sort; find . -regex './a[a-z]+\\.txt'; find . -regextype sed -regex './du\\+.*'; find . -regextype findutils-default -regex '.*[+]\\|./empty'; touch a+b 'c{2}'; find . -regex './a\\+b'; find . -regex './c{2}'; find . -regex './a[+]b'; find . -regextype bogus; echo $?",
  "mkdir -p loop/in; ln -s .. loop/in/up; find -L loop -type f; echo $?; find -L loop -name in; find loop | sort; grep -R x loop; echo $?",
  "grep -A0 --no-group-separator a abc.txt; grep -A0 --group-separator=XX soup abc.txt; grep -B1 --group-separator=== e abc.txt; grep -A1 alpha abc.txt --group-separator= ; grep -d skip alpha dir abc.txt; echo $?; grep -d recurse main dir; grep -D skip x /dev/null; echo $?; grep -d bogus x y; echo $?; grep -D bogus x y; echo $?",
  "ls -b 'space name.txt'; touch \"$(printf 'a\\nb\\\\c')\"; ls -b | head -2; ls -Qb 'space name.txt'; ls -bQ 'space name.txt'; ls --escape dir",
  "printf 'abc.txt\\0dup.txt\\0' > l; wc --files0-from=l; wc -l --files0-from=- < l; wc --files0-from=l abc.txt; echo $?; cat l | wc --files0-from=-; wc --files0-from=none; echo $?",
  "uniq --group dup.txt; uniq --group=prepend dup.txt; uniq --group=append dup.txt; uniq --group=both -i dup.txt; uniq --group=both empty; uniq --group=x dup.txt; echo $?; uniq --group -c dup.txt; echo $?",
  "sum abc.txt; sum -r abc.txt nonl.txt; sum -s abc.txt; sum --sysv abc.txt nonl.txt; sum < abc.txt; cat long.txt | sum -s; sum missing; echo $?; seq 100000 | sum; seq 100000 | sum -s",
  "printf 'x\\ny\\n' | diff - -; echo $?; diff -s - - < abc.txt; LC_ALL=C mktemp -q bad.XX 2>&1; LC_ALL=C.UTF-8 mktemp bad.XX 2>&1; LC_ALL=C sort --bogus 2>&1 | head -1",
  "printf 'a\\0b\\0c\\0' | sed -z 'N;s/\\x00/+/' | od -c | head -2; printf 'a\\0b\\0' | sed -zn 'H;${x;p}' | od -c | head -2; printf 'a\\0b\\0c\\0' | sed -zn '$!N;P;D' | od -c | head -2; printf 'a\\0b\\0' | sed -z G | od -c; echo abc | sed 'y/abc/\\x41\\d066\\o103/'; echo abc | sed 'y/b/\\n/'; printf '/b/i\\\\\\n' > p.sed; printf 'a\\nb\\n' | sed -f p.sed; printf 'a\\nb\\n' | sed -f p.sed -e p",
  'awk \'BEGIN { OFS = ":"; $0 = "a b c"; $2 = "x"; OFS = "-"; print; $3 = "y"; print; NF = 4; OFS = "+"; print }\'; awk \'$\'; awk .; awk \'{ print $\'',
  "mkdir p; cp abc.txt p/tool; PATH=$PWD/p:$PATH; tool; echo $?",
], { shell: true })

compare("mv keeps what it overwrites, and split makes a number of pieces, as Debian's do", [
  "mv -b abc.txt dup.txt; mv --backup=numbered nonl.txt dup.txt; mv -S .old -b empty dup.txt; mv --backup=none long.txt dup.txt; mv --backup=bogus a b; echo $?; ls",
  "split -n 3 abc.txt; split -n l/3 -d abc.txt p; split -n 4 --additional-suffix=.x nonl.txt n; split -n 5 empty e; split -n 0 abc.txt; echo $?; split -n l/2 nonl.txt z; split -n 100 -a 3 abc.txt many; ls | wc -l",
], { shell: true, tree: true })

compare("--version is answered, with GNU in it where the program is GNU's", [
  "for name in sed grep awk find xargs tar diff patch ls cat sort date stat readlink tail env nice cut head tr uname; do " +
  "$name --version < /dev/null > v; echo $name $? $(grep -c GNU v | sed 's/[1-9].*/some/'); done",
  "grep -e --version <<'x'\na --version\nx\nls -- --version; echo $?; sort --ver; echo $?; cat --version=x; echo $?",
  "find -version | grep -q GNU && echo yes; find --help | head -n 1 | cut -c -27; echo a | xargs echo --version",
], { shell: true })

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it.each([
  ["cp --reflink=always a b", "--reflink=always is not supported"],
  ["cp -x a b", "invalid option -- 'x'"],
  ["cp --sparse=always a b", "unrecognized option '--sparse=always'"],
  ["diff --color=always -y a a", "--color=always is supported for normal and unified output"],
  ["grep --binary-files=text a a", "unrecognized option '--binary-files=text'"],
  ["ls --color=always", "--color=always is not supported"],
  ["ls -Z", "invalid option -- 'Z'"],
  ["sed --debug p a", "unrecognized option '--debug'"],
  ["split -n r/2 a", "invalid number of chunks"],
  ["wc --files0-from=/dev/zero", "/dev/zero:1: invalid zero-length file name"],
  ["yes x | tr '\\n' '\\0' | wc --files0-from=-", "-: more than 16777216 bytes of names"],
  ["stat -f a", "-f is not supported"],
])("refuses an option instead of ignoring it: %s", async (script, message) => {
  const { exitCode, stderr } = await sh(`touch a; ${script}`)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})
