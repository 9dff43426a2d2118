/**
 * The list of allowed commands, over a leaf's files.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { LeafFiles, SeenFile, Sighting } from "./LeafFiles.ts"
import { isAbsolute, shown } from "./names.ts"
import { notAllowed, notListed, type Refusal } from "./Refusal.ts"

/** A decision about a program: what was seen of it, `undefined` where the leaf has no files to look at. */
export type Allowed = Result.Result<SeenFile | undefined, Refusal>

const isPath = (name: string): boolean => /[\\/]/.test(name)

/** What a name means that leads to no program. */
const refusalOf = (name: string, sighting: Exclude<Sighting, { readonly _tag: "Seen" }>): Refusal => {
  const { path } = sighting
  switch (sighting._tag) {
    case "Missing":
      return {
        reason: { _tag: "NotFound", what: "command", path, code: sighting.code },
        message: `exec: ${shown(path)} not found${isPath(path) ? "" : " in PATH"} (${sighting.code})`,
      }
    case "Denied":
      return {
        reason: { _tag: "PermissionDenied", path, code: "EACCES" },
        message: `exec: ${shown(path)} may not be executed (EACCES)`,
      }
    case "Unseen":
      return notAllowed(
        "allowedCommands",
        name,
        `which file ${shown(name)} means cannot be seen: this process may not look at the files`,
      )
  }
}

/**
 * The list. A name in it means one directory entry: the file that the search path leads to now. A request means the same
 * when it has that name, or a path whose last part and whose canonical directory are the same; another name of the same
 * file is another command, for programs of many names go by it.
 */
export class AllowedCommands {
  readonly any: boolean
  readonly #names: ReadonlySet<string>
  readonly #entries: ReadonlyArray<string>
  readonly #files: LeafFiles | undefined
  readonly #searchPath: string

  constructor(entries: ReadonlyArray<string>, files: LeafFiles | undefined, searchPath: string) {
    this.any = entries.includes("*")
    this.#names = new Set(entries.filter((entry) => !isAbsolute(entry)))
    this.#entries = entries
    this.#files = files
    this.#searchPath = searchPath
  }

  /** Whether the list has this very name. */
  names(name: string): boolean {
    return this.any || this.#names.has(name)
  }

  /** What a name leads to, whatever the list says. */
  see(name: string): Allowed {
    if (this.#files === undefined) return Result.succeed(undefined)
    const sighting = this.#files.program(name, this.#searchPath)
    return sighting._tag === "Seen" ? Result.succeed(sighting.seen) : Result.fail(refusalOf(name, sighting))
  }

  /** The program of a command, if it may run. */
  allow(name: string): Allowed {
    if (this.names(name)) return this.see(name)
    if (this.#files === undefined) {
      return this.#entries.includes(name) ? Result.succeed(undefined) : Result.fail(notListed(name))
    }
    const asked = this.see(name)
    if (Result.isFailure(asked) || asked.success === undefined) return Result.fail(notListed(name))
    for (const entry of this.#entries) {
      const listed = this.see(entry)
      // By the path of the list, not by the caller's: Python takes its modules from where its own path says.
      if (Result.isSuccess(listed) && listed.success?.entry === asked.success.entry) return listed
    }
    return Result.fail(notListed(name))
  }
}
