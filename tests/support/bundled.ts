/**
 * Bundles a program of the tests once per version of the sources, so that each process of it that a test starts loads a few
 * files instead of hundreds: that takes half the processor time on Deno, a third on Node.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const millisOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** When the newest of the sources was changed. */
const newest = (): number =>
  ["src", "generated", "tests"].map(path).filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((file) => /\.(?:ts|json|ndjson)$/.test(file) && !file.includes("node_modules"))
    .concat(path("package-lock.json"))
    .reduce((latest, file) => Math.max(latest, millisOf(file)), 0)

const bundle = async (program: string, folder: string): Promise<void> => {
  const build = await rolldown({
    input: { main: path(program) },
    platform: "node",
    // As in the package: its dependencies, and optional peers that are loaded when they are needed.
    external: [/^(?:re2js|ssh2|zigpty|@lydell\/)/],
    resolve: { alias: { yaml: path("node_modules/yaml/browser/dist/index.js") } },
    logLevel: "silent",
  })
  const names = { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" }
  await build.write({ dir: folder, format: "esm", ...names })
  await build.close()
  copyFileSync(path("src/cli/demo/session.ndjson"), join(folder, "session.ndjson"))
}

/** The bundle of a program, which is named by its path in the checkout. */
export const bundled = async (program: string): Promise<string> => {
  const parent = path(".cache/programs")
  const folder = join(parent, `${Math.trunc(newest())}-${program.replaceAll(/\W/g, "-")}`)
  const main = join(folder, "main.mjs")
  if (existsSync(folder)) return main
  mkdirSync(parent, { recursive: true })
  // Of earlier versions; another run may still use a young one, or remove an old one now.
  for (const old of readdirSync(parent).map((name) => join(parent, name))) {
    const millis = millisOf(old)
    if (millis > 0 && Date.now() - millis > 3_600_000) rmSync(old, { recursive: true, force: true })
  }
  const scratch = mkdtempSync(join(parent, "build-"))
  await bundle(program, scratch)
  // Other users run it too.
  chmodSync(scratch, 0o755)
  try {
    renameSync(scratch, folder)
  } catch {
    // Another run was faster.
    rmSync(scratch, { recursive: true, force: true })
  }
  return main
}
