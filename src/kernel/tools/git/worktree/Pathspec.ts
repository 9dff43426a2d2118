/** Selects paths of a repository by the patterns of a command line. Source: gitglossary(7) "pathspec". */
import { compileGlob } from "../../../utilities/shared/compileGlob.ts"
import { failure, fatal, unsupported } from "../GitError.ts"
import type { Repository } from "../repository/Repository.ts"

interface Spec {
  readonly given: string
  /** The path from the top of the work tree, without a slash at its end; empty for all. */
  readonly path: string
  readonly matches: (path: string) => boolean
  readonly isExcluded: boolean
  readonly onlyDirectories: boolean
}

export class Pathspec {
  readonly #specs: ReadonlyArray<Spec>

  constructor(specs: ReadonlyArray<Spec>) {
    this.#specs = specs
  }

  get isEmpty(): boolean {
    return this.#specs.length === 0
  }

  get given(): ReadonlyArray<string> {
    return this.#specs.map(({ given }) => given)
  }

  get paths(): ReadonlyArray<string> {
    return this.#specs.filter(({ isExcluded }) => !isExcluded).map(({ path }) => path)
  }

  matches(path: string): boolean {
    const [included, excluded] = [
      this.#specs.filter(({ isExcluded }) => !isExcluded),
      this.#specs.filter(({ isExcluded }) => isExcluded),
    ]
    return (included.length === 0 || included.some((spec) => spec.matches(path))) &&
      !excluded.some((spec) => spec.matches(path))
  }

  /** Whether something below a folder may match. */
  reaches(folder: string): boolean {
    const included = this.#specs.filter(({ isExcluded }) => !isExcluded)
    return included.length === 0 ||
      included.some(({ matches, path }) => matches(folder) || path.startsWith(`${folder}/`) || /[*?[]/.test(path))
  }

  /** Fails if a pattern matches none of these paths. */
  requireKnown(paths: Iterable<string>): void {
    const [missing] = this.unmatched(paths)
    if (missing !== undefined) failure(`pathspec '${missing}' did not match any file(s) known to git`)
  }

  /** The patterns that match none of these paths. */
  unmatched(paths: Iterable<string>): ReadonlyArray<string> {
    const open = new Set(this.#specs.filter(({ isExcluded, path }) => !isExcluded && path !== ""))
    for (const path of paths) {
      if (open.size === 0) break
      for (const spec of open) if (spec.matches(path)) open.delete(spec)
    }
    return [...open].map(({ given }) => given)
  }
}

/** A path from the top of the work tree: `..` is resolved, and may not lead out. */
export const repositoryPath = (repository: Repository, given: string): string => {
  const { prefix, top } = repository
  const absolute = given.startsWith("/")
  if (absolute && given !== top && !given.startsWith(top === "/" ? "/" : `${top}/`)) {
    return fatal(`${given}: '${given}' is outside repository at '${top}'`)
  }
  const names: Array<string> = []
  for (const name of `${absolute ? given.slice(top.length) : prefix + given}`.split("/")) {
    if (name === "" || name === ".") continue
    if (name !== "..") names.push(name)
    else if (names.pop() === undefined) return fatal(`${given}: '${given}' is outside repository at '${top}'`)
  }
  return names.join("/")
}

export const parsePathspec = (repository: Repository, given: ReadonlyArray<string>): Pathspec =>
  new Pathspec(given.map((text) => {
    let [rest, isExcluded, fromTop, isLiteral] = [text, false, false, false]
    const [, long, afterLong = ""] = /^:\(([^)]*)\)(.*)$/s.exec(text) ?? []
    if (long !== undefined) {
      rest = afterLong
      for (const word of long.split(",")) {
        if (word === "exclude") isExcluded = true
        else if (word === "top") fromTop = true
        else if (word === "literal") isLiteral = true
        else if (word !== "glob" && word !== "") {
          unsupported(`the pathspec magic '${word}'`, "use exclude, top, literal or glob")
        }
      }
    } else if (/^:[!^/]/.test(text)) {
      const [, signs = "", after = ""] = /^:([!^/]+):?(.*)$/s.exec(text) ?? []
      isExcluded = /[!^]/.test(signs)
      fromTop = signs.includes("/")
      rest = after
    }
    if (rest === "" && long === undefined && text === "") {
      return fatal("empty string is not a valid pathspec. please use . instead if you meant to match all paths")
    }
    const path = fromTop ? rest.replace(/\/+$/, "") : repositoryPath(repository, rest)
    const glob = !isLiteral && /[*?[\\]/.test(path) ? compileGlob(path) : undefined
    return {
      given: text,
      path,
      isExcluded,
      onlyDirectories: rest.endsWith("/"),
      matches: (each) => path === "" || each === path || each.startsWith(`${path}/`) || glob?.(each) === true,
    }
  }))
