/** Reads the files that a script left in its folder, as one text each, so that two runs can be compared. */
import { spawnSync } from "node:child_process"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** Hides what differs from run to run: times, hashes, numbers of processes. */
export const masked = (text: string): string =>
  text
    .replace(
      /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)?,? ?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ +(?:\d\d:\d\d(?::\d\d)?(?: \d{4})?(?: [+-]\d{4})?|\d{4})/g,
      "TIME",
    )
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?[+-]\d\d:?\d\d)?/g, "TIME")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "TIME")
    .replace(/\b(?=\w*\d)[0-9a-f]{7,40}\b/g, "HASH")
    // One hash in a thousand has letters alone: `[main abcdefa]` of a commit.
    .replace(/(?<=^\[\S+ (?:\(root-commit\) )?)[0-9a-f]{7,40}\b/gm, "HASH")
    .replace(/\b(pid|took) \d+/g, "$1 N")
    .replace(/tmp\.\w{10}/g, "tmp.X")

/** Folders of git: what they mean is asked of git. */
const isOfGit = (name: string): boolean => name === ".git" || name === "origin.git"

const describe = (path: string): string => {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  if (stat.isDirectory()) return "folder"
  if (!stat.isFile()) return "special"
  const bytes = readFileSync(path)
  // Archives have times in them.
  const content = /\.(?:tgz|gz|zip)$/.test(path) ? "archive" : masked(bytes.toString("latin1"))
  return `${(stat.mode & 0o111) === 0 ? "file" : "program"} ${content}`
}

const gitState = (folder: string): string =>
  spawnSync(
    "sh",
    [
      "-c",
      "git log --all --format='%s %an' ; git status --porcelain; git branch -a; git stash list; git config -l --local",
    ],
    {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" },
    },
  ).stdout

/** Each file with what is in it. `withGit` asks git as well. */
export const leftovers = (folder: string, withGit: boolean): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const walk = (below: string): void => {
    for (const name of readdirSync(join(folder, below)).sort()) {
      const path = join(below, name)
      if (isOfGit(name)) continue
      const text = describe(join(folder, path))
      found.set(path, text)
      if (text === "folder") walk(path)
    }
  }
  walk("")
  if (withGit) found.set("git", masked(gitState(folder)))
  return found
}
