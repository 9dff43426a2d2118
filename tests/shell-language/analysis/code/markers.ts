/** Which of the commands m1 to m9, which are nowhere, a script makes bash look for; and what the tree tells of them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findEvaluations, parse, staticText, walk } from "../../../../src/shell-language/ShellLanguage.ts"

/** Each script runs in a subshell of its own, without any program to be found. */
const driver = `
PATH=/nonexistent
command_not_found_handle() { case $1 in m[1-9]) printf '%s ' "$1" >&9;; esac; return 1; }
exec 9>&1 >/dev/null 2>/dev/null
while IFS= read -r -d '' script; do
  ( ulimit -t 1 -f 10; exec </dev/null; eval "$script"; wait )
  printf '\\0' >&9
done
`

/** The markers that each script ran in bash. A NUL within a script is none. */
export const ranInBash = (scripts: ReadonlyArray<string>): ReadonlyArray<ReadonlySet<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-markers-"))
  try {
    const { stdout } = spawnSync("/bin/bash", ["--norc", "-c", driver], {
      cwd: folder,
      encoding: "utf8",
      env: { LANG: "C.UTF-8" },
      input: scripts.map((script) => `${script}\0`).join(""),
      timeout: 110_000,
    })
    const all = stdout.split("\0").slice(0, -1)
    if (all.length !== scripts.length) throw new Error(`bash ended within: ${JSON.stringify(scripts[all.length])}`)
    return all.map((text) => new Set(text.match(/m[1-9]/g)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builtins that run what they are told to: whoever reads a tree has to look at their arguments. */
const launchers = new Set(
  "eval exec command builtin source . trap alias complete compgen jobs bash env enable fc bind".split(" "),
)

/** What a reader of the tree knows. */
export interface Known {
  /** The names of commands, or why there is no telling. */
  readonly names: ReadonlySet<string> | "refused" | "put together" | "launcher" | "evaluated"
}

/** What can be told of a script without running it. */
export const known = (script: string): Known => {
  const parsed = parse(script)
  if (parsed._tag === "Failure") return { names: "refused" }
  if (findEvaluations(parsed.success).length > 0) return { names: "evaluated" }
  const names = new Set<string>()
  let together = false
  walk(parsed.success, (node) => {
    if (node._tag !== "SimpleCommand") return
    const [first] = node.words
    if (first === undefined) return
    const name = staticText(first)
    if (name === undefined) together = true
    else names.add(name)
  })
  if (together) return { names: "put together" }
  return { names: [...names].some((name) => launchers.has(name)) ? "launcher" : names }
}

/** The scripts in which bash ran something that nobody was told of. */
export const hidden = (scripts: ReadonlyArray<string>): ReadonlyArray<readonly [script: string, ran: string]> => {
  const unseen = (script: string, ran: ReadonlySet<string> | undefined): ReadonlyArray<string> => {
    const { names } = known(script)
    return typeof names === "string" ? [] : [...ran ?? []].filter((name) => !names.has(name))
  }
  const ran = ranInBash(scripts)
  return scripts.flatMap((script, at) => {
    if (unseen(script, ran[at]).length === 0) return []
    // What an earlier script left in the background may have run late: alone, nobody else writes.
    const alone = unseen(script, ranInBash([script])[0])
    return alone.length === 0 ? [] : [[script, alone.join(" ")] as const]
  })
}
