/** Holds the state of one run of git: its system calls, outputs, configuration and repository. */
import type { System } from "../../System.ts"
import { Output } from "../../utilities/shared/Output.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { type ParsedOptions, parseOptions } from "../../utilities/shared/parseOptions.ts"
import { resolvePath } from "../../utilities/shared/paths.ts"
import { fatal, GitError, unsupported } from "./GitError.ts"
import { Config } from "./repository/Config.ts"
import { Repository } from "./repository/Repository.ts"
import { exists, isDirectory, readTextIfExists } from "./repository/files.ts"

/** Options of a command, and its operands before and after `--`. */
export interface CommandLine extends ParsedOptions {
  readonly has: (option: string) => boolean
  readonly value: (option: string) => string | undefined
  readonly values: (option: string) => ReadonlyArray<string>
  /** Operands after `--`; `undefined` without it. */
  readonly paths: ReadonlyArray<string> | undefined
  /** Operands before and after `--`. */
  readonly allOperands: ReadonlyArray<string>
  /** Fails if one of these options was given; they are separated by spaces. */
  readonly refuse: (options: string, instead: string) => void
}

/** A command such as `git add`. Returns its exit code; nothing is 0. */
export type Command = (git: Session, args: ReadonlyArray<string>) => Promise<number | void>

export interface SessionOptions {
  readonly overrides: ReadonlyArray<readonly [string, string]>
  readonly gitdir?: string | undefined
  readonly worktree?: string | undefined
}

export class Session {
  readonly system: System
  readonly out: Output
  readonly err: Output
  readonly #options: SessionOptions
  #repository: Repository | undefined

  constructor(system: System, options: SessionOptions) {
    this.system = system
    this.out = new Output(system, 1)
    this.err = new Output(system, 2)
    this.#options = options
  }

  print(text: string): void {
    this.out.putText(text)
  }

  printLine(text: string): void {
    this.out.putText(`${text}\n`)
  }

  warn(text: string): void {
    this.err.putText(`${text}\n`)
  }

  /** Lets other processes run, and writes pending output; called at every step of a loop. */
  readonly pause = async (): Promise<void> => {
    if (this.out.isFull) await this.flush()
    await this.system.yield()
  }

  async flush(): Promise<void> {
    await this.err.flush()
    await this.out.flush()
  }

  /** Parses options as `defineUtility` describes them; `-5` is the option `n` where a command has `NUMBER`. */
  parse(command: string, spec: string, args: ReadonlyArray<string>, takesNumber = false): CommandLine {
    const end = args.indexOf("--")
    const before = joinLastValues(end < 0 ? args : args.slice(0, end), spec).map((arg) =>
      takesNumber ? arg.replace(/^-(\d+)$/, "-n$1") : arg
    )
    try {
      const parsed = parseOptions(spec, before, 129)
      const paths = end < 0 ? undefined : args.slice(end + 1)
      const has = (option: string): boolean => parsed.lastValues.has(option)
      return {
        ...parsed,
        has,
        value: (option) => parsed.lastValues.get(option),
        values: (option) => parsed.all.flatMap(([name, value]) => name === option ? [value] : []),
        paths,
        allOperands: [...parsed.operands, ...paths ?? []],
        refuse: (options, instead) => {
          const option = options.split(" ").find(has)
          if (option === undefined) return
          unsupported(`git ${command} ${option.length === 1 ? "-" : "--"}${option}`, instead)
        },
      }
    } catch (cause) {
      if (!(cause instanceof UtilityExit)) throw cause
      const [, long] = /^unrecognized option '--?([^']*)'/.exec(cause.message) ?? []
      const [, short] = /^invalid option -- '(.)'/.exec(cause.message) ?? []
      const what = long !== undefined
        ? `unknown option \`${long}'`
        : short !== undefined
        ? `unknown switch \`${short}'`
        : cause.message
      throw new GitError(129, `error: ${what}\ngit of the sandbox does not know this option of git ${command}`)
    }
  }

  /** The configuration without a repository's, if there is none. */
  async config(): Promise<Config> {
    const found = this.#repository ?? await this.#discover()
    return found instanceof Repository ? found.config : new Config(this.system, undefined, this.#options.overrides)
  }

  async hasRepository(): Promise<boolean> {
    return this.#repository !== undefined || await this.#discover() !== undefined
  }

  async repository(): Promise<Repository> {
    this.#repository ??= await this.#discover()
    return this.#repository ?? fatal("not a git repository (or any of the parent directories): .git")
  }

  /** The repository, which must have a work tree. */
  async worktree(): Promise<Repository> {
    const repository = await this.repository()
    if (repository.isBare) fatal("this operation must be run in a work tree")
    for (const key of ["core.autocrlf", "core.eol"]) {
      const value = (await repository.config.get(key))?.toLowerCase()
      if (/^(?:true|yes|on|1|input|crlf)$/.test(value ?? "")) {
        unsupported(
          `${key}=${value}`,
          `files keep their line ends: git config ${key} ${key === "core.eol" ? "lf" : "false"}`,
        )
      }
    }
    return repository
  }

  open(gitdir: string, worktree: string | undefined): Repository {
    return this.#repository = new Repository(this.system, gitdir, worktree, this.#options.overrides, this.pause)
  }

  async #discover(): Promise<Repository | undefined> {
    const { system } = this
    const given = this.#options.gitdir ?? system.env.get("GIT_DIR")
    const top = this.#options.worktree ?? system.env.get("GIT_WORK_TREE")
    const cwd = resolvePath(system, ".", "none")
    if (typeof cwd === "number") return fatal("the working directory does not exist")
    const real = (path: string): string => {
      const resolved = resolvePath(system, path, "all")
      return typeof resolved === "string" ? resolved : path
    }
    if (given !== undefined) {
      if (!isGitDirectory(this, given)) return fatal(`not a git repository: '${given}'`)
      return this.open(real(given), top === undefined ? cwd : real(top))
    }
    for (let folder = cwd;; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      const dotGit = `${folder}/.git`
      if (isDirectory(system, dotGit)) {
        if (isGitDirectory(this, dotGit)) return this.open(dotGit, top === undefined ? folder || "/" : real(top))
      } else if (exists(system, dotGit)) {
        const [, path] = /^gitdir: (.*)/.exec(await readTextIfExists(system, dotGit) ?? "") ?? []
        if (path === undefined) return fatal(`invalid gitfile format: ${dotGit}`)
        const target = real(path.startsWith("/") ? path : `${folder}/${path}`)
        if (exists(system, `${target}/commondir`)) unsupported("a linked work tree", "use the main one")
        return this.open(target, folder || "/")
      }
      if (isGitDirectory(this, folder || "/")) return this.open(folder || "/", undefined)
      if (folder === "") return undefined
    }
  }
}

/** `--contains REV` may have its value as the next argument. Source: git's `PARSE_OPT_LASTARG_DEFAULT`. */
const joinLastValues = (args: ReadonlyArray<string>, spec: string): ReadonlyArray<string> => {
  const joined: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const [arg = "", next] = [args[at], args[at + 1]]
    const [, name] = /^--((?:no-)?(?:contains|merged))$/.exec(arg) ?? []
    if (name === undefined || next === undefined || !spec.includes(`${name}::`)) joined.push(arg)
    else {
      joined.push(`${arg}=${next}`)
      at++
    }
  }
  return joined
}

const isGitDirectory = ({ system }: Session, path: string): boolean =>
  exists(system, `${path}/HEAD`) && isDirectory(system, `${path}/objects`) && isDirectory(system, `${path}/refs`)
