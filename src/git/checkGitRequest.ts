/** Checks the names and paths of requests, before a program or a host gets them. Source: git-check-ref-format(1). */
import { quote } from "../base/quote.ts"
import type { GitFileChange } from "./GitEntry.ts"

/** Names of revisions and branches, none of which looks like an option. */
const revisionName = /^[^\s\-~^:?*[\\][^\s?*[\\]{0,250}$/

const notInBranch = /\.\.|@\{|^@$|^\/|\/\/|\/$|(^|\/)\.|\.$|\.lock(\/|$)|[\s~^:]|\p{Cc}/u

const isOutside = (path: string): boolean =>
  path === "" || path.includes("\0") || !path.isWellFormed() || path.startsWith("/") || path.split("/").includes("..")

/** Whether a path can name a file: neither a folder nor a file of git itself. */
const isFilePath = (path: string): boolean =>
  !isOutside(path) && path.split("/").every((part) => part !== "" && part !== "." && !/^\.git$/i.test(part))

export type GitRequestFields =
  & Partial<Record<"branch" | "from" | "into" | "message" | "parent" | "path" | "revision" | "title" | "to", string>>
  & { readonly _tag: string; readonly paths?: ReadonlyArray<string>; readonly files?: ReadonlyArray<GitFileChange> }

export const invalidityOf = (request: GitRequestFields): string | undefined => {
  const { _tag, branch, files = [], from, into, message, parent, path, paths, revision, title, to } = request
  const isName = (name: string) => revisionName.test(name) && name.isWellFormed()
  const name = [branch, from, into, parent, revision, to].find((each) => each !== undefined && !isName(each))
  if (name !== undefined) return `${quote(name)} is not the name of a revision`
  // `git switch` accepts special names, such as `-` for the last branch.
  const wrong = _tag === "GitSwitch" ? undefined : [branch, into].find((each) => notInBranch.test(each ?? "main"))
  if (wrong !== undefined) return `${quote(wrong)} is not the name of a branch`
  if (parent !== undefined && !/^[0-9a-f]{40,64}$/.test(parent)) return "parent is the whole name of a commit"
  const outside = paths?.find(isOutside)
  if (outside !== undefined) return `${quote(outside)} is not a path below the repository`
  const named = [...files.map((file) => file.path), ...(path === undefined ? [] : [path])]
  const noFile = named.find((each) => !isFilePath(each))
  if (noFile !== undefined) return `${quote(noFile)} is not the path of a file in the repository`
  const twice = named.find((each, at) => named.indexOf(each) !== at || named.some((it) => it.startsWith(`${each}/`)))
  if (twice !== undefined) return `${quote(twice)} is changed twice`
  if (to !== undefined && from === undefined) return "a diff to a revision is from one: write from, too"
  if (title?.trim() === "") return "a pull request has a title"
  return message?.trim() === "" ? "a commit has a message" : undefined
}
