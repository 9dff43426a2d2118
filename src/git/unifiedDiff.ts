/**
 * Writes unified diffs as git does, and picks those of some paths.
 *
 * Source: git-diff(1), "Generating patch text with -p".
 *
 * @module
 */
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"
import { isBelow } from "./hostClient.ts"

/** A changed file. */
export interface ChangedFile {
  readonly old_path: string
  readonly new_path: string
  readonly a_mode: string
  readonly b_mode: string
  readonly new_file: boolean
  readonly renamed_file: boolean
  readonly deleted_file: boolean
  /** Its hunks. */
  readonly diff: string
}

const quoted = (path: string): string => /["\\\t\n\r]/.test(path) ? JSON.stringify(path) : path

/** The diff of a file. */
export const fileDiff = (file: ChangedFile): string => {
  const [old, now] = [quoted(`a/${file.old_path}`), quoted(`b/${file.new_path}`)]
  // git ends a name with blanks by a tab.
  const end = (name: string) => /^[^"].*\s/.test(name) ? "\t" : ""
  const head = [
    `diff --git ${old} ${now}`,
    ...(file.new_file ? [`new file mode ${file.b_mode}`] : []),
    ...(file.deleted_file ? [`deleted file mode ${file.a_mode}`] : []),
    ...(!file.new_file && !file.deleted_file && file.a_mode !== file.b_mode
      ? [`old mode ${file.a_mode}`, `new mode ${file.b_mode}`]
      : []),
    ...(file.renamed_file ? [`rename from ${quoted(file.old_path)}`, `rename to ${quoted(file.new_path)}`] : []),
    ...(/^@@ /m.test(file.diff)
      ? [
        `--- ${file.new_file ? "/dev/null" : old + end(old)}`,
        `+++ ${file.deleted_file ? "/dev/null" : now + end(now)}`,
      ]
      : []),
  ]
  return `${head.join("\n")}\n${file.diff}${file.diff === "" || file.diff.endsWith("\n") ? "" : "\n"}`
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" }

/** A name as git quotes it: bytes that are no ASCII are octal. */
const unquoted = (text: string): string => {
  const name = text.replace(/\t$/, "")
  if (!name.startsWith('"')) return name
  const bytes = name.slice(1, -1).replace(
    /\\(?:([0-7]{3})|(.))/g,
    (_, octal?: string, letter = "") =>
      octal === undefined ? escapes[letter] ?? letter : decodeLossless(Uint8Array.of(Number.parseInt(octal, 8))),
  )
  return new TextDecoder().decode(encodeLossless(bytes))
}

/** The paths of a file's diff. */
const pathsOf = (section: string): ReadonlyArray<string> => {
  const head = section.split(/^(?=@@ |Binary files |GIT binary patch)/m, 1)[0] ?? ""
  const named = [...head.matchAll(/^(?:---|\+\+\+|rename from|rename to) (.+)$/gm)].map(([, name = ""]) =>
    unquoted(name)
  )
  const [, both = ""] = /^diff --git (.+)$/m.exec(head) ?? []
  // An empty or binary file has its name only here, twice: `a/x b/x`.
  const half = unquoted(both.slice(0, (both.length - 1) / 2))
  const names = named.filter((name) => name !== "/dev/null")
  return names.length > 0 ? names.map((name) => name.replace(/^[ab]\//, "")) : [half.replace(/^a\//, "")]
}

/** The parts of a diff that are of `paths`. */
export const diffOf = (diff: string, paths: ReadonlyArray<string>): string =>
  paths.length === 0
    ? diff
    : diff.split(/^(?=diff --git )/m).filter((part) => pathsOf(part).some((path) => isBelow(path, paths))).join("")
