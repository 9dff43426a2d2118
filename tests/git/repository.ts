/** A repository in a folder of its own, with three files and one commit on `main`. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export interface Repository extends AsyncDisposable {
  readonly root: string
  readonly write: (path: string, text: string) => void
  readonly remove: (path: string) => void
  readonly rename: (from: string, to: string) => void
  /** Runs git as a user does, and returns what it prints. */
  readonly git: (...args: ReadonlyArray<string>) => string
}

export const makeRepository = (): Promise<Repository> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sluice-git-")))
  const git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  git("init", "--quiet", "--initial-branch=main")
  git("config", "user.name", "A U Thor")
  git("config", "user.email", "author@example.org")
  write("a.txt", "first\n")
  write("b.txt", "second\n")
  write("c.txt", "third, which is long enough to be found again\n")
  write("sub/e.txt", "fifth\n")
  git("add", "--all")
  git("commit", "--quiet", "--message=First")
  return Promise.resolve({
    root,
    git,
    write,
    remove: (path) => rmSync(join(root, path)),
    rename: (from, to) => renameSync(join(root, from), join(root, to)),
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(root, { recursive: true, force: true })),
  })
}
