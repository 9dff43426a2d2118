/**
 * Makes `dist`: what the npm package ships. The sources compiled, with their types, module by module; and the command
 * line as one bundle with all it needs, which starts in a fraction of the time that loading its modules takes.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

rmSync(path("dist"), { recursive: true, force: true })

const { status } = spawnSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: path("."),
  // npm reads stdout of `prepack` where it was asked for JSON.
  stdio: ["ignore", 2, 2],
})
if (status !== 0) process.exit(status ?? 1)

const bundle = await rolldown({ input: path("src/cli/main.ts"), platform: "node" })
await bundle.write({ dir: path("dist/cli"), format: "esm", minify: true })
await bundle.close()
