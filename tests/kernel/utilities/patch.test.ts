import { expect, it, vi } from "@effect/vitest"
import { WaitCalls } from "../../../src/kernel/process/WaitCalls.ts"
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

it.each([[3, 0], [4, 2], [999_999, 2]])(
  "patch adds up to three lost blank lines: %i are missing",
  async (lost, code) => {
    const count = lost + 1
    const { exitCode, stderr } = await sh(
      `printf -- '--- f\\n+++ f\\n@@ -1,${count} +1,${count} @@\\n-a\\n+b\\n' > p; printf 'a\\n\\n\\n\\n\\n' > f; patch f p`,
    )
    expect(exitCode).toBe(code)
    expect(stderr).toBe(code === 0 ? "" : "patch: **** unexpected end of file in patch at line 5\n")
  },
)

it("patch renames no file to a name above the working directory", async () => {
  const { exitCode, stdout } = await sh(
    "mkdir d; cd d; echo a > f; " +
      "printf 'diff --git a/f b/f\\nrename from f\\nrename to ../evil\\n--- a/f\\n+++ b/f\\n@@ -1 +1 @@\\n-a\\n+b\\n' > p; " +
      "patch -p1 < p; echo $?; cat f; ls ..",
  )
  expect(stdout).toBe(
    "Ignoring potentially dangerous file name ../evil\nCannot rename file without two valid file names\n" +
      "1 out of 1 hunk ignored\n1\na\nd\n",
  )
  expect(exitCode).toBe(0)
})

compare(
  "patch removes the folders that it empties",
  [
    "mkdir -p old/e/f new; echo a > old/e/f/x; echo b > old/y; echo b > new/y; diff -Nur old new > p; " +
    "patch -p0 < p; find old; patch -R -p0 < p; find old; patch -p1 -d old < p; find old",
  ],
  { shell: true, needs: ["patch"] },
)

it("patch follows a link to a folder only within the working directory", async () => {
  const { exitCode, stdout } = await sh(
    "mkdir -p d/in out; cd d; ln -s ../out l; ln -s in s; " +
      'for x in l s; do printf -- "--- a/$x/new\\n+++ b/$x/new\\n@@ -0,0 +1 @@\\n+x\\n" | patch -p1; echo $?; done; ' +
      "ls in ../out",
  )
  expect(stdout).toBe(
    "Invalid file name l/new -- skipping patch\n1\npatching file s/new\n0\n../out:\n\nin:\nnew\n",
  )
  expect(exitCode).toBe(0)
})

it("patch lets other processes run while it reads a long text without a patch", async () => {
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    expect((await sh("yes a | head -n 100000 | patch -p1")).stderr).toContain("Only garbage")
    expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(90)
  } finally {
    yields.mockRestore()
  }
})

it("patch reads a name with many blanks, and reduces the blanks of a line once for all places", async () => {
  const trims = vi.spyOn(String.prototype, "trim")
  try {
    const blanks = "$(yes ' ' | head -n 300000 | tr -d '\\n')"
    const { exitCode, stdout } = await sh(
      `b="${blanks}"; printf -- "--- a\${b}x\\n+++ f\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+B\\n" > p; ` +
        "yes 'a  a' | head -n 200 > f; printf 'a\\nb\\n' >> f; patch -l -p0 < p",
    )
    expect(stdout).toContain("succeeded at 201 (offset 200 lines)")
    expect(exitCode).toBe(0)
    expect(trims.mock.contexts.filter((text) => String(text) === "a  a\n").length).toBeLessThan(2)
  } finally {
    trims.mockRestore()
  }
})
