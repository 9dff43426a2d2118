import { expect, it } from "vitest"
import { compareGit, ours } from "./compare.ts"

const start =
  "git init -q; seq 20 > n; mkdir -p d/e; echo deep > d/e/f; printf 'no newline' > z; printf '#!/bin/sh\\n' > x.sh; chmod +x x.sh; save first\n"

/** A patch of every kind of change in `../p` of the work tree, which is as before. */
const every =
  `${start}sed -i 's/^3$/three/; s/^17$/seventeen/' n; git rm -q d/e/f; echo new > added; : > empty; chmod +x added; git mv x.sh 'y z.sh'; echo end >> z; ln -s n link; git add -A; git diff --cached -M > ../p; git reset -q --hard\n`

compareGit("git apply applies what git diff prints", [
  `${every}git apply ../p; echo $?; git status -s; git apply ../p 2>&1; echo $?; git apply -R ../p; echo $?; git status; find . -name .git -prune -o -print | sort`,
  `${every}git apply --check ../p; echo $?; git status -s; git apply --stat ../p; git apply --numstat ../p; git status -s; git apply --stat --apply ../p; git status -s`,
  `${every}git apply --index -v ../p 2>&1; git status -s; git commit -qm applied; git apply --index -R < ../p; git status -s`,
  `${every}cd d; git apply ../../p; echo $?; git status -s; cd e; git apply ../../../p; echo $?`,
  `${start}echo two >> d/e/f; git diff > ../p; git reset -q --hard; cd d; git apply ../../p; git status -s; git apply -p2 --directory=other ../../p 2>&1; echo $?`,
  `${start}mkdir -p long/$(printf 'folder/%.0s' 1 2 3 4 5 6 7 8); f=$(find long -type d | tail -n 1)/name; seq 150 > $f; sed -i d n; git add -A; git diff --cached > ../p; git reset -q --hard; git apply --stat ../p`,
])

compareGit("git apply changes all files or none, and says why not", [
  `${start}sed -i 's/^3$/three/; s/^17$/seventeen/' n; echo more >> d/e/f; git diff > ../p; git checkout -q .; sed -i 's/^17$/17 /' n; git apply ../p 2>&1; echo $?; git diff; rm n; git apply ../p 2>&1; echo $?; mkdir n; git apply ../p 2>&1; echo $?`,
  `${start}sed -i 's/^17$/seventeen/' n; git diff > ../p; git checkout -q .; sed -i '1i zero' n; git apply -v ../p 2>&1; echo $?; git diff; git apply ../p 2>&1; echo $?`,
  `${start}git apply nope 2>&1; echo $?; git apply < /dev/null 2>&1; echo $?; git apply --allow-empty < /dev/null; echo $?; echo text | git apply 2>&1; echo $?`,
  `${start}printf -- '--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -19,2 +19,3 @@\n 19\n 20\n+21\n' | git apply -v 2>&1; cat n | tr '\n' ' '; printf -- '--- n\n+++ n\n@@ -2,2 +2,1 @@\n-2\n 3\n' | git apply 2>&1; echo $?; head -n 3 n`,
  `${start}printf -- '--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n-1\n+one \n 2\n' > ../p; git apply ../p 2>&1; echo $?; git apply -R ../p; git apply --whitespace=nowarn ../p 2>&1; git diff --stat`,
  `${start}echo more >> n; git diff > ../p; git checkout -q .; echo x >> n; git apply --index ../p 2>&1; echo $?; git add n; echo y >> n; git apply --index ../p 2>&1; echo $?; git rm -qf --cached n; git apply --index ../p 2>&1; echo $?`,
  `${start}printf 'diff --git a/x.sh b/x.sh\nold mode 100755\nnew mode 100644\n' | git apply; git diff; printf 'diff --git a/n b/n\nold mode 100755\nnew mode 100644\n' | git apply 2>&1; git status -s`,
  `${start}echo one >> n; git diff > ../p; echo two >> n; git diff n | sed 's/^-/x/;s/^x--/---/' > /dev/null; cp n ../n2; git checkout -q .; cat ../p > ../two; printf -- '--- a/n\n+++ b/n\n@@ -19,3 +19,4 @@\n 19\n 20\n one\n+two\n' >> ../two; git apply ../two 2>&1; echo $?; cmp n ../n2 && echo same`,
])

compareGit("git apply works outside of a repository, with patches of diff", [
  `mkdir a b; seq 5 > a/f; seq 5 | sed 's/3/three/' > b/f; echo new > b/g; echo old > a/h; diff -Nur a b > p; mkdir w; cp a/* w; cd w; git apply ../p; echo $?; head f g; ls; git apply -R ../p; ls; git apply --index ../p 2>&1; echo $?; rm ../p`,
  `seq 5 > f; sed 's/3/three/' f > f.new; diff -u f f.new | git apply; cat f; diff -u f.new f; seq 5 > f.orig; diff -u f.orig f | git apply -R; cat f`,
])

it("git apply reaches nothing outside of the work tree, and nothing behind a link", async () => {
  const add = (name: string) =>
    `printf -- 'diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n'`
  const { stderr, stdout } = await ours(
    `mkdir w out; cd w; git init -q; ln -s ../out l
    { ${add("../out/a")}; } | git apply; { ${add(".git/config2")}; } | git apply; { ${add("l/b")}; } | git apply
    { printf 'diff --git a/m b/m\nnew file mode 120000\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+../out\n'; ${
      add("m/c")
    }; } | git apply
    ls -A ../out .git/config2 m; echo $?`,
  )
  expect(stdout).toBe("../out:\n2\n")
  expect(stderr).toContain("error: invalid path '../out/a'")
  expect(stderr).toContain("error: invalid path '.git/config2'")
  expect(stderr).toContain("error: affected file 'l/b' is beyond a symbolic link")
  expect(stderr).toContain("error: affected file 'm/c' is beyond a symbolic link")
})

it("git apply reads long names and removes many folders in steps", async () => {
  const { stdout } = await ours(
    `git init -q; echo a > n
    { printf 'diff --git a/'; head -c 400000 /dev/zero | tr '\\0' ' '; echo; } | git apply 2>&1; echo $?
    { printf -- '--- a/n\n+++ '; yes a | head -n 400000 | tr '\\n' '/'; printf 'n\n@@ -1 +1 @@\n-a\n+b\n'; } | git apply -p 300000 2>&1; echo $?
    { printf -- '--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n'; } | git apply; cat n`,
  )
  expect(stdout.split("\n").slice(-2)).toEqual(["b", ""])
})

it("git apply names what it does not do", async () => {
  const { stderr } = await ours(
    "git init -q; for o in --3way --cached --reject --whitespace=fix; do git apply $o < /dev/null; done",
  )
  expect(stderr).toContain("git apply --cached is not supported by git of the sandbox; patch -p1 applies with fuzz")
  expect(stderr).toContain("git apply --whitespace=fix is not supported by git of the sandbox")
})
