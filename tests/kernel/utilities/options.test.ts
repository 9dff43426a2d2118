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

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it.each([
  ["cp --reflink=always a b", "--reflink=always is not supported"],
  ["cp -x a b", "invalid option -- 'x'"],
  ["cp --sparse=always a b", "unrecognized option '--sparse=always'"],
  ["diff --color=always -y a a", "--color=always is supported for normal and unified output"],
  ["grep --binary-files=text a a", "unrecognized option '--binary-files=text'"],
  ["ls --color=always", "--color=always is not supported"],
  ["ls -Z", "invalid option -- 'Z'"],
  ["stat -f a", "-f is not supported"],
])("refuses an option instead of ignoring it: %s", async (script, message) => {
  const { exitCode, stderr } = await sh(`touch a; ${script}`)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})
