import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

const files = "mkdir -p src/sub .hid; printf 'alpha one\\nbeta two\\nalpha three\\n' > src/a.txt; " +
  "printf 'x\\nalpha\\n' > src/sub/b.c; printf 'a\\0alpha\\n' > bin; echo alpha > .hid/h; echo alpha > top.log; " +
  "echo '*.log' > .ignore; echo beta > pats; "
const prelude = `mkdir t; cd t; ${files}`

const inTree = (cases: ReadonlyArray<string>) => cases.map((text) => prelude + text)

const options = { env: { LC_ALL: "C.UTF-8" }, needs: ["rg"], shell: true, tree: true }

compare(
  "rg searches as ripgrep does",
  inTree([
    "rg --sort path alpha < /dev/null",
    "rg --sort path alpha src/a.txt < /dev/null",
    "rg --sort path -n alpha src/a.txt < /dev/null",
    "rg --sort path alpha ./src < /dev/null",
    "rg --sort path -c alpha < /dev/null",
    "rg --sort path -l alpha < /dev/null",
    "rg --sort path --files < /dev/null",
    "rg --sort path -o al.. src < /dev/null",
    "rg --sort path -A1 alpha src/a.txt < /dev/null",
    "rg --sort path -nC1 beta src < /dev/null",
    "rg --sort path -C1 alpha < /dev/null",
    "rg --sort path --heading -n alpha < /dev/null",
    "rg --sort path --heading -nC1 alpha < /dev/null",
    "rg --sort path alpha bin < /dev/null",
    "rg --sort path alpha bin src/a.txt < /dev/null",
    "rg --sort path -a alpha bin < /dev/null",
    "rg --sort path -v alpha src < /dev/null",
    "rg --sort path --count-matches a src < /dev/null",
    "rg --sort path -r X alpha src < /dev/null",
    "rg --sort path -q alpha < /dev/null",
    "rg --sort path nomatch < /dev/null",
    "rg --sort path alpha missing < /dev/null",
    "rg --sort path --files-without-match alpha < /dev/null",
    "rg --sort path -t c alpha < /dev/null",
    "rg --sort path -T c alpha < /dev/null",
    "rg --sort path -uu alpha < /dev/null",
    "rg --sort path -u alpha < /dev/null",
    "rg --sort path -uuu alpha < /dev/null",
    "rg --sort path -b alpha src/a.txt < /dev/null",
    "rg --sort path --column alpha src < /dev/null",
    "rg --sort path --vimgrep a src < /dev/null",
    "rg --sort path -m1 alpha src/a.txt < /dev/null",
    "rg --sort path -m1 -A1 alpha src/a.txt < /dev/null",
    "rg --sort path -U 'one.nbeta' src < /dev/null",
    "rg --sort path -Un '(?s)one.beta' src < /dev/null",
    "rg --sort path '(' src < /dev/null",
    "rg --sort path -t zzz x < /dev/null",
    "rg --sort path --files -g '*.c' < /dev/null",
    "rg --sort path --files -g '!*.c' < /dev/null",
    "rg --sort path --files -g 'src/**' < /dev/null",
    "rg --sort path --files -g src < /dev/null",
    "rg --sort path --files -g '!src/sub' < /dev/null",
    "rg --sort path --max-depth 1 --files < /dev/null",
    "rg --sort path -x alpha src < /dev/null",
    "rg --sort path -w alph src < /dev/null",
    "rg --sort path -w alpha src < /dev/null",
    "rg --sort path -oN two src < /dev/null",
    "rg --sort path -nU 'alpha.*\\nbeta' src < /dev/null",
    "rg --sort path -0l alpha < /dev/null",
    "rg --sort path -c alpha src/a.txt < /dev/null",
    "rg --sort path --trim -e alpha -e beta src < /dev/null",
    "rg --sort path -lv alpha src < /dev/null",
    "rg --sort path -i ALPHA src < /dev/null",
    "rg --sort path -S ALPHA src < /dev/null",
    "rg --sort path -S Alpha src < /dev/null",
    "rg --sort path -F 'a.t' src < /dev/null",
    "rg --sort path 'al(ph)a (\\w+)' -r '$2 ${1}x $$' src < /dev/null",
    "rg --sort path '(?P<x>al)pha' -or '<$x>' src < /dev/null",
    "rg --sort path '\\d+' src < /dev/null",
    "rg --sort path '[[:alpha:]]+ t\\w{2,}\\b' -o src < /dev/null",
    "rg --sort path '^b' src -n < /dev/null",
    "rg --sort path 'e$' src -n < /dev/null",
    "rg --sort path 'a|b' -c src < /dev/null",
    "rg --sort path -e alpha -e two -n src < /dev/null",
    "rg --sort path -I alpha src < /dev/null",
    "rg --sort path -H alpha src/a.txt < /dev/null",
    "rg --sort path --hidden alpha < /dev/null",
    "rg --sort path --no-ignore alpha < /dev/null",
    "rg --sort path -g '*.log' alpha < /dev/null",
    "rg --sort path --iglob '*.TXT' alpha < /dev/null",
    "rg --sort path --json one src/a.txt | grep -v elapsed < /dev/null",
    "rg --sort path --json -A1 two src/a.txt | grep -v elapsed < /dev/null",
    "rg --sort path -o -c a src < /dev/null",
    "rg --sort path -v -c alpha src < /dev/null",
    "rg --sort path --sort path --no-heading --color never alpha src < /dev/null",
    "rg --sort path 'foo(?=bar)' src < /dev/null",
    "rg --sort path '(?i)ALPHA' src < /dev/null",
    "rg --sort path '[^a-z\\s]' src < /dev/null",
    "rg --sort path 'al\\x70ha' src < /dev/null",
    "rg --sort path 'a\\.b' src < /dev/null",
    "rg --sort path -nU 'two\\nalpha' -A1 src < /dev/null",
    "rg --sort path -U -o 'one\\nb' src < /dev/null",
    "rg --sort path -f pats src < /dev/null",
    "rg --sort path -C1 two src --no-filename < /dev/null",
    "rg --sort path '.*?one' src < /dev/null",
    "rg --sort path --files src/sub < /dev/null",
    "rg --sort path -l alpha src/sub src/a.txt < /dev/null",
    "rg --sort path '' -c src < /dev/null",
    "rg --sort path 'x*' -o src/sub/b.c < /dev/null",
    "rg --sort path -nv x src < /dev/null",
    "cat src/a.txt | rg alpha; rg two < src/a.txt; echo alpha | rg alpha -; echo alpha | rg -l alpha; echo alpha | rg -Hn alpha",
  ]),
  options,
)

compare(
  "rg leaves out what .gitignore and .ignore say",
  inTree([
    "rm .ignore; mkdir .git; printf '*.txt\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf 'src/\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf '*.c\\n!b.c\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf '# c\\n\\n*.log \\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf '**/b.c\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf 'sub\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "rm .ignore; mkdir .git; printf '!x\\n' > .gitignore; rg --sort path --files; rg --sort path --files src; cd src; rg --sort path -l alpha < /dev/null",
    "printf '*.txt\\n' > .gitignore; rg --sort path --files; echo 'sub' > src/.ignore; rg --sort path --files; mkdir .git; rg --sort path --files;  rg --sort path --files --no-ignore-vcs; echo '!a.txt' > src/.rgignore; rg --sort path --files",
  ]),
  options,
)

const sh = (script: string) => start(makeWorld({ env: [["LC_ALL", "C.UTF-8"]] }), "sh", ["sh", "-c", script]).answer

it("rg judges by rules of git that name the searched directory, as git does", async () => {
  const rules = "mkdir .git; printf '/src/sub\\n!/src/sub/keep\\n/src/*.log\\n' > .gitignore; touch src/x.log"
  expect(await sh(`mkdir -p src/sub; touch src/a src/sub/b; ${rules}; rg --files src`)).toMatchObject({
    stdout: "src/a\n",
  })
})

it.each([
  ["-P x", "invalid option -- 'P'"],
  ["-z x", "invalid option -- 'z'"],
  ["--stats x", "unrecognized option '--stats'"],
  ["--color always x", "--color always is not supported"],
  ["--sort modified x", "--sort modified is not supported"],
  ["-o 'a+?'", "non-greedy repetition is not supported where matches are shown"],
  ["'a(?i)b'", "flags are supported as (?i), (?m) and (?s) at the start of a pattern"],
  ["'(a)\\1'", "backreferences are not supported"],
  ["'[[a]&&b]'", "sets within sets are not supported"],
])("rg refuses %s", async (args, message) => {
  const { exitCode, stderr } = await sh(`rg ${args} < /dev/null`)
  expect(stderr).toContain(message)
  expect(exitCode).toBe(2)
})
