/**
 * Writes `recorded.json`: runs each script by bash with the programs of this Debian, twice, in bubblewrap.
 *
 * `apt-get install bubblewrap jq ripgrep tree patch bc file gawk zip unzip xxd bsdextrautils gettext-base`, then
 * `npx node tests/kernel/everyday/record.mjs`, with names of scripts to look at these alone.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { changesOf, cwd, describe, env, project, scripts } from "./everyday.ts"

/** @type {(folder: string, path?: string) => Array<[string, string]>} */
const filesIn = (folder, path = "") =>
  readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) return filesIn(folder, inner)
    if (entry.isSymbolicLink()) return [[inner, `-> ${readlinkSync(join(folder, inner))}`]]
    return entry.isFile() ? [[inner, describe(inner, readFileSync(join(folder, inner)))]] : []
  })

const enclosure = [
  ...["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev"],
  ...["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
  ...["--tmpfs", "/tmp", "--dir", "/home/user", "--chdir", cwd, "--unshare-all", "--uid", "1000", "--gid", "1000"],
  ...["--die-with-parent", "--new-session", "--clearenv"],
  ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
]

/** Runs a script in a folder below `place`, whose files were made in this order. */
const answerOf = (/** @type {string} */ script, /** @type {string} */ place, /** @type {Array<string>} */ order) => {
  const folder = mkdtempSync(join(place, "everyday-"))
  try {
    for (const path of order) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), project[path] ?? "")
    }
    const args = ["--bind", folder, cwd, ...enclosure, "bash", "-c", script]
    const { status, stderr, stdout } = spawnSync("bwrap", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
    })
    const files = changesOf(Object.fromEntries(filesIn(folder)))
    return { answer: { stdout, exitCode: status ?? -1, hasStderr: stderr !== "", files }, stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const names = process.argv.slice(2)
const order = Object.keys(project)
let different = false
/** @type {Record<string, import("./everyday.ts").Answer>} */
const answers = {}
for (const [name, script] of scripts) {
  if (names.length > 0 && !names.includes(name)) continue
  // Another file system and another order of creation: a script that depends on the order of a listing is found.
  const { answer, stderr } = answerOf(script, "/tmp", order)
  const again = answerOf(script, "/dev/shm", [...order].reverse()).answer
  answers[name] = answer
  if (!isDeepStrictEqual(answer, again)) {
    different = true
    console.error(`${name} gives another answer the second time:`, answer, again)
  }
  if (names.length > 0) console.log(name, answer, stderr)
  else if (stderr !== "") console.log(`${name} on stderr: ${stderr.trimEnd()}`)
}
if (different) process.exitCode = 1
else if (names.length === 0) {
  const recordedFrom = "bash 5.2 and the programs of Debian 12, in bubblewrap"
  writeFileSync(new URL("recorded.json", import.meta.url), `${JSON.stringify({ recordedFrom, answers }, null, 2)}\n`)
  console.log(`${scripts.size} scripts recorded`)
}
