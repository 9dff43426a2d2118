/**
 * Reads the public subpaths of deno.json, and writes them for npm (compiled) and for the tests' type-check.
 *
 * @module
 */
import { readFileSync } from "node:fs"

const read = (/** @type {string} */ file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"))

/** Bundles with Effect inside, by their subpath. @type {Readonly<Record<string, string>>} */
const alone = { "./run": "./dist/run.js", "./cli": "./dist/cli/main.js" }

/** File name of a public module in `dist`, from its subpath. @type {(subpath: string) => string} */
export const entryName = (subpath) => subpath === "." ? "mod" : subpath.slice("./".length).replaceAll("/", "-")

/**
 * The entry of a subpath in package.json.
 *
 * @param {string} subpath
 */
export const compiled = (subpath) => ({
  types: `./dist/types/${entryName(subpath)}.d.ts`,
  default: alone[subpath] ?? `./dist/needs-effect-4/${entryName(subpath)}.js`,
})

const json = (/** @type {object} */ content) => `${JSON.stringify(content, null, 2)}\n`

/** The texts of package.json and tsconfig.tests.json with the subpaths of deno.json. */
export const filesWithExports = () => {
  /** @type {ReadonlyArray<[string, string]>} */
  const subpaths = Object.entries(read("deno.json").exports)
  const npm = read("package.json")
  npm.exports = Object.fromEntries(subpaths.map(([subpath]) => [subpath, compiled(subpath)]))
  npm.exports["./package.json"] = "./package.json"
  const tests = read("tsconfig.tests.json")
  tests.compilerOptions.paths = Object.fromEntries(
    subpaths.map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, [file]]),
  )
  return { "package.json": json(npm), "tsconfig.tests.json": json(tests) }
}
