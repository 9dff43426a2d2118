/** The row of imports: what starts, and how the compiled Sluice comes to be. */
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { root } from "./machine.ts"

/** One thing that is imported. */
export interface Import {
  readonly id: string
  readonly title: string
  readonly file: string
}

// JavaScript: Node loads a compiler before it runs the first TypeScript file, which is no cost of who ships none.
const directory = join(import.meta.dirname, "entries", "imports")

const titles: Readonly<Record<string, string>> = {
  empty: "empty script (whole process)",
  sluice: "Sluice, `mod.ts`",
  "effect-stream": "`effect`: Stream",
  "effect-stream-schema": "`effect`: Stream, Schema",
  "effect-barrel": "`effect`, its barrel",
  execa: "execa",
  zx: "zx",
  dax: "dax",
  tinyexec: "tinyexec",
  "nano-spawn": "nano-spawn",
}

/**
 * What the package ships: the sources compiled one by one. Runtimes that compile TypeScript at each start pay for
 * `mod.ts` what the users of the package do not.
 */
const compile = (cache: string): ReadonlyArray<Import> => {
  const out = join(cache, "compiled")
  rmSync(out, { recursive: true, force: true })
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", out, "--declaration", "false"]
  spawnSync(process.execPath, args, { stdio: "ignore" })
  if (!existsSync(join(out, "mod.js"))) return []
  const file = join(cache, "sluice-compiled.js")
  writeFileSync(file, `import "./compiled/mod.js"\n`)
  return [{ id: "sluice:compiled", title: "Sluice, compiled", file }]
}

/** All imports; the first is the empty script. */
export const prepareImports = (cache: string): ReadonlyArray<Import> => [
  ...Object.entries(titles).map(([id, title]) => ({
    id,
    title,
    file: join(directory, `${id}.mjs`),
  })),
  ...compile(cache),
]

/** What the tables call them. */
export const importTitles: Readonly<Record<string, string>> = {
  ...titles,
  "sluice:compiled": "Sluice, compiled",
}
