/** When `npm start` and `npm test` install, and when they do not; what `npm pack` makes in a fresh clone. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"
import { isInstalled } from "../../scripts/install.mjs"

let checkout = ""

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), "sluice-install-"))
})

afterEach(() => rm(checkout, { recursive: true, force: true }))

const write = async (file: string, packages: Readonly<Record<string, object>>) => {
  await mkdir(join(checkout, file, ".."), { recursive: true })
  await writeFile(join(checkout, file), JSON.stringify({ packages }))
}

const wanted = {
  "": { name: "here" },
  "node_modules/a": { version: "1.0.0" },
  "node_modules/for-another-system": { version: "1.0.0", optional: true },
}

it("sees that this checkout is installed", () => {
  expect(isInstalled(root)).toBe(true)
})

it("asks for an installation where there is no node_modules", async () => {
  await write("package-lock.json", wanted)
  expect(isInstalled(checkout)).toBe(false)
})

it("asks for none if only packages for other systems are missing", async () => {
  await write("package-lock.json", wanted)
  await write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" } })
  expect(isInstalled(checkout)).toBe(true)
})

it("asks for one when a version changed, or a package came", async () => {
  await write("package-lock.json", wanted)
  await write("node_modules/.package-lock.json", { "node_modules/a": { version: "0.9.0" } })
  expect(isInstalled(checkout)).toBe(false)
  await write("node_modules/.package-lock.json", {})
  expect(isInstalled(checkout)).toBe(false)
})

it("asks for one when npm's record cannot be read", async () => {
  await write("package-lock.json", wanted)
  await mkdir(join(checkout, "node_modules"))
  await writeFile(join(checkout, "node_modules", ".package-lock.json"), "{")
  expect(isInstalled(checkout)).toBe(false)
})

it("builds the console before the package, where npm ran no scripts", async () => {
  for (const folder of ["scripts", "src"]) {
    await cp(join(root, folder), join(checkout, folder), { recursive: true })
  }
  await cp(join(root, "package.json"), join(checkout, "package.json"))
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"), "junction")
  // The compiler finds no project here, and ends the build.
  expect(spawnSync("npx", ["node", "scripts/build.mjs"], { cwd: checkout, stdio: "ignore" }).status).not.toBe(0)
  expect(existsSync(join(checkout, "generated", "consoleAssets.ts"))).toBe(true)
})
