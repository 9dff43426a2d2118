import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

compare("patch applies diffs as Debian's does", [
  "seq 20 > f; sed 's/5/five/;s/18/x/' f > g; diff -u f g > p; patch f < p; rm p",
  "seq 20 > f; sed 's/5/five/;s/18/x/' f > g; diff -c f g > p; patch < p; echo $?; rm p",
  "seq 20 > f; sed 's/5/five/;s/18/x/' f > g; diff -u f g > p; cp g h; patch -R g < p; rm p",
  "seq 20 > f; sed 's/5/five/' f > g; diff -u f g > p; (seq 3; cat f) > f2; patch f2 p; rm p",
  "seq 20 > f; sed 's/10/ten/' f > g; diff -u f g > p; sed -i 's/8/X/' f; patch f p; rm p",
  "seq 20 > f; sed 's/10/ten/' f > g; diff -u f g | sed 's/\\t.*//' > p; sed -i 's/10/X/' f; patch f p; echo $?; rm p",
  "seq 20 > f; sed 's/10/ten/;2d' f > g; diff -u f g | sed 's/\\t.*//' > p; sed -i 's/^10/X/' f; patch f p; echo $?",
  "seq 20 > f; sed 's/10/ten/' f > g; diff -u f g | sed 's/\\t.*//' > p; cp g f; patch f p < /dev/null; echo $?; patch -N f p; echo $?; patch -f f p; echo $?; patch -t f p; echo $?",
  "mkdir a b; seq 5 > a/f; seq 2 6 > b/f; echo new > b/n; echo old > a/o; diff -ruN a b > p; cd a; patch -p1 < ../p; cd ..; rm p",
  "mkdir -p x/d y/d; seq 5 > x/d/f; seq 2 6 > y/d/f; diff -ru x y > p; patch -d x -p1 < p; patch -R -d x -p1 -b < p; rm p",
  "seq 5 > f; printf '1\\n2\\n3\\n4\\n5' > g; diff -u f g > p; patch f p; diff -u g f > q; patch f; patch f q < /dev/null; rm p q",
  "echo garbage > p; patch f p; echo $?; patch f empty; echo $?; rm p",
  "printf 'diff --git a/f b/g\\nsimilarity index 100%%\\nrename from f\\nrename to g\\n' > p; echo 1 > f; patch -p1 < p; echo $?",
  "printf 'diff --git a/n b/n\\nnew file mode 100755\\n--- /dev/null\\n+++ b/n\\n@@ -0,0 +1,2 @@\\n+a\\n+b\\n' > p; patch -p1 < p; cat n",
  "printf 'diff --git a/n b/n\\ndeleted file mode 100644\\n--- a/n\\n+++ /dev/null\\n@@ -1,2 +0,0 @@\\n-a\\n-b\\n' > p; printf 'a\\nb\\n' > n; patch -p1 < p; ls n",
  "printf -- '--- a/../../etc/x\\n+++ b/../../etc/x\\n@@ -0,0 +1 @@\\n+evil\\n' > p; patch -p1 < p > /dev/null; echo $?; rm p",
  "printf -- '--- none\\n+++ none\\n@@ -1 +1 @@\\n-a\\n+b\\n' > p; patch -p0 < p; echo $?; rm p",
  "printf -- '--- f\\n+++ f\\n@@ -1,3 +1,3 @@\\n 1\\n-2\\n+two\\n' > p; seq 5 > f; patch < p; echo $?; rm p",
  "printf -- '--- f\\n+++ f\\n@@ -1 +1 @@\\n-1\\n+one\\n--- g\\n+++ g\\n@@ -1 +1 @@\\n-1\\n+uno\\n' > p; echo 1 > f; echo 1 > g; patch -i p; patch -R -i p; rm p",
  "seq 30 > f; sed '3s/.*/x/;25s/.*/y/' f > g; diff -u f g > p; sed -i '10i a\\nb' f; patch f p; patch -r - f p </dev/null;  rm p f.rej",
  "seq 20 > f; sed 's/10/ten/' f > g; diff -u f g > p; sed -i 's/7/X/;s/13/Y/' f; patch -F0 f p > /dev/null; echo $?; rm p f.rej; printf 'a  b\\nc\\nd\\n' > h; printf -- '--- h\\n+++ h\\n@@ -1,3 +1,3 @@\\n a b\\n-c\\n+C\\n d\\n' > q; patch -l h q; cat h",
], { shell: true, tree: true })

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it("patch writes nothing with --dry-run", async () => {
  expect(await sh("seq 3 > f; seq 2 4 > g; diff -u f g > p; patch --dry-run f p; echo $?; cmp f <(seq 3)"))
    .toMatchObject({
      stdout: "checking file f\n0\n",
      stderr: "",
      exitCode: 0,
    })
})

it("patch touches no file above the working directory", async () => {
  const made =
    "printf -- '--- a/../up\\n+++ b/../up\\n@@ -0,0 +1 @@\\n+x\\n' > p; mkdir d; cd d; patch -p1 < ../p; echo $?; ls .."
  expect((await sh(made)).stdout).toMatch(/hunk ignored\n1\nd\np\n$/)
})
