import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

const needs = ["file", "getopt", "hexdump", "numfmt", "strings", "tree"]

compare("small tools print what Debian's do", [
  "cmp abc.txt abc.txt; echo $?; cmp abc.txt dup.txt; cmp -l abc.txt nonl.txt | head -3; cmp -s abc.txt dup.txt; echo $?; cmp empty abc.txt; head -c 20 abc.txt > x; cmp x abc.txt; cmp -b abc.txt dup.txt; cmp -n 3 x abc.txt; cmp -i 1 abc.txt dup.txt; cmp missing abc.txt; echo $?; cmp x; echo $?; head -c 17 abc.txt > y; cmp y abc.txt; cat abc.txt | cmp - abc.txt; cmp -lb abc.txt dup.txt | head -2",
  "tree; tree -a dir; tree -d; tree -L 1; tree -f dir; tree -i dir; tree --noreport dir; tree -P '*.c' dir; tree -I 'sub' dir; tree --dirsfirst dir; tree -F dir; tree dir dir/sub; tree missing; echo $?; tree -r dir; tree -L 0; echo $?; tree -s dir; tree -p dir; tree --prune -P '*.c' dir; tree -Q dir; tree -af dir",
  "mkdir e; tree e; tree -h dir | grep -v '^\\[' ; tree -U dir/sub/deep; chmod 755 dir/a.c; tree -F dir; tree -P '*.c' --prune; tree -I '*.c|*.h' dir; tree -dL 1",
  "column -t fields.csv; column -ts, fields.csv; column -t -s , -o ' | ' fields.csv; column -ts: passwd; column -t abc.txt; seq 30 | column; seq 30 | column -x; seq 30 | column -c 40; column -t -s, -N a,b,c fields.csv; column -t -s, -R 1,3 fields.csv; column -t -s, -H 2 fields.csv; printf 'a b\\n\\nc d\\n' | column -t; printf 'a b\\n\\nc d\\n' | column -Lt; column -t tabs.txt; ls | column -c 100; column < empty",
  "strings binary; printf 'ab\\0abcd\\0\\1hello world\\n\\377xyz12' > b; strings b; strings -n 2 b; strings -t x b; strings -t d -n 3 b; strings -f b; strings -a b; head -c 100 /dev/zero | strings; strings -o b; printf 'tab\\there\\nline two\\n' | strings",
  "shuf -i 1-10 | sort -n; shuf -e a b c | sort; shuf abc.txt | sort; shuf -n 2 abc.txt | wc -l; shuf -n 0 abc.txt; shuf -r -n 5 -e x; shuf -i 5-1; echo $?; shuf -i 1-1; seq 5 | shuf -o out; sort out; shuf -zn 3 -e a b c | tr '\\0' '\\n' | wc -l; shuf -n x abc.txt; echo $?",
  "export A=1 B='two words'; echo '$A ${B} $C ${A}x $$ \\$A' | envsubst; echo '$A $B' | envsubst '$A'; envsubst -v '$A ${B}'; printf 'no newline $A' | envsubst",
  "printf 'a b\\nb c\\na c\\n' | tsort; printf 'a b b c c a' | tsort; echo $?; printf 'a a b b' | tsort; printf 'a' | tsort; echo $?; printf 'x y x z y w z w q r' | tsort; printf 'main parse main tail parse getopt tail getopt\\nz z' | tsort",
  "hexdump abc.txt; hexdump -C abc.txt; hexdump -C nonl.txt; hexdump -b binary; hexdump -c binary; hexdump -d binary; hexdump -o binary; hexdump -x binary; hexdump -C empty; head -c 100 /dev/zero | hexdump -C; head -c 100 /dev/zero | hexdump -Cv; hexdump -n 5 -s 2 -C abc.txt; hexdump -C -s 30 abc.txt",
  "cksum abc.txt; cksum < abc.txt; cksum abc.txt empty; cksum missing; echo $?; b2sum abc.txt; b2sum abc.txt > s; b2sum -c s; b2sum --tag abc.txt",
  "less abc.txt; more abc.txt | head -1; cat abc.txt | less; nproc >/dev/null",
  "dd if=abc.txt bs=10 count=2 status=none; dd if=abc.txt of=x bs=1 skip=5 count=5 status=none; cat x; dd if=abc.txt of=x bs=4 seek=1 conv=notrunc status=none; od -c x | head -3; dd if=abc.txt bs=10 count=1 status=noxfer; dd if=abc.txt conv=ucase status=none | head -1; dd if=/dev/zero bs=1K count=3 status=none | wc -c; cat abc.txt | dd bs=5 skip=1 count=1 status=none; dd if=missing status=none; echo $?; dd bogus=1; echo $?; dd if=abc.txt bs=50 conv=sync status=none | wc -c; dd if=abc.txt conv=swab count=1 bs=9 status=none; dd if=abc.txt ibs=3 obs=7 status=noxfer > /dev/null; dd if=abc.txt iflag=count_bytes count=7 status=none; dd if=abc.txt of=q seek=3 bs=2 count=1 status=none; od -c q; dd if=abc.txt bs=2x3 count=1 status=none",
  "numfmt --to=si 1000 1500 999 123456 1999999 0; numfmt --to=iec 1024 1536 1048576 2000; numfmt --to=iec-i 4096; numfmt --from=si 1K 2M 1.5G; numfmt --from=iec 1K 2M; numfmt --from=iec-i 1Ki; numfmt --from=auto 1K 1Ki; numfmt --from=none 12; numfmt 1K; echo $?; numfmt x; echo $?; numfmt --format='%.2f' --to=si 123456; numfmt --format='%10f|' 5; numfmt --padding=8 12; numfmt --padding=-8 12; numfmt --suffix=B --to=si 5000; numfmt --round=down --to=si 1999; numfmt --round=nearest --to=si 1449",
  "printf 'a 1000 x\\nb 2500 y\\n' | numfmt --field=2 --to=si; printf 'a,1000\\nb,2500\\n' | numfmt -d, --field=2 --to=iec; printf 'head\\n1000\\n' | numfmt --header --to=si; printf '1000\\nx\\n' | numfmt --invalid=ignore --to=si; echo $?; numfmt --from-unit=1024 5; numfmt --to-unit=1000 5000; ls -l abc.txt | numfmt --field=5 --to=iec | cut -c1-10; numfmt --to=si -- -1500; numfmt --format='%08.1f' 12.34; numfmt --to=iec 1073741823 ; numfmt 12.345",
  "getopt -o ab:c:: -l alpha,beta:,gamma:: -- -a -b x --beta=y file -c --gamma -- rest; getopt -o ab: -- -ab 'it'\"'\"'s' q; getopt ab: -a -b v w; getopt -o a -n prog -- -x; echo $?; getopt -o a -l long -- --lon --unknown; echo $?; getopt -T; echo $?; getopt -o +a -- -a b -a; getopt -o -a -- x -a y; getopt -u -o a: -- -a 'b c'; getopt -a -o a -l long -- -long; getopt -o a: -- -a; echo $?; getopt -q -o a -- -z; echo $?; getopt; echo $?; getopt -o '' -l x: -- --x 'a b' \"c'd\"",
  "file abc.txt empty dir link binary; file -b abc.txt; file -i abc.txt; file --mime-type abc.txt utf8.txt; echo '{\"a\":1}' > j.json; file j.json; printf '#!/bin/bash\\necho\\n' > s.sh; file s.sh; printf '#!/usr/bin/env python3\\n' > p.py; file -b p.py; file utf8.txt long.txt nonl.txt; printf 'a\\r\\nb\\r\\n' > c; file c; file missing; file -b - < abc.txt; printf '<!DOCTYPE html>\\n<html></html>\\n' > h.html; file -b h.html; file -L link; printf '#!/bin/sh\\n' > q; file -b q; file -i j.json dir binary; printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\rIHDR\\0\\0\\0\\020\\0\\0\\0\\010\\010\\006\\0\\0\\0' > i.png; file i.png; tar cf t.tar abc.txt; file -b t.tar; echo '[1,2' > k; file -b k",
], { needs, shell: true })

compare("bc computes as Debian's does", [
  "echo '1+2*3' | bc; echo 'scale=2; 10/3' | bc; echo '10/3' | bc; echo '2^100' | bc; echo '10%3' | bc; echo 'scale=4; 10%3; -7/2; -7%3' | bc; echo '(1+2)*3; 5-8' | bc; echo 'scale=10; sqrt(2)' | bc; echo 'x=5; x*2; x+=3; x' | bc; echo '1.5*2.25; 1.5+2; .5; -.5; 0.10' | bc",
  "echo 'scale=20; 4*a(1); e(1); l(2); s(1); c(0)' | bc -l; echo 'ibase=16; FF; A+1' | bc; echo 'obase=2; 10; obase=16; 255; 4095' | bc; echo 'for (i=0;i<3;i++) i' | bc; echo 'define f(n) { if (n<=1) return 1; return n*f(n-1); } f(20)' | bc; echo 'if (3>2) 1 else 0; 3>2; 2==3; !1; 1&&0; 1||0' | bc; echo 'while (x<3) { x; x=x+1 }' | bc; echo 'a[1]=5; a[1]*2; length(12.345); scale(1.23)' | bc; echo '\"hello\"; print \"a\", 1, \"\\n\"' | bc",
  "echo '1/0' | bc; echo $?; echo '1+' | bc; echo $?; echo '2^-1; scale=3; 2^-1; 2^0' | bc; echo '7/2*2; 1.0/3.0' | bc; echo 'scale=2; 1.005*1; 2/3+1/3' | bc; echo '100000000000000000000*99999999999999999999' | bc; echo 'x++; ++x; x--; -x; last' | bc; echo '/* c */ 1 # c' | bc; echo 'scale=5; 22/7 ; . ' | bc; echo '1e3' | bc; bc -l <<< 'l(10)/l(2)'; bc <<< '5 > 3'; bc <<< '(5 > 3) + 1'; echo 'define g(x) { auto y; y=x*2; return (y) } g(4); y' | bc; echo 'quit' | bc; echo 'a=3;b=4;sqrt(a^2+b^2)' | bc; echo \"scale=2;100*1.1;3.0*2\" | bc; echo '2^0.5' | bc; echo 'for(i=1;i<=10;i++){ if(i==3) continue; if(i>5) break; i }' | bc",
  "printf '1\\n2+2\\n' > f.bc; bc -q f.bc < /dev/null; seq 10 | paste -sd+ | bc; echo 'scale=3; 1/3' | bc -l; bc -l <<< 'scale=2; 7/3'; echo 'obase=8; 64' | bc; echo 'scale=0; 7/2; 5.5%2; scale=1; 5.5%2' | bc; echo '3 <= 3; 4 >= 5; 1 != 1' | bc; echo 'define p(n){ return n^2 }; p(3)' | bc; echo '123456789^12' | bc",
], { needs: ["bc"], shell: true })

compare("csplit splits as Debian's does", [
  "seq 20 > f; csplit f 5 10; csplit -f p f /7/ /15/; csplit -s -f q f 3 '{2}'; csplit -f r -b '%03d.txt' f '/1/' '{*}'",
  "seq 20 > f; csplit f /99/; echo $?; ls xx*; csplit -k f 5 /99/; echo $?; csplit -f z -z f 1 /3/; csplit -f m --suppress-matched f /5/ /10/; csplit -f o f /5/+2 /10/-1; csplit -f s f %5% /8/",
  "seq 20 > f; csplit -n 4 -f a f 10; csplit f 30; echo $?; csplit f x; echo $?; csplit f; echo $?; csplit missing 1; echo $?; csplit f 10 5; echo $?; csplit f 0; echo $?; printf 'a\\n--\\nb\\n--\\nc\\n' | csplit - '/--/' '{*}'; csplit -f t f /3/ '{1}'; csplit -f u f /3/ '{5}'; echo $?",
], { shell: true, tree: true })

compare("install copies as Debian's does", [
  "install abc.txt x; install -m 644 abc.txt y; install -d a/b/c d; install -D abc.txt p/q/r; install abc.txt dup.txt d; install -t d nonl.txt; install -v abc.txt z; install -dv n1/n2; install dir x; echo $?; install; echo $?; install -m 600 -D -t t1/t2 abc.txt; install -Dv abc.txt u/v/w; install -p abc.txt k; stat -c %Y k",
], { shell: true, tree: true })

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it("uuidgen prints a random UUID of version 4", async () => {
  const { stdout } = await sh("uuidgen; uuidgen -r")
  expect(stdout).toMatch(/^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n){2}$/)
  expect(new Set(stdout.split("\n")).size).toBe(3)
})

it("tput and clear print the sequences of xterm", async () => {
  const { exitCode, stdout } = await sh(
    "tput bold; tput setaf 1; tput setaf 200; tput sgr0; tput cols; tput cup 1 2; clear; tput no",
  )
  expect(stdout).toBe("\x1b[1m\x1b[31m\x1b[38;5;200m\x1b(B\x1b[m80\n\x1b[2;3H\x1b[H\x1b[2J\x1b[3J")
  expect(exitCode).toBe(4)
})

it.each([
  ["bc <<< '9^9^9'", "numbers of more than 20000 digits are not supported"],
  ["bc <<< 'define f(x) { return f(x) }; f(1)'", "functions call each other more than 500 times"],
  ["bc <<< 'scale=100000; 1/3'", "a scale above 20000 is not supported"],
  [`bc <<< "$(yes '(' | head -n 5000 | tr -d '\\n')1"`, "syntax error"],
  ["tree --gitignore", "not supported"],
  ["column -J -t", "--json is not supported"],
  ["dd status=progress", "status=progress is not supported"],
  ["dd bs=100M", "invalid number"],
  ["install -b a b", "options -b and -C are not supported"],
  ["numfmt --grouping --to=si 1", "grouping cannot be combined with --to"],
  ["shuf -i 1-100000000", "an input range holds at most 10000000 numbers"],
  ["column -c 1000000", "columns argument is above 100000"],
])("refuses what it does not do: %s", async (script, message) => {
  const { exitCode, stderr } = await sh(script.startsWith("bc") ? script : `${script} < /dev/null`)
  expect(stderr).toContain(message)
  expect(exitCode === 0).toBe(script.startsWith("bc"))
})
