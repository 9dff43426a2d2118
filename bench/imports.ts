/** The row of imports: what starts. */
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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
  "sluice-run": "Sluice, `./run`",
  "effect-stream": "`effect`: Stream",
  "effect-stream-schema": "`effect`: Stream, Schema",
  "effect-barrel": "`effect`, its barrel",
  execa: "execa",
  zx: "zx",
  dax: "dax",
  tinyexec: "tinyexec",
  "nano-spawn": "nano-spawn",
}

/** The compiled files of the npm package. Runtimes that compile TypeScript at each start pay more for the sources. */
const packaged: Readonly<
  Record<string, readonly [title: string, file: string]>
> = {
  "sluice:package": ["Sluice, npm package", "dist/needs-effect-4/mod.js"],
  "sluice-run:package": ["Sluice, `./run` of the npm package", "dist/run.js"],
}

/** Where the package is installed in the cache. */
export const installedIn = (cache: string): string => join(cache, "node_modules", "@sluice", "shell")

/**
 * Copies the built package into a `node_modules`, as its users have it. There Deno reads the modules that are imported;
 * elsewhere it also reads all that could be imported later.
 */
export const installPackage = (cache: string): void => {
  rmSync(installedIn(cache), { recursive: true, force: true })
  for (const name of ["dist", "package.json"]) {
    cpSync(join(root, name), join(installedIn(cache), name), { recursive: true })
  }
}

/** All imports; the first is the empty script. Those of the package need `npm run build`. */
export const prepareImports = (cache: string): ReadonlyArray<Import> => [
  ...Object.entries(titles).map(([id, title]) => ({
    id,
    title,
    file: join(directory, `${id}.mjs`),
  })),
  ...Object.entries(packaged).flatMap(([id, [title, path]]) => {
    const built = join(installedIn(cache), path)
    if (!existsSync(built)) return []
    const file = join(cache, `${id.replace(":", "-")}.mjs`)
    writeFileSync(file, `import ${JSON.stringify(built)}\n`)
    return [{ id, title, file }]
  }),
]

/** What the tables call them. */
export const importTitles: Readonly<Record<string, string>> = {
  ...titles,
  ...Object.fromEntries(
    Object.entries(packaged).map(([id, [title]]) => [id, title]),
  ),
}
