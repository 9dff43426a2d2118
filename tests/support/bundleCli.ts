/**
 * Bundles the command line once per version of the sources, so that each process of it that a test starts loads a few
 * files instead of hundreds: that takes half the processor time on Deno, two thirds on Node.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const millisOf = (file: string): number => statSync(file).mtimeMs

/** When the newest of the sources was changed. */
const newest = (): number =>
  ["src", "generated"].map(path).filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .concat(path("package-lock.json"))
    .reduce((latest, file) => Math.max(latest, millisOf(file)), 0)

const bundle = async (folder: string): Promise<void> => {
  const build = await rolldown({
    input: { main: path("src/cli/main.ts") },
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

/** For `sluiceWords`, which reads the variable. */
export default async (): Promise<void> => {
  const parent = path(".cache/cli")
  const folder = join(parent, String(Math.trunc(newest())))
  process.env["TEST_CLI_FILE"] = join(folder, "main.mjs")
  if (existsSync(folder)) return
  mkdirSync(parent, { recursive: true })
  // Of earlier versions; another run may still use a young one, or remove an old one now.
  for (const old of readdirSync(parent).map((name) => join(parent, name))) {
    const stat = statSync(old, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > 3_600_000) rmSync(old, { recursive: true, force: true })
  }
  const scratch = mkdtempSync(join(parent, "build-"))
  await bundle(scratch)
  try {
    renameSync(scratch, folder)
  } catch {
    // Another run was faster.
    rmSync(scratch, { recursive: true, force: true })
  }
}
