/** Tests the documentation that the registry would show. */
import { execFile } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
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

const deno = findRuntime("deno", root) ?? "deno"
const files = Object.values<string>(JSON.parse(await readFile(join(root, "deno.json"), "utf8")).exports)
const { stdout } = await promisify(execFile)(deno, ["doc", "--json", ...files], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
})
const modules: Readonly<Record<string, Module>> = JSON.parse(stdout).nodes

it.each(files)("documents %s, and every name that it exports", (file) => {
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

it("names types of libraries only, and public ones, in the types of public names", async () => {
  const linted = await promisify(execFile)(deno, ["doc", "--lint", ...files], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stderr: string }) => error)
  const errors = linted.stderr.split("\nerror[").slice(1)
  // A Schema and its type of the same name have one doc comment, on the Schema.
  const isTwin = /^missing-jsdoc[^]*\| export (?:type|interface) (\w+).*(?:typeof \1\.Type|Schema\.Schema\.Type<)/
  expect(errors.filter((error) => !/^private-type-ref/.test(error) && !isTwin.test(error))).toEqual([])

  const sources = (await readdir(join(root, "src"), { recursive: true })).filter((file) => file.endsWith(".ts"))
  const ours = new Set(
    (await Promise.all(sources.map((file) => readFile(join(root, "src", file), "utf8"))))
      .flatMap((text) => text.split("\n").map((line) => line.trim())),
  )
  // The linter does not know the members of namespaces.
  const publicNames = new Set(
    (await readFile(join(root, "architecture/api.txt"), "utf8")).split("\n")
      .map((line) => line.split(" ")[1]?.split(".").at(-1)),
  )
  const hidden = errors.filter((error) => error.startsWith("private-type-ref")).flatMap((error) => {
    const [, user = "", type = ""] = /public type '([^']+)' references private type '([^']+)'/.exec(error) ?? []
    const line = /\n *\d+ \| (.*)\n *\| +-+ this is the referenced type/.exec(error)?.[1]?.trim() ?? ""
    // A class is made by Effect; its base has Effect's types alone. Fields and lists that several Schemas share are spelled out by
    // the Schemas that users see.
    return ours.has(line) && !publicNames.has(type) && !/(?:Base|Fields|Record|Schema)$|\.|^[a-z]/.test(type)
      ? [`${user} -> ${type}`]
      : []
  })
  expect(hidden).toEqual([])
})
