/** Commands behind a policy that have a stdin of their own, and those that share the script's: they print what bash prints. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import process from "node:process"
import { said } from "../policy/support.ts"
import { workshop } from "../support/workshop.ts"

const env = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
}

const start = "git init -q -b main .; echo one > a; git add a; git commit -qm first; printf 'x\\ny\\nz\\n' > l;"

/** Scripts in a repository with the file `a`, beside a list `l` of three lines. */
const scripts = [
  // A redirection or a pipe of the command.
  "git column < l; git column <<< x; git column 0< l; echo x | git column; echo x | git column $(echo --mode=plain)",
  "git column << E\nhere\nE",
  "git column < <(echo sub); { echo x; } | git column; (git column < l) | git column; exec 3< l; git column <&3",
  "X=1 git column < l; command git column < l; ! git column < l; (exec git column < l)",
  "f() { git column < l; }; f; eval 'git column < l'; echo $(git column < l); git column < l & wait; shopt -s lastpipe; echo x | git column",
  "h=$(git hash-object -w --stdin < l); printf '100644 %s\\tb\\n' $h | git update-index --index-info; git ls-files -s",
  "printf '100644 %s 0\\tc\\n' $(git hash-object -w l) > i; git update-index --index-info < i; git ls-files -s",
  "echo l > p; git update-index --add --stdin < p; git ls-files; git ls-files -z | git update-index -z --stdin",
  "printf '100644 blob %s\\tq\\n' $(git hash-object -w l) > t; git mktree < t; git mktree <<< \"$(cat t)\"",
  "printf 'title\\n\\nbody\\n' > m; git interpret-trailers --trailer a=b < m; cat m | git stripspace; git commit -q --allow-empty -F - < m; git log --format=%B",
  "git commit-tree HEAD^{tree} < l; echo msg | git commit-tree HEAD^{tree}",
  'echo two >> a; git diff > d; git checkout -q a; git apply < d; cat a; git patch-id < d; git checkout -q a; git apply <<< "$(cat d)"; cat a',
  "echo two >> a; git commit -qam second; git format-patch -1 --stdout > d; git reset -q --hard HEAD~1; git apply < d; git diff --stat",
  "git rev-parse HEAD > r; git cat-file --batch < r; git cat-file --batch-check <<< HEAD; git rev-list --stdin < r; git diff-tree --stdin --root < r; git name-rev --annotate-stdin < r",
  "echo l > .gitignore; git check-ignore --stdin < l; echo l | git check-ignore --stdin; git check-attr --stdin text < l; git check-mailmap --stdin <<< 'A <a@example.com>'",
  "git log | git shortlog -s",
  // A stdin that the command shares with the script.
  "while read x; do echo $x; git log --format=%s -- column; done < l",
  "cat l | while read x; do git log -1 --format=$x%s; done; cat l | { read x; git status -s; read y; echo $x $y; }",
  "f() { read x; git log --format=%s; read y; echo $x $y; }; f < l; cat l | f; eval 'read x; git log --format=%s; read y; echo $x $y' < l",
  "cat l | (read x; git log --format=%s; read y; echo $x $y); while read x; do (exec git log --format=$x%s); git log --format=$x%s & wait; done < l",
  "{ git column; } < l; cat l | (git column); f() { git mktree; }; printf '100644 blob %s\\tq\\n' $(git hash-object -w l) | f; exec < l; git column",
  "while read x; do git column <<< $x; git log --format=%s < /dev/null; echo $x | git stripspace; done < l",
]

for (const script of scripts) {
  it.live(`has the output of bash: ${script.slice(0, 70)}`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const [own, root] = [shop.makeDirectory("bash"), shop.makeDirectory("root")]
      const text = `${start} ${script}`
      const expected = execFileSync("bash", ["-c", text], {
        cwd: own,
        encoding: "utf8",
        env: { ...process.env, ...env },
      })
      const settings = {
        allowedCommands: ["git", "echo", "cat", "printf", "read", "command", "eval", "exec"],
        redirects: "all" as const,
      }
      expect(yield* said(settings, text, { cwd: root, env })).toBe(expected)
    }))
}
