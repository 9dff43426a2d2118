/**
 * Counts the everyday scripts that give bash's answer here, and with `--just-bash` in just-bash too (`npm ci --prefix bench`).
 *
 * `npx node tests/kernel/everyday/compare.mjs [--just-bash] [--details] [NAME...]`
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import { isDeepStrictEqual, parseArgs } from "node:util"
import { changesOf, cwd, describe, env, project, readAnswers, runInSandbox, scripts } from "./everyday.ts"

/** @typedef {import("./everyday.ts").Answer} Answer */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { details: { type: "boolean" }, "just-bash": { type: "boolean" } },
})

/** @type {(script: string) => Promise<Answer>} */
const runInJustBash = async (script) => {
  const { Bash } = createRequire(new URL("../../../bench/package.json", import.meta.url))("just-bash")
  const files = Object.fromEntries(Object.entries(project).map(([path, text]) => [`${cwd}/${path}`, text]))
  const bash = new Bash({ files, cwd, env: { ...env } })
  const { exitCode, stderr, stdout } = await bash.exec(script)
  /** @type {(folder: string) => Promise<Array<[string, string]>>} */
  const filesIn = async (folder) => {
    /** @type {Array<[string, string]>} */
    const found = []
    for (const name of await bash.fs.readdir(folder)) {
      const path = `${folder}/${name}`
      const relative = path.slice(cwd.length + 1)
      const stat = await bash.fs.lstat(path)
      if (stat.isDirectory) found.push(...await filesIn(path))
      else if (stat.isSymbolicLink) found.push([relative, `-> ${await bash.fs.readlink(path)}`])
      else found.push([relative, describe(relative, await bash.fs.readFileBuffer(path))])
    }
    return found
  }
  return { stdout, exitCode, hasStderr: stderr !== "", files: changesOf(Object.fromEntries(await filesIn(cwd))) }
}

const answers = readAnswers()

/** @type {(title: string, run: (script: string) => Promise<Answer>) => Promise<void>} */
const count = async (title, run) => {
  let same = 0
  let total = 0
  for (const [name, script] of scripts) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    total++
    /** @type {Answer | { error: string }} */
    const given = await run(script).catch((/** @type {unknown} */ error) => ({ error: String(error) }))
    const { hasStderr: _, ...expected } = answers[name] ?? {}
    const { hasStderr: __, ...found } = { hasStderr: false, ...given }
    if (isDeepStrictEqual(found, expected)) same++
    else if (values.details) console.log(`${title}: ${name}`, { expected, given })
  }
  console.log(`${title}: ${same} of ${total} scripts give bash's answer`)
}

await count("sandbox", (script) => Effect.runPromise(runInSandbox(script)))
if (values["just-bash"]) await count("just-bash", runInJustBash)
