/**
 * Writes the public subpaths of deno.json into package.json (compiled) and into the tests' type-check: `npm run exports`
 * after a subpath was added. A test in tests/architecture says when that was forgotten.
 *
 * @module
 */
import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const read = (/** @type {string} */ file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"))
const write = (/** @type {string} */ file, /** @type {object} */ content) =>
  writeFileSync(new URL(`../${file}`, import.meta.url), JSON.stringify(content, null, 2) + "\n")

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

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  /** @type {ReadonlyArray<[string, string]>} */
  const subpaths = Object.entries(read("deno.json").exports)

  const npm = read("package.json")
  npm.exports = Object.fromEntries(subpaths.map(([subpath]) => [subpath, compiled(subpath)]))
  npm.exports["./package.json"] = "./package.json"
  write("package.json", npm)

  const tests = read("tsconfig.tests.json")
  tests.compilerOptions.paths = Object.fromEntries(
    subpaths.map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, [file]]),
  )
  write("tsconfig.tests.json", tests)
}
