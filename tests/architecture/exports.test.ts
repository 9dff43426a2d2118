import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { root } from "./sources.ts"

const read = (file: string) => JSON.parse(readFileSync(new URL(file, root), "utf8"))
const deno = read("deno.json")
const npm = read("package.json")

/** Every public subpath and its source, as JSR sees them. */
const subpaths: ReadonlyArray<readonly [subpath: string, file: string]> = Object.entries<string>(deno.exports)

it("names an existing source for every public subpath", () => {
  expect(subpaths.length).toBeGreaterThan(0)
  expect(subpaths.filter(([, file]) => !existsSync(new URL(file, root)))).toEqual([])
})

it("is the same package for npm and JSR: name, version, licence and dependencies", () => {
  for (const field of ["name", "version", "license"]) expect(npm[field]).toBe(deno[field])
  const { effect, ...peers } = npm.peerDependencies
  const dependencies: Readonly<Record<string, string>> = npm.dependencies
  // Inside the npm package's files: they need not be installed beside it.
  const inside = ["diff", "effect", "fflate", "ignore", "@noble/hashes", "smol-toml", "yaml"].map((name) =>
    [name, `^${npm.devDependencies[name]}`] as const
  )
  const asked = Object.fromEntries<string>([
    ...Object.entries<string>(peers),
    ...Object.entries(dependencies),
    ...inside,
  ])
  expect(deno.imports).toEqual(
    Object.fromEntries(
      Object.entries(asked).map(([name, range]) => [name, `npm:${name}@${range.replace(/^>=/, "^")}`]),
    ),
  )
  // npm would not install the package beside a newer AI SDK, also for who only uses ./run. JSR installs what is named here.
  const sdk = Object.entries<string>(peers).filter(([name]) => name === "ai" || name.startsWith("@ai-sdk/"))
  expect(sdk.filter(([, range]) => !range.startsWith(">="))).toEqual([])
  // Beside another Effect npm says so at once, instead of an import that fails later.
  expect([effect, npm.peerDependenciesMeta.effect]).toEqual(["^4.1.0", { optional: true }])
  // Too large to be in both bundles, and loaded for regular expressions of searches alone.
  expect(Object.keys(dependencies)).toEqual(["re2js"])
})

it("pins each development dependency to one version", () => {
  const loose = Object.entries<string>(npm.devDependencies).filter(([, version]) =>
    !/^(npm:@[^@]+@)?\d+\.\d+\.\d+(-build\d+)?$/.test(version)
  )
  expect(loose).toEqual([])
})

it("names no registry in the lock file", () => {
  const lock = Object.values<{ resolved?: string }>(read("package-lock.json").packages)
  expect(lock.filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
