import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { root } from "./sources.ts"

const read = (file: string) => JSON.parse(readFileSync(new URL(file, root), "utf8"))
const deno = read("deno.json")
const npm = read("package.json")
const types = read("tsconfig.tests.json")

/** Every public subpath and its source, as JSR sees them. */
const subpaths: ReadonlyArray<readonly [subpath: string, file: string]> = Object.entries<string>(deno.exports)

it("names a source that is there for every public subpath", () => {
  expect(subpaths.length).toBeGreaterThan(0)
  expect(subpaths.filter(([, file]) => !existsSync(new URL(file, root)))).toEqual([])
})

it("names the same subpaths for npm, each compiled from the same source", () => {
  const compiled = Object.fromEntries(subpaths.map(([subpath, file]) => {
    const name = file.replace(/^\.\//, "./dist/").replace(/\.ts$/, "")
    return [subpath, { types: `${name}.d.ts`, default: `${name}.js` }]
  }))
  expect(npm.exports).toEqual({ ...compiled, "./package.json": "./package.json" })
})

it("names the same subpaths for the type-check of tests and examples", () => {
  expect(types.compilerOptions.paths).toEqual(
    Object.fromEntries(subpaths.map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, [file]])),
  )
})

it("is the same package for npm and JSR: name, version, licence, and what it asks of others", () => {
  for (const field of ["name", "version", "license"]) expect(npm[field]).toBe(deno[field])
  expect(deno.imports).toEqual(
    Object.fromEntries(
      Object.entries({ ...npm.dependencies, ...npm.peerDependencies }).map((
        [name, range],
      ) => [name, `npm:${name}@${range}`]),
    ),
  )
})

it("pins what it is developed with to one version each", () => {
  const loose = Object.entries<string>(npm.devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
  expect(loose).toEqual([])
})

it("names no registry in the lock file", () => {
  const lock = Object.values<{ resolved?: string }>(read("package-lock.json").packages)
  expect(lock.filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
