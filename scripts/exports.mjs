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

/** A public module's name in `dist`, from its source. @type {(file: string) => string} */
export const entryName = (file) => file.replace(/^\.\/(src\/)?/, "").replace(/\.ts$/, "")

/**
 * The entry of a subpath in package.json.
 *
 * @param {string} subpath
 * @param {string} file its source
 */
export const compiled = (subpath, file) => ({
  types: `./dist/types/${entryName(file)}.d.ts`,
  default: alone[subpath] ?? `./dist/needs-effect-4/${entryName(file)}.js`,
})

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  /** @type {ReadonlyArray<[string, string]>} */
  const subpaths = Object.entries(read("deno.json").exports)

  const npm = read("package.json")
  npm.exports = Object.fromEntries(subpaths.map(([subpath, file]) => [subpath, compiled(subpath, file)]))
  npm.exports["./package.json"] = "./package.json"
  write("package.json", npm)

  const tests = read("tsconfig.tests.json")
  tests.compilerOptions.paths = Object.fromEntries(
    subpaths.map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, [file]]),
  )
  write("tsconfig.tests.json", tests)
}
