/** What the registry's own documentation would show. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"
import { findRuntime } from "../../scripts/runtimes.mjs"

interface Documented {
  readonly doc?: string
}

interface Module {
  readonly module_doc?: Documented
  readonly symbols: ReadonlyArray<{
    readonly name: string
    /** A `reference` is documented where it points to, which is another module of the package. */
    readonly declarations: ReadonlyArray<{ readonly jsDoc?: Documented; readonly kind: string }>
  }>
}

const files = Object.values<string>(JSON.parse(await readFile(join(root, "deno.json"), "utf8")).exports)
const { stdout } = await promisify(execFile)(findRuntime("deno", root) ?? "deno", ["doc", "--json", ...files], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
})
const modules: Readonly<Record<string, Module>> = JSON.parse(stdout).nodes

it.each(files)("says what %s is, and every name that it exports", (file) => {
  const module = modules[pathToFileURL(join(root, file)).href]
  expect(module?.module_doc?.doc ?? "").not.toBe("")
  const silent = module?.symbols
    .filter(({ declarations }) =>
      !declarations.some(({ jsDoc, kind }) => kind === "reference" || jsDoc?.doc !== undefined)
    )
    .map(({ name }) => name)
  expect(silent).toEqual([])
})

it("sees the names", () => {
  expect(Object.values(modules).flatMap(({ symbols }) => symbols).length).toBeGreaterThan(50)
})
