/**
 * Writes the map of rooms in `architecture/README.md` from `architecture/rooms.json`: `npm run rooms`.
 *
 * A room is a folder of `src` (or of `src/leaves`). The file gives its floor, one line about it, and the files that other
 * rooms may import. `tests/architecture/floors.test.ts` checks the sources and the map against it.
 *
 * @module
 */
import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Room
 * @property {string} name folder below `src`
 * @property {number} floor a room imports only lower floors
 * @property {string} about
 * @property {ReadonlyArray<string>} public files that other rooms may import, relative to the room
 */

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** All rooms, in the order of the file. @type {ReadonlyArray<Room>} */
export const rooms = JSON.parse(readFileSync(path("architecture/rooms.json"), "utf8")).rooms

/** The map: one line a room, from the top floor down. */
export const map = () => {
  const lines = [{ floor: 7, name: "mod.ts", about: "commands, windows, Shell and the local leaf" }, ...rooms]
    .sort((one, other) => other.floor - one.floor)
    .map(({ about, floor, name }, index, all) => {
      const label = all[index - 1]?.floor === floor ? "" : `floor ${floor}`
      const folder = name === "mod.ts" ? name : `src/${name}/`
      return `${label.padEnd(10)}${folder.padEnd(22)}${about}`
    })
  return ["```", ...lines, "```"].join("\n")
}

const start = "<!-- map: npm run rooms -->"
const end = "<!-- end of map -->"

/** The text of a page with the map between its markers. @param {string} page */
export const withMap = (page) => {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`architecture/README.md lacks ${start} or ${end}`)
  return `${page.slice(0, from + start.length)}\n${map()}\n${page.slice(to)}`
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const file = path("architecture/README.md")
  writeFileSync(file, withMap(readFileSync(file, "utf8")))
}
