/**
 * Draws the map of modules in `architecture/README.md` from `architecture/modules.json` and the exports of `deno.json`.
 *
 * A module is a folder of `src` (or of `src/leaves`). The file gives its layer, one line about it, and its public files.
 * `tests/architecture/layers.test.ts` checks the sources against it.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { dirname } from "node:path/posix"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Module
 * @property {string} name folder below `src`
 * @property {number} layer a module imports only modules of lower layers
 * @property {string} about
 * @property {ReadonlyArray<string>} public files that other modules may import, relative to the module
 */

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** All modules, in the order of the file. @type {ReadonlyArray<Module>} */
export const modules = JSON.parse(readFileSync(path("architecture/modules.json"), "utf8")).modules

/** The layer of `mod.ts`, beside the command line. */
export const topLayer = 8

/** The files of the public subpaths. @type {Readonly<Record<string, string>>} */
const subpaths = JSON.parse(readFileSync(path("deno.json"), "utf8")).exports

/** The public subpaths of a module, such as `[./run]`, or `[./a/b …/c]` for two of one folder. @param {string} folder */
const subpathsOf = (folder) => {
  const own = Object.keys(subpaths).filter((name) => dirname(subpaths[name] ?? "") === folder)
  const short = own.map((name, index) => {
    const above = dirname(name)
    return above !== "." && dirname(own[index - 1] ?? "") === above ? name.replace(above, "…") : name
  })
  return own.length === 0 ? "" : `  [${short.join(" ")}]`
}

/** The map: one line a module, from the top layer down, with its public subpaths. */
const map = () => {
  const lines = [{ layer: topLayer, name: "mod.ts", about: "commands, windows, Shell and the local leaf" }, ...modules]
    .sort((one, other) => other.layer - one.layer)
    .map(({ about, layer, name }, index, all) => {
      const label = all[index - 1]?.layer === layer ? "" : `layer ${layer}`
      const folder = name === "mod.ts" ? name : `src/${name}/`
      return `${label.padEnd(10)}${folder.padEnd(22)}${about}${subpathsOf(dirname(`./${folder}x`))}`
    })
  return ["```", ...lines, "```"].join("\n")
}

const start = "<!-- map: npm run generate -->"
const end = "<!-- end of map -->"

/** The text of `architecture/README.md` with the map between its markers. */
export const pageWithMap = () => {
  const page = readFileSync(path("architecture/README.md"), "utf8")
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`architecture/README.md lacks ${start} or ${end}`)
  return `${page.slice(0, from + start.length)}\n${map()}\n${page.slice(to)}`
}
