/** Implements the `git` program: options before the command, the table of commands, and the end of a run. */
import { RegexError } from "../../regex/RegexError.ts"
import type { Program } from "../../System.ts"
import { Output } from "../../utilities/shared/Output.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { add, clean, mv, rm } from "./commands/add.ts"
import { apply } from "./commands/apply.ts"
import { blame, grep } from "./commands/blame.ts"
import { branch, tag } from "./commands/branch.ts"
import { checkout, reset, restore, switchCommand } from "./commands/checkout.ts"
import { commit } from "./commands/commit.ts"
import { config } from "./commands/config.ts"
import { diff } from "./commands/diff.ts"
import { log, reflog, revList, shortlog, show } from "./commands/log.ts"
import { cherryPick, merge, revert } from "./commands/merge.ts"
import * as plumbing from "./commands/plumbing.ts"
import { rebase } from "./commands/rebase.ts"
import { clone, fetch, init, lsRemote, pull, push, remote } from "./commands/remote.ts"
import { stash } from "./commands/stash.ts"
import { status } from "./commands/status.ts"
import { configKey } from "./Config.ts"
import { fatal, GitError } from "./GitError.ts"
import { loadGit } from "./loadGit.ts"
import { type Command, Session } from "./Session.ts"

const commands: Readonly<Record<string, Command>> = {
  add,
  apply,
  blame,
  branch,
  "cat-file": plumbing.catFile,
  "check-ignore": plumbing.checkIgnore,
  checkout,
  "cherry-pick": cherryPick,
  clean,
  clone,
  commit,
  config,
  describe: plumbing.describe,
  diff,
  fetch,
  "for-each-ref": plumbing.forEachRef,
  grep,
  "hash-object": plumbing.hashObject,
  init,
  log,
  "ls-files": plumbing.lsFiles,
  "ls-remote": lsRemote,
  "ls-tree": plumbing.lsTree,
  merge,
  "merge-base": plumbing.mergeBase,
  mv,
  pull,
  push,
  rebase,
  reflog,
  remote,
  reset,
  restore,
  "rev-list": revList,
  "rev-parse": plumbing.revParse,
  revert,
  rm,
  shortlog,
  show,
  "show-ref": plumbing.showRef,
  stage: add,
  stash,
  status,
  switch: switchCommand,
  "symbolic-ref": plumbing.symbolicRef,
  tag,
  "update-ref": plumbing.updateRef,
  "write-tree": plumbing.writeTree,
}

const names = Object.keys(commands).join(", ")

interface Invocation {
  readonly overrides: Array<readonly [string, string]>
  gitdir: string | undefined
  worktree: string | undefined
  rest: ReadonlyArray<string>
}

/** Reads the options before the command. */
const readGlobalOptions = (args: ReadonlyArray<string>, changeDirectory: (path: string) => void): Invocation => {
  const found: Invocation = { overrides: [], gitdir: undefined, worktree: undefined, rest: [] }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    const value = (name: string): string | undefined =>
      arg === name
        ? args[++at] ?? fatal(`no value given for ${name}`)
        : arg.startsWith(`${name}=`)
        ? arg.slice(name.length + 1)
        : undefined
    if (!arg.startsWith("-") || arg === "--version" || arg === "--help" || arg === "-h" || arg === "-v") {
      found.rest = args.slice(at)
      break
    }
    if (arg === "-C") changeDirectory(args[++at] ?? fatal("no directory given for '-C'"))
    else if (arg === "-c") {
      const [, key = "", text = "true"] = /^([^=]*)(?:=(.*))?$/s.exec(args[++at] ?? "") ?? []
      found.overrides.push([configKey(key), text])
    } else if (arg === "-P" || arg === "--no-pager" || arg === "--literal-pathspecs" || arg === "--no-optional-locks") {
      continue
    } else if (arg.startsWith("--git-dir")) found.gitdir = value("--git-dir")
    else if (arg.startsWith("--work-tree")) found.worktree = value("--work-tree")
    else {throw new GitError(
        129,
        `unknown option: ${arg}\nusage: git [-C <path>] [-c <name>=<value>] [--git-dir=<path>] [--work-tree=<path>] <command> [<args>]`,
      )}
  }
  return found
}

const runAlias = async (session: Session, name: string, rest: ReadonlyArray<string>): Promise<number | void> => {
  const alias = await (await session.config()).get(`alias.${name.toLowerCase()}`)
  if (alias === undefined) return undefined
  if (alias.startsWith("!")) {
    return fatal(`the alias '${name}' would start a program; git of the sandbox runs commands of git alone`)
  }
  const words = [...alias.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) =>
    double ?? single ?? plain ?? ""
  )
  const command = Object.hasOwn(commands, words[0] ?? "") ? commands[words[0] ?? ""] : undefined
  return command === undefined
    ? fatal(`the alias '${name}' names no command that git of the sandbox has`)
    : await command(session, [...words.slice(1), ...rest]) ?? 0
}

/** `git COMMAND [ARGUMENT]...`: manages repositories, over isomorphic-git. Source: git(1). */
export const git: Program = async (system) => {
  let session: Session | undefined
  const err = new Output(system, 2)
  try {
    const { gitdir, overrides, rest, worktree } = readGlobalOptions(system.args.slice(1), (path) => {
      if (system.changeDirectory(path) < 0) fatal(`cannot change to '${path}': No such file or directory`)
    })
    session = new Session(system, { overrides, gitdir, worktree })
    const [name, ...args] = rest
    let code: number | void = 0
    if (name === "--version" || name === "version" || name === "-v") session.printLine(plumbing.version())
    else if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      session.printLine(
        `usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\ngit of the sandbox has these commands: ${names}`,
      )
      code = name === undefined ? 1 : 0
    } else {
      await loadGit()
      const command = Object.hasOwn(commands, name) ? commands[name] : undefined
      if (command !== undefined) code = await command(session, args)
      else {
        const result = await runAlias(session, name, args)
        if (result === undefined) {
          throw new GitError(1, `git: '${name}' is not a command of git in the sandbox, which has: ${names}`)
        }
        code = result
      }
    }
    await session.flush()
    return code ?? 0
  } catch (cause) {
    const isKnown = cause instanceof GitError || cause instanceof UtilityExit || cause instanceof RegexError
    if (!isKnown) throw cause
    err.putText(
      cause.message === "" ? "" : `${cause instanceof GitError ? cause.message : `fatal: ${cause.message}`}\n`,
    )
    try {
      await session?.flush()
      await err.flush()
    } catch (failure) {
      if (!(failure instanceof UtilityExit)) throw failure
    }
    return cause instanceof GitError ? cause.exitCode : cause instanceof UtilityExit ? cause.exitCode ?? 128 : 128
  }
}
