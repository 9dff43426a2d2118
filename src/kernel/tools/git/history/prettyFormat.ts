/** Formats commits by the option `--format`. Source: git-log(1) "PRETTY FORMATS". */
import { fatal, unsupported } from "../GitError.ts"
import type { Repository } from "../repository/Repository.ts"
import { bodyOf, type Commit, type Signature, subjectOf } from "../repository/objects.ts"
import { formatDate } from "./dates.ts"
import { abbreviate } from "./revisions.ts"

export interface PrettyOptions {
  /** `oneline`, `short`, `medium`, `full`, `fuller`, `raw`, `reference`, or a format with `%`. */
  readonly format: string
  /** Whether a newline ends each commit (`tformat`) rather than being between them. */
  readonly isTerminated: boolean
  readonly date: string
  readonly abbreviate: boolean
  /** References by the commits that they name, as `--decorate` shows them; `undefined` shows none. */
  readonly decorations: ReadonlyMap<string, ReadonlyArray<string>> | undefined
  readonly reflog?: { readonly selector: string; readonly message: string } | undefined
}

const named = ["oneline", "short", "medium", "full", "fuller", "raw", "reference"]

export const isNamedFormat = (format: string): boolean => named.includes(format)

/** The format that `--format=…` or `--pretty=…` means. */
export const parsePretty = (given: string): Pick<PrettyOptions, "format" | "isTerminated"> => {
  if (given === "") return { format: "medium", isTerminated: false }
  if (given.startsWith("format:")) return { format: given.slice(7), isTerminated: false }
  if (given.startsWith("tformat:")) return { format: given.slice(8), isTerminated: true }
  if (isNamedFormat(given)) return { format: given, isTerminated: given === "oneline" || given === "reference" }
  if (given.includes("%")) return { format: given, isTerminated: true }
  return given === "email" || given === "mboxrd"
    ? unsupported(`the format '${given}'`, "use git diff")
    : fatal(`invalid --pretty format: ${given}`)
}

/** The names of references by commit: HEAD and its branch first, then as git orders them. */
export const readDecorations = async (
  repository: Repository,
  full = false,
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const names = new Map<string, Array<string>>()
  const add = (oid: string, name: string): void => {
    const list = names.get(oid)
    if (list === undefined) names.set(oid, [name])
    else list.push(name)
  }
  const [head, branch] = [await repository.head(), await repository.branch()]
  const refs = await repository.refs.list()
  if (head !== undefined) add(head, branch === undefined ? "HEAD" : `HEAD -> ${full ? "refs/heads/" : ""}${branch}`)
  const kinds = [["refs/tags/", "tag: "], ["refs/remotes/", ""], ["refs/heads/", ""], ["refs/stash", ""]] as const
  for (const [prefix, label] of kinds) {
    for (const [name, oid] of refs) {
      if (!name.startsWith(prefix) || name === `refs/heads/${branch}`) continue
      const short = full || prefix === "refs/stash" ? name : name.slice(prefix.length)
      const target = prefix === "refs/tags/" ? await peelTag(repository, oid) : oid
      add(target, label + short)
    }
  }
  return names
}

const peelTag = async (repository: Repository, oid: string): Promise<string> => {
  const object = await repository.objects.readIfExists(oid)
  return object?.type === "tag" ? peelTag(repository, (await repository.objects.tag(oid)).object) : oid
}

const decoration = (options: PrettyOptions, oid: string): string => {
  const names = options.decorations?.get(oid)
  return names === undefined ? "" : ` (${names.join(", ")})`
}

const indent = (text: string): string =>
  text.replace(/\s+$/, "").split("\n").map((line) => line === "" ? "    " : `    ${line}`).join("\n").replace(
    /^ {4}$/gm,
    "    ",
  )

const person = ({ email, name }: Signature): string => `${name} <${email}>`

/** The file name that git makes of a subject. */
const sanitized = (subject: string): string =>
  subject.replace(/[^A-Za-z0-9._]+/g, "-").replace(/\.{2,}/g, ".").replace(/^[-.]+|[-.]+$/g, "")

const formatPerson = (repository: Repository, who: Signature, letter: string, date: string): string | undefined => {
  const { system } = repository
  switch (letter) {
    case "n":
    case "N":
      return who.name
    case "e":
    case "E":
      return who.email
    case "l":
    case "L":
      return who.email.replace(/@.*$/, "")
    case "d":
      return formatDate(who, date, system)
    case "D":
      return formatDate(who, "rfc", system)
    case "r":
      return formatDate(who, "relative", system)
    case "t":
      return `${who.seconds}`
    case "i":
      return formatDate(who, "iso", system)
    case "I":
      return formatDate(who, "iso-strict", system)
    case "s":
      return formatDate(who, "short", system)
  }
  return undefined
}

/** Expands one placeholder of a format; `undefined` for an unknown name, which is printed as it is. */
const expandPlaceholder = (
  repository: Repository,
  commit: Commit,
  code: string,
  options: PrettyOptions,
): string | undefined => {
  const short = (oid: string): string => abbreviate(repository, oid)
  switch (code) {
    case "%":
      return "%"
    case "n":
      return "\n"
    case "H":
      return options.abbreviate ? short(commit.oid) : commit.oid
    case "h":
      return short(commit.oid)
    case "T":
      return commit.tree
    case "t":
      return short(commit.tree)
    case "P":
      return commit.parents.join(" ")
    case "p":
      return commit.parents.map(short).join(" ")
    case "s":
      return subjectOf(commit.message)
    case "f":
      return sanitized(subjectOf(commit.message))
    case "b":
      return bodyOf(commit.message).replace(/\n*$/, "\n").replace(/^\n$/, "")
    case "B":
      return commit.message.replace(/\n*$/, "\n")
    case "d":
      return decoration(options, commit.oid)
    case "D":
      return options.decorations?.get(commit.oid)?.join(", ") ?? ""
    case "e":
    case "N":
    case "S":
      return ""
    case "m":
      return ">"
    case "gd":
    case "gD":
      return options.reflog?.selector ?? ""
    case "gs":
      return options.reflog?.message ?? ""
    case "G?":
      return "N"
  }
  if (code[0] === "a" || code[0] === "c") {
    return formatPerson(repository, code[0] === "a" ? commit.author : commit.committer, code.slice(1), options.date)
  }
  return code[0] === "x" ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : undefined
}

const placeholder =
  /%(?:([+\- ]?)(x[0-9a-fA-F]{2}|[ac][nNeElLdDrtiIs]|g[dDs]|G\?|[%nHhTtPpsfbBdDeNSm])|C(?:\([^)]*\)|red|green|blue|reset)|(<|>|><|>>)(\|?)\((\d+)(?:,(trunc|ltrunc|mtrunc))?\))/g

const pad = (text: string, kind: string, width: number, cut: string | undefined): string => {
  const size = [...text].length
  if (size > width) {
    const letters = [...text]
    if (cut === "trunc") return `${letters.slice(0, Math.max(0, width - 2)).join("")}..`
    if (cut === "ltrunc") return `..${letters.slice(size - Math.max(0, width - 2)).join("")}`
    if (cut === "mtrunc") {
      const half = Math.floor((width - 2) / 2)
      return `${letters.slice(0, half).join("")}..${letters.slice(size - (width - 2 - half)).join("")}`
    }
    return text
  }
  const rest = width - size
  if (kind === "<") return text + " ".repeat(rest)
  if (kind === "><") return " ".repeat(Math.floor(rest / 2)) + text + " ".repeat(rest - Math.floor(rest / 2))
  return " ".repeat(rest) + text
}

const expandFormat = (repository: Repository, commit: Commit, options: PrettyOptions): string => {
  let out = ""
  let from = 0
  let padding: readonly [kind: string, width: number, cut: string | undefined] | undefined
  for (const match of options.format.matchAll(placeholder)) {
    out += options.format.slice(from, match.index)
    from = match.index + match[0].length
    const [whole, sign = "", code, kind, column, width = "0", cut] = match
    if (kind !== undefined) {
      if (column !== "") unsupported(`the placeholder ${whole}`, "use %<(N) or %>(N)")
      padding = [kind, Math.min(Number(width), 10_000), cut]
      continue
    }
    if (code === undefined) {
      if (/^%C\(always/.test(whole)) unsupported("colored output", "leave out %C(always,…)")
      continue
    }
    let text = expandPlaceholder(repository, commit, code, options) ?? whole
    if (padding !== undefined) text = pad(text, ...padding)
    padding = undefined
    if (sign === "-" && text === "") out = out.replace(/\n+$/, "")
    out += sign === "+" && text !== "" ? `\n${text}` : sign === " " && text !== "" ? ` ${text}` : text
  }
  return out + options.format.slice(from)
}

/** A commit as the format shows it, without a newline at its end. */
export const formatPretty = (repository: Repository, commit: Commit, options: PrettyOptions): string => {
  const { author, committer, message, oid, parents } = commit
  const date = (who: Signature): string => formatDate(who, options.date, repository.system)
  const id = options.abbreviate ? abbreviate(repository, oid) : oid
  const reflog = options.reflog === undefined ? "" : `${options.reflog.selector}: ${options.reflog.message}`
  switch (options.format) {
    case "oneline":
      return options.reflog === undefined
        ? `${id}${decoration(options, oid)} ${subjectOf(message)}`
        : `${id}${decoration(options, oid)} ${reflog}`
    case "reference":
      return `${abbreviate(repository, oid)} (${subjectOf(message)}, ${
        formatDate(author, options.date === "default" ? "short" : options.date, repository.system)
      })`
  }
  if (!isNamedFormat(options.format)) return expandFormat(repository, commit, options)
  const lines = [`commit ${id}${decoration(options, oid)}`]
  if (options.reflog !== undefined) {
    lines.push(`Reflog: ${options.reflog.selector} (${person(committer)})`, `Reflog message: ${options.reflog.message}`)
  }
  if (options.format === "raw") {
    const zone = (who: Signature): string => `${person(who)} ${who.seconds} ${who.zone}`
    lines.push(
      `tree ${commit.tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${zone(author)}`,
      `committer ${zone(committer)}`,
    )
  } else {
    if (parents.length > 1) {
      lines.push(`Merge: ${parents.map((parent) => abbreviate(repository, parent)).join(" ")}`)
    }
    if (options.format === "fuller") {
      lines.push(
        `Author:     ${person(author)}`,
        `AuthorDate: ${date(author)}`,
        `Commit:     ${person(committer)}`,
        `CommitDate: ${date(committer)}`,
      )
    } else {
      lines.push(`Author: ${person(author)}`)
      if (options.format === "full") lines.push(`Commit: ${person(committer)}`)
      if (options.format === "medium") lines.push(`Date:   ${date(author)}`)
    }
  }
  const text = options.format === "short" ? subjectOf(message) : message.replace(/^\n+/, "")
  return text.trim() === "" ? `${lines.join("\n")}\n` : `${lines.join("\n")}\n\n${indent(text)}`
}
