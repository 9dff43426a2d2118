/** Users of the system for tests that need another one, or another login shell: only as root, gone afterwards. */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Whether users can be made here. */
export const canMakeUsers: boolean = process.platform === "linux" && process.getuid?.() === 0 &&
  existsSync("/usr/sbin/useradd")

/** A user. */
export interface ThrowAwayUser {
  readonly name: string
  readonly home: string
  /** Gives a file, or all below a folder, to the user. */
  readonly own: (path: string) => void
  readonly remove: () => void
}

const retried = (file: string, args: ReadonlyArray<string>): void => {
  // Other tests change the list of users at the same time, which is locked meanwhile; and killed processes take a moment to end.
  for (let tries = 0;; tries++) {
    const { status, stderr } = spawnSync(file, args, { encoding: "utf8" })
    if (status === 0) return
    if (tries === 100 || !/lock|currently used/.test(stderr)) throw new Error(`${file}: ${stderr}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
}

/** Makes a user with a login shell, and a password if one is given. */
export const makeUser = (shell: string, password?: string): ThrowAwayUser => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sluice-user-")))
  chmodSync(home, 0o755)
  const name = `sl${crypto.randomUUID().slice(0, 8)}`
  const hash = password === undefined
    ? "*"
    : execFileSync("openssl", ["passwd", "-6", password], { encoding: "utf8" }).trim()
  retried("/usr/sbin/useradd", ["-M", "-d", home, "-s", shell, "-p", hash, name])
  const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8" }))
  chownSync(home, id("-u"), id("-g"))
  return {
    name,
    home,
    own: (path) => void execFileSync("chown", ["-R", name, path]),
    remove: () => {
      spawnSync("pkill", ["-KILL", "-u", name])
      retried("/usr/sbin/userdel", [name])
      rmSync(home, { recursive: true, force: true })
    },
  }
}
