/** Runs scripts with Debian's git inside bubblewrap and with git of the sandbox, and compares what they do. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git } from "../../../../src/kernel/tools/git/git.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

export const hasGit: boolean =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--dev", "/dev", "git", "--version"]).status === 0

const env = {
  GIT_AUTHOR_NAME: "Ann Author",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_COMMITTER_NAME: "Carl Committer",
  GIT_COMMITTER_EMAIL: "carl@example.com",
  GIT_EDITOR: "true",
  HOME: "/h",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
}

/** Each commit of a script is a minute later than the last one. */
const prelude = `umask 022
N=1700000000
tick() { N=$((N + 60)); export GIT_AUTHOR_DATE="@$N +0100" GIT_COMMITTER_DATE="@$N +0100"; }
tick
save() { tick; git add -A && git commit -q -m "$1"; }
git config --global init.defaultBranch main
git config --global core.fsyncMethod batch
`

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly files: string
}

const list = (folder: string, prefix = ""): string =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).map((entry) => {
    const path = join(folder, entry.name)
    if (entry.name === ".git" || entry.name.endsWith(".bare")) return ""
    if (entry.isSymbolicLink()) return `${prefix}${entry.name} -> ${readlinkSync(path)}\n`
    if (entry.isDirectory()) return list(path, `${prefix}${entry.name}/`)
    return `${prefix}${entry.name}: ${readFileSync(path, "latin1")}\n`
  }).join("")

const real = (script: string): Outcome => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-git-"))
  try {
    const walls = ["--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/mnt"]
    const places = [
      "--bind",
      folder,
      "/mnt/w",
      "--dir",
      "/mnt/h",
      "--unshare-all",
      "--chdir",
      "/mnt/w",
      "--die-with-parent",
    ]
    const run = spawnSync("bwrap", [...walls, ...places, "/bin/bash", "-c", prelude + script], {
      encoding: "latin1",
      env: { ...env, HOME: "/mnt/h", PATH: "/usr/bin:/bin" },
    })
    return { stdout: run.stdout, stderr: run.stderr, exitCode: run.status ?? -1, files: list(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

export const ours = async (script: string): Promise<Outcome> => {
  await using sandbox = await Sandbox.open({
    cwd: "/mnt/w",
    env: { ...env, HOME: "/mnt/h" },
    files: { "/mnt/h/.keep": "" },
    programs: { git },
    timeout: "60 seconds",
  })
  const result = await sandbox.run(prelude + script, { check: false })
  const found = await sandbox.run(
    `cd /mnt/w; find . \\( -name .git -o -name '*.bare' \\) -prune -o -type f -print -o -type l -print | LC_ALL=C sort`,
    { check: false },
  )
  const lines: Array<string> = []
  for (const line of found.stdout.split("\n").filter((text) => text !== "")) {
    const path = line.slice(2)
    const link = await sandbox.run(`cd /mnt/w; readlink '${path}'`, { check: false })
    lines.push(
      link.exitCode === 0
        ? `${path} -> ${link.stdout}`
        : `${path}: ${latin(await sandbox.readFile(`/mnt/w/${path}`))}\n`,
    )
  }
  return { stdout: latin(result.stdoutRaw), stderr: result.stderr, exitCode: result.exitCode, files: lines.join("") }
}

const sortFiles = (text: string): string => text

/** Tests that scripts print, exit and leave files as with Debian's git. */
export const compareGit = (title: string, scripts: ReadonlyArray<string>): void => {
  it.skipIf(!hasGit)(`${title} (needs git and bubblewrap)`, { timeout: 240_000 }, async () => {
    const wrong: Array<string> = []
    for (const script of scripts) {
      const [expected, found] = [real(script), await ours(script)]
      for (const part of ["stdout", "exitCode", "files"] as const) {
        const [one, two] = [sortFiles(`${expected[part]}`), sortFiles(`${found[part]}`)]
        if (one === two) continue
        const [a, b] = [one.split("\n"), two.split("\n")]
        const at = a.findIndex((line, index) => line !== b[index])
        const around = (lines: ReadonlyArray<string>): string =>
          lines.slice(Math.max(0, at - 1), at + 5).map((line) => `    ${JSON.stringify(line)}`).join("\n")
        wrong.push(
          `${script}\n  ${part} at ${at}:\n  git:\n${around(a)}\n  ours:\n${around(b)}\n  ${
            expected.stderr.slice(0, 120).replaceAll("\n", "|")
          } / ${found.stderr.slice(0, 200).replaceAll("\n", "|")}`,
        )
      }
    }
    expect(wrong.join("\n\n")).toBe("")
  })
}
