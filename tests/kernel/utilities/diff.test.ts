import { expect, it, vi } from "@effect/vitest"
import { WaitCalls } from "../../../src/kernel/process/WaitCalls.ts"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

compare("diff prints differences as Debian's does", [
  "diff sorted1 sorted2",
  "diff abc.txt abc.txt",
  "diff --label a --label b -u sorted1 sorted2",
  "diff -q sorted1 sorted2",
  "diff missing sorted1",
  "diff sorted1",
  "diff -s abc.txt abc.txt",
  "tr A-Z a-z < abc.txt > z; diff -i abc.txt z",
  "diff empty sorted1",
  "diff sorted1 empty",
  "diff --label a --label b -u empty sorted1",
  "diff nonl.txt sorted1",
  "diff --label a --label b -u nonl.txt abc.txt",
  "sed 2d abc.txt > x; diff abc.txt x",
  "sed '2d;5s/zeta/eta/' abc.txt > x; diff --label a --label b -u abc.txt x",
  "seq 100 > x; seq 100 | sed '5d;50s/0/x/;95a new' > y; diff --label a --label b -u x y",
  "diff --label a --label b -U 1 x y",
  "diff --label a --label b -U 0 x y",
  "diff x y",
  "seq 20 > x; seq 20 | sed 's/$/ /' > y; diff -b x y; diff -w x y; diff -q x y",
  "diff -u --label a --label b sorted1 dir/sub/y.log",
  "cat abc.txt | diff - abc.txt",
  "echo 1 > x; diff x dir 2>&1 | wc -l",
  "seq 9 > x; seq 9 | sed '3a 3' > y; diff x y",
  "seq 30 > x; seq 15 45 > y; diff -u --label a --label b x y",
  "seq 1 2 60 > x; seq 1 3 60 > y; diff x y | md5sum; diff x y | wc -l",
])

const letters = (text: string, name: string): string => `echo ${text} | fold -w 1 > ${name}`

compare("diff chooses among equally short differences as Debian's does, also if there are thousands", [
  `${letters("ccbcabababaccccacbbbbc", "x")}; ${letters("acccabcabababcccccacbbbbc", "y")}; diff x y; diff y x`,
  `${letters("cbbabcbbccbcabaacbbb", "x")}; ${letters("cbbabbcbcbcabaacbbbbabcabab", "y")}; diff x y; diff y x`,
  `${letters("bcaacccbbcbbbbbbcbab", "x")}; ${letters("bcaaacccbbbcaaccbbbbbcbaabb", "y")}; diff x y; diff y x`,
  "seq 1 2 9000 > x; seq 1 3 9000 > y; diff x y | md5sum; diff x y | wc -l",
  "seq 9000 > x; seq 9000 | sed 's/[37]$/x/' > y; diff x y | md5sum; diff x y | wc -l",
], { shell: true })

const inputs = "printf 'a\\nb\\nc\\ne\\n' > sorted1; printf 'b\\nc\\nd\\nf\\n' > sorted2; " +
  "printf 'a\\tb\\tc\\n1\\t22\\t333\\n\\tlead\\n' > tabs.txt; touch -d @1700000000 sorted1 sorted2; "

compare(
  "diff has the options and formats of Debian's",
  [
    "diff -q sorted1 sorted2; diff -s abc.txt abc.txt; diff sorted1 sorted2",
    "diff -D NAME sorted1 sorted2; echo $?; diff --ifdef=A abc.txt abc.txt; echo $?; diff -DX nonl.txt abc.txt; diff -D X empty abc.txt; seq 9 > x; seq 9 | sed '2d;5s/5/five/;8a 8' > y; diff -D X x y; diff -D X --old-group-format='%<' x y; diff -D X -q x y",
    "diff -u --label a --label b sorted1 sorted2; diff -c --label a --label b sorted1 sorted2; diff -e sorted1 sorted2; diff -n sorted1 sorted2",
    "diff -u sorted1 sorted2; diff -c sorted1 sorted2",
    "diff -y sorted1 sorted2; diff -y -W 40 abc.txt nonl.txt; diff -y --suppress-common-lines sorted1 sorted2; diff -y --left-column sorted1 sorted2; diff -yt -W 60 tabs.txt sorted1",
    "mkdir a b; echo 1 > a/x; echo 2 > b/x; echo 3 > a/only; mkdir a/s b/s b/n; echo q > a/s/f; echo r > b/s/f; echo z > b/n/z; diff -r a b; echo $?; diff a b; diff -rq a b; diff -rN a b; diff -rs a b; diff -ruN a b | sed 's/\\t.*//'; diff -r -x 'x' -x n a b; diff -rNq a b",
    "mkdir a b; echo 1 > a/x; mkdir b/x; diff -r a b; echo $?; diff a/x b; diff a b/x",
    "diff a.none b.none; echo $?; diff -N abc.txt none | head -2; diff -uN none abc.txt | sed 's/abc.txt.*//' | head -3",
    "printf 'a\\n\\nb\\n' > x; printf 'a\\nb\\n\\n\\n' > y; diff -B x y; echo $?; printf 'a\\nc\\n\\n' > z; diff -B x z; diff -uB --label x --label z x z",
    "printf 'a 1\\nb\\n# c1\\n' > x; printf 'a 1\\nb\\n# c2\\n' > y; diff -I '^#' x y; echo $?; printf 'a 2\\nb\\n# c2\\n' > z; diff -I '^#' x z; diff -u -I '^#' --label x --label z x z",
    "printf 'A b  c\\n' > x; printf 'a  b c\\n' > y; diff -ib x y; echo $?; diff -iw x y; diff -b x y; printf 'a \\n' > z; printf 'a\\n' > w; diff -Z z w; diff -b z w; diff z w",
    "printf 'a\\r\\nb\\r\\n' > x; printf 'a\\nb\\n' > y; diff --strip-trailing-cr x y; echo $?; diff x y | od -c | head",
    "printf 'int f(void) {\\n1\\n2\\n3\\n4\\n5\\n6\\n}\\n' > x; sed s/6/six/ x > y; diff -up --label x --label y x y; diff -cp --label x --label y x y; diff -u -F '^int' --label x --label y x y; diff -p --label x --label y x y",
    "diff --old-line-format='-%L' --new-line-format='+%L' --unchanged-line-format=' %L' sorted1 sorted2; diff --line-format='%dn:%l%c'\"'\\\\012'\" sorted1 sorted2; diff --old-group-format='<<%<' --new-group-format='>>%>' --changed-group-format='[%<|%>]' --unchanged-group-format='%=' sorted1 sorted2",
    "diff --unchanged-group-format='' --changed-group-format='%>' sorted1 sorted2; diff --changed-group-format='%df,%dl c %dF,%dL %dN%c'\"'\"'\\012'\"'\" --unchanged-group-format= sorted1 sorted2; diff --unchanged-line-format= --old-line-format= --new-line-format='%L' sorted1 sorted2",
    "diff --color=always sorted1 sorted2 | cat -v; diff --color=always -u --label a --label b sorted1 sorted2 | cat -v",
    "diff binary abc.txt; echo $?; diff -q binary abc.txt; echo $?; diff -a binary abc.txt | head -3; diff binary binary; echo $?",
    "seq 100 > x; seq 100 | sed '5d;50s/0/x/;95a new' > y; diff -U1 --label x --label y x y; diff -C1 --label x --label y x y; diff -1 --label x --label y x y; diff -u0 --label x --label y x y; diff --unified=0 --label x --label y x y;  diff --context --label x --label y x y | wc -l",
    "diff -c --label a --label b empty sorted1; diff -c --label a --label b nonl.txt sorted1; diff -e empty sorted1; diff -n nonl.txt sorted1;",
    "printf 'a\\n.\\nb\\n' > x; diff -e empty x; diff -y empty sorted1; diff -y nonl.txt sorted1",
    "ln -s abc.txt a1; ln -s dup.txt a2; mkdir p q; ln -s x p/l; ln -s y q/l; diff --no-dereference -r p q; echo $?; diff a1 a2 | head -2",
    "diff -u --label a --label b <(echo 1) <(echo 2); cat abc.txt | diff - abc.txt; diff -T sorted1 sorted2; diff -uT --label a --label b sorted1 sorted2; diff --suppress-blank-empty -u --label a --label b abc.txt nonl.txt",
    "diff sorted1; echo $?; diff --bogus a b; echo $?; diff -U x a b; echo $?",
    "mkdir 'a b' c; echo 1 > 'a b/f'; echo 2 > c/f; diff -r 'a b' c; diff -rq 'a b' c",
    "seq 30 > x; sed 's/15/x/' x > y; diff -u10 --label x --label y x y | head -3; diff --minimal -d -H x y",
  ].map((text) => inputs + text),
  { shell: true, tree: true },
)

it("diff writes the lines of one change while it formats them", async () => {
  const world = makeWorld()
  const run = (script: string) => start(world, "sh", ["sh", "-c", script]).answer
  await run("seq 3000 > a; seq 3001 6000 > b")
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    const format = "$(head -c 1000 /dev/zero | tr '\\0' x)"
    expect((await run(`diff --line-format="${format}" a b > /dev/null`)).stderr).toBe("")
    expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(80)
  } finally {
    yields.mockRestore()
  }
})
