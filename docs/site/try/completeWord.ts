/** Completes the word before the cursor: names of commands, or of files. */
import type { PromiseSandbox } from "../../../src/sandbox/PromiseSandbox.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { utilities } from "../../../src/kernel/utilities/Utilities.ts"

const builtins = [
  "alias",
  "cd",
  "declare",
  "exit",
  "export",
  "local",
  "read",
  "set",
  "shift",
  "source",
  "type",
  "unset",
]
const commands = [...new Set([...Object.keys(utilities), ...builtins])].sort()

/** Characters of a name that the shell would read as something else. */
const special = /[\s"'\\$`&|;<>()*?[\]#!{}]/g

/** The words that the text may end in, and how many of its characters they replace. */
export const completeWord = (
  sandbox: PromiseSandbox,
  before: string,
): { readonly words: ReadonlyArray<string>; readonly length: number } => {
  const word = /(?:\\.|[^\s|&;<>()])*$/.exec(before)?.[0] ?? ""
  const isCommand = /(^|[|&;(]|\b(do|then|else|xargs|sudo|time))\s*$/.test(
    before.slice(0, before.length - word.length),
  )
  const slash = word.lastIndexOf("/") + 1
  const [folder, start] = [
    word.slice(0, slash),
    word.slice(slash).replaceAll("\\", ""),
  ]
  if (isCommand && slash === 0) {
    return {
      words: commands.filter((name) => name.startsWith(word)).map((name) => `${name} `),
      length: word.length,
    }
  }
  const { fileSystem } = sandbox.service
  const path = folder.replace(/^~(?=\/)/, sandbox.env["HOME"] ?? "/")
    .replaceAll("\\", "")
  const at = fileSystem.directory(
    fileSystem.root,
    path.startsWith("/") ? path : `${sandbox.cwd}/${path}`,
  )
  const entries = typeof at === "number" ? [] : fileSystem.list(at)
  const found = (typeof entries === "number" ? [] : entries).filter((
    { name },
  ) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
  return {
    words: found.map(({ name, type }) => {
      const quoted = name.replace(special, "\\$&")
      return `${folder}${quoted}${type === FileType.directory ? "/" : " "}`
    }),
    length: word.length,
  }
}
