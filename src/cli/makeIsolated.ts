/** Makes the isolated shell of a subcommand: chooses its folders, and reports refused connections. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { errorMessage } from "../base/errorMessage.ts"
import type { OptionError } from "../base/OptionError.ts"
import { draftDecision, type EgressDecision } from "../egress/EgressDecision.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import * as IsolatedShell from "../leaves/isolated/IsolatedShell.ts"
import { fileRules, type IsolatedFileRules } from "../leaves/isolated/fileRules.ts"
import { IsolatedHost } from "../leaves/isolated/IsolatedHost.ts"
import { defaultVariables } from "../leaves/isolated/IsolatedShellOptions.ts"
import type { IsolationError } from "../leaves/isolated/IsolationError.ts"
import type { Host } from "../host/Host.ts"
import type { LocalShellOptions } from "../leaves/local/LocalShellOptions.ts"
import { nodeProcess } from "../host/nodeProcess.ts"
import { isWithin, toAbsolute } from "../host/paths.ts"
import { servedVariables } from "../policy/inheritedVariables.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { IsolationRequest } from "./isolationFlags.ts"
import { defaultJournalPath } from "./journal/openJournal.ts"
import { canonicalPath } from "./ownFileRules.ts"
import { UsageError } from "./UsageError.ts"

export interface NetworkReports {
  /** The journal of decisions, once it is open. */
  readonly journal: () => JournalService | undefined
  readonly refused: (decision: EgressDecision) => Effect.Effect<void>
}

const flagOf: Readonly<Record<string, string>> = {
  writable: "--writable",
  readable: "--readable",
  allow: "--allow-network",
  privateHosts: "--allow-private-network",
}

const usageErrorOf = (error: IsolationError | OptionError): UsageError => {
  if (error._tag === "IsolationError") return new UsageError(`--isolated: ${error.message.replace(/^isolation: /, "")}`)
  const message = error.message.replace(/^(?:IsolatedShell|network): (?:(?:allow|privateHosts): )?/, "")
  return new UsageError(`${flagOf[error.option] ?? "--isolated"}: ${message}`)
}

/** Whether a folder is or contains the home folder. */
const holdsHome = (host: Host, folder: string): boolean => {
  const home = host.realPath(host.variable("HOME") ?? "/nowhere")
  const real = host.realPath(toAbsolute("posix", host.cwd() ?? "/", folder))
  return home !== undefined && real !== undefined && isWithin(home, real)
}

/** The folder of a project for journals. In writable folders commands can neither see nor create it. */
const [journalFolder = ""] = defaultJournalPath.split("/")

/**
 * Refuses a journal that commands could rewrite, because they could forge their history, read that of others, and
 * request commands from a daemon. Creates the folder of journals, because only an existing folder can be hidden.
 */
const checkJournal = (
  host: Host,
  journal: string | undefined,
  writable: ReadonlyArray<string>,
): Effect.Effect<void, UsageError> =>
  Effect.suspend(() => {
    const absolute = (path: string): string => toAbsolute("posix", host.cwd() ?? "/", path)
    const at = journal ?? host.variable("SLUICE_JOURNAL") ?? ""
    const path = at === "" || at.includes("://") ? undefined : canonicalPath(absolute(at))
    const folders = writable.flatMap((folder) => host.realPath(absolute(folder)) ?? [])
    if (path === undefined || !folders.some((folder) => isWithin(path, folder))) return Effect.void
    const own = folders.map((folder) => `${folder}/${journalFolder}`).find((folder) => isWithin(path, folder))
    if (own === undefined) {
      const what = `commands could rewrite the journal ${at}, which is in a folder that they may write`
      return Effect.fail(
        new UsageError(`--isolated: ${what}; keep it in ${defaultJournalPath}, which they cannot, or outside`),
      )
    }
    return Effect.try({
      try: () => void nodeProcess()?.getBuiltinModule("node:fs").mkdirSync(own, { recursive: true, mode: 0o700 }),
      catch: (error) => new UsageError(`--journal: ${errorMessage(error)}`),
    })
  })

/** Files that the flags give to commands: their folders, and further readable paths. */
const foldersOf = (host: Host, { folders, readable, writable }: IsolationRequest) => {
  const open = writable.length === 0 ? folders : writable
  return {
    writable: open,
    // Even with explicit folders, commands can read the folders that they run in.
    readable: writable.length === 0 ? readable : [...readable, ...folders.filter((each) => !holdsHome(host, each))],
    hidden: open.map((folder) => `${folder}/${journalFolder}`),
    protected: [defaultJournalPath],
  }
}

/** The files that commands may change, for tools that change files without commands. */
export const isolatedFileRules = (request: IsolationRequest): Effect.Effect<IsolatedFileRules, UsageError> =>
  Effect.gen(function* () {
    const host = yield* IsolatedHost
    if (host === undefined) return { writable: [], protected: [] }
    return yield* Effect.mapError(fileRules(foldersOf(host, request)), usageErrorOf)
  })

/** Makes the shell. Fails if no isolation is possible. */
export const makeIsolated = (
  host: Host,
  request: IsolationRequest,
  { cwd = ".", inheritedVariables, limits, ...options }: LocalShellOptions,
  { journal, refused }: NetworkReports,
): Effect.Effect<ShellService, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const { allow, folders, privateHosts, writable } = request
    const wide = folders.find((folder) => holdsHome(host, folder))
    if (wide !== undefined && writable.length === 0) {
      const what = `${wide === "." ? "the working directory" : wide} is or holds your home folder`
      return Effect.fail(
        new UsageError(`--isolated: ${what}; name the folders that commands may write with --writable`),
      )
    }
    const onDecision = (decision: EgressDecision, commandId: string): Effect.Effect<void, JournalError> =>
      Effect.gen(function* () {
        yield* journal()?.append([draftDecision(decision, commandId)]) ?? Effect.void
        if (!decision.allowed) yield* refused(decision)
      })
    const others = inheritedVariables?.filter((name) => !servedVariables.includes(name)) ?? []
    const open = foldersOf(host, request)
    const shell = IsolatedShell.make({
      ...options,
      ...open,
      network: allow.length + privateHosts.length === 0 ? "none" : { allow, privateHosts, onDecision },
      cwd: holdsHome(host, cwd) ? undefined : cwd,
      limits,
      inheritedVariables: [...defaultVariables, ...others],
    }).pipe(Effect.provideService(IsolatedHost, host), Effect.mapError(usageErrorOf))
    return Effect.andThen(checkJournal(host, request.journal, open.writable), shell)
  })
