/**
 * Writes the public subpaths of deno.json into package.json (compiled) and into the tests' type-check: `npm run exports`
 * after a subpath was added. A test in tests/architecture says when that was forgotten.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"

const read = (/** @type {string} */ file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"))
const write = (/** @type {string} */ file, /** @type {object} */ content) =>
  writeFileSync(new URL(`../${file}`, import.meta.url), JSON.stringify(content, null, 2) + "\n")

/** @type {ReadonlyArray<[string, string]>} */
const subpaths = Object.entries(read("deno.json").exports)

const npm = read("package.json")
npm.exports = Object.fromEntries(subpaths.map(([subpath, file]) => {
  const name = file.replace(/^\.\//, "./dist/").replace(/\.ts$/, "")
  return [subpath, { types: `${name}.d.ts`, default: `${name}.js` }]
}))
npm.exports["./package.json"] = "./package.json"
write("package.json", npm)

const tests = read("tsconfig.tests.json")
tests.compilerOptions.paths = Object.fromEntries(
  subpaths.map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, [file]]),
)
write("tsconfig.tests.json", tests)
