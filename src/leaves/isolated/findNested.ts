/** Finds git repositories below a writable folder. */
import { quote } from "../../base/quote.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"

type Files = Pick<Host, "fileKind" | "isLink" | "readNames">

/** Maximum depth of the search for repositories below a writable folder. */
const maxDepth = 3
/**
 * Maximum number of searched folders and of found repositories. A command could make more of them, so that other
 * repositories are not protected.
 */
const maxFolders = 20_000
const maxRepositories = 256

const tooMany = (folder: string, what: string): OptionError =>
  new OptionError(
    "writable",
    `IsolatedShell: ${
      quote(folder)
    } has more than ${what} down to ${maxDepth} levels, too many to protect the repositories ` +
      "of git there: make folders further down writable",
  )

/** Whether a folder has a `.git`, or is a bare repository. */
const isRepository = (files: Files, path: string): boolean =>
  files.fileKind(`${path}/.git`) !== "none" ||
  ["HEAD", "objects", "refs"].every((name) => files.fileKind(`${path}/${name}`) !== "none")

/** Finds the repositories below a folder, the nearest first. */
export const findNested = (files: Files, folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let level = [folder]
  let seen = 0
  for (let depth = 0; depth < maxDepth; depth++) {
    const next: Array<string> = []
    for (const parent of level) {
      for (const name of files.readNames(parent)) {
        if (name === ".git" || name === "node_modules") continue
        const path = `${parent}/${name}`
        if (files.fileKind(path) !== "directory" || files.isLink(path)) continue
        if (++seen > maxFolders) throw tooMany(folder, `${maxFolders} folders`)
        next.push(path)
        if (!isRepository(files, path)) continue
        if (found.push(path) > maxRepositories) throw tooMany(folder, `${maxRepositories} repositories`)
      }
    }
    level = next
  }
  return found
}
