/** Resolves command names to files, and refuses those that are not on a policy's list. */
import * as Result from "effect/Result"
import { quoteIfNeeded } from "../base/quote.ts"
import type { FileLookup, LeafFiles, SeenFile } from "../shell/LeafFiles.ts"
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { notAllowed, notListed, type PolicyRefusal, undecided } from "./PolicyRefusal.ts"

/** Decision about a program: its file, or `undefined` where the leaf has no files. */
export type AllowedProgram = Result.Result<SeenFile | undefined, PolicyRefusal>

const isPath = (name: string): boolean => /[\\/]/.test(name)

const refusalOf = (name: string, sighting: Exclude<FileLookup, { readonly _tag: "Seen" }>): PolicyRefusal => {
  const { path } = sighting
  switch (sighting._tag) {
    case "Missing":
      return {
        reason: { _tag: "NotFound", what: "command", path, code: sighting.code },
        message: `exec: ${quoteIfNeeded(path)} not found${isPath(path) ? "" : " in PATH"} (${sighting.code})`,
      }
    case "Denied":
      return {
        reason: { _tag: "PermissionDenied", path, code: "EACCES" },
        message: `exec: ${quoteIfNeeded(path)} may not be executed (EACCES)`,
      }
    case "Unseen":
      return notAllowed(
        "allowedCommands",
        name,
        `cannot determine which file ${quoteIfNeeded(name)} is: this process may not access the files`,
      )
  }
}

/**
 * The list. A name in it means one directory entry: the file that the search path finds now. A request means the same
 * entry if it has that name, or a path with the same last part and the same canonical directory. Another name of the
 * same file is another command, because multi-call programs behave by their name.
 */
export class AllowedCommands {
  readonly any: boolean
  readonly #names: ReadonlySet<string>
  readonly #entries: ReadonlyArray<string>
  readonly #files: LeafFiles | undefined
  readonly #searchPath: string
  readonly #memory: Map<string, AllowedProgram> | undefined

  constructor(
    entries: ReadonlyArray<string>,
    files: LeafFiles | undefined,
    searchPath: string,
    memory?: Map<string, AllowedProgram>,
  ) {
    this.#memory = memory
    this.any = entries.includes("*")
    this.#names = new Set(entries.filter((entry) => !isAbsolutePath(entry)))
    this.#entries = entries
    this.#files = files
    this.#searchPath = searchPath
  }

  names(name: string): boolean {
    return this.any || this.#names.has(name)
  }

  see(name: string): AllowedProgram {
    if (this.#files === undefined) return Result.succeed(undefined)
    const sighting = this.#files.program(name, this.#searchPath)
    return sighting._tag === "Seen" ? Result.succeed(sighting.seen) : Result.fail(refusalOf(name, sighting))
  }

  /** The same list with a cache of lookups, for one decision. */
  remembering(): AllowedCommands {
    return new AllowedCommands(this.#entries, this.#files, this.#searchPath, new Map())
  }

  /**
   * The program of a command that another program starts. Its path must not contain a link of a caller: it must be as
   * listed, canonical, or directly in a directory of the search path.
   */
  allowLaunched(name: string): AllowedProgram {
    const allowed = this.allow(name)
    if (Result.isFailure(allowed) || allowed.success === undefined || !isPath(name)) return allowed
    const { entry, path } = allowed.success
    const isStraight = name === path || name === entry ||
      this.#searchPath.split(":").some((place) => name === `${place.replace(/\/+$/, "")}/${name.replace(/.*\//s, "")}`)
    return isStraight ? allowed : Result.fail(
      undecided(
        name,
        `${quoteIfNeeded(name)} is not the plain path of an allowed command: name the command, or ${
          quoteIfNeeded(path)
        }`,
      ),
    )
  }

  allow(name: string): AllowedProgram {
    const known = this.#memory?.get(name)
    if (known !== undefined) return known
    const allowed = this.#decide(name)
    this.#memory?.set(name, allowed)
    return allowed
  }

  #decide(name: string): AllowedProgram {
    if (this.names(name)) return this.see(name)
    if (this.#files === undefined) {
      return this.#entries.includes(name) ? Result.succeed(undefined) : Result.fail(notListed(name))
    }
    const asked = this.see(name)
    if (Result.isFailure(asked) || asked.success === undefined) return Result.fail(notListed(name))
    for (const entry of this.#entries) {
      const listed = this.see(entry)
      // Started by the listed path, not by the caller's: Python finds its modules relative to its own path.
      if (Result.isSuccess(listed) && listed.success?.entry === asked.success.entry) return listed
    }
    return Result.fail(notListed(name))
  }
}
