/**
 * Compiles the sources to `dist`: what the npm package ships (JavaScript and types).
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  // npm reads stdout of `prepack` where it was asked for JSON.
  stdio: ["ignore", 2, 2],
})
process.exitCode = status ?? 1
