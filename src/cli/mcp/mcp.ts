/** Implements `sluice mcp`: serves commands or spells as MCP tools, over stdio or HTTP. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import { currentHost } from "../../branch/HostIdentity.ts"
import { Journal } from "../../journal/JournalService.ts"
import { make as makeMemoryJournal } from "../../journal/stores/memory/MemoryJournal.ts"
import type { McpIdentity } from "../../mcp/McpIdentity.ts"
import type { McpToolOptions } from "../../mcp/McpToolOptions.ts"
import { serveStdio } from "../../mcp/serveStdio.ts"
import { aborted } from "../../base/abort.ts"
import type { AccessPolicy } from "../../policy/mod.ts"
import type { AccessPolicyError } from "../../policy/AccessPolicyError.ts"
import type { OptionError } from "../../base/OptionError.ts"
import * as ApprovalPolicy from "../../spell/ApprovalPolicy.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { guardShell, requireTerminals } from "../guardShell.ts"
import { configuredLocation, openServerJournal } from "../journal/openJournal.ts"
import { type CliContext, withLocalShell } from "../withLocalShell.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { applyConfigFlag } from "../config/applyConfigFlag.ts"
import { ownFileRules } from "../ownFileRules.ts"
import { makeRedactor } from "../redaction.ts"
import { type AllowlistVariables, emptyAllowlist, localShellOptions } from "../serverFlags.ts"
import { UsageError } from "../UsageError.ts"
import { tryMessage } from "../writeMessage.ts"
import { exitStatusOfStop, type StopRequest } from "../stopOnSignals.ts"
import { version } from "../version.ts"
import { type McpRequest, readMcpRequest } from "../serverRequests.ts"
import { makeStdio } from "./makeStdio.ts"
import type { McpServerOptions } from "./overHttp.ts"
import type { Approve } from "./mcpSpec.ts"

/**
 * Builds the shell and the journal, which also records refused commands. A journal in memory keeps whole outputs, so
 * that clients can read the rest of a truncated tool result.
 */
const services = (
  { cli, journalNetwork }: CliContext,
  { flags }: McpRequest,
  shell: ShellService,
): Effect.Effect<Context.Context<Shell | Journal>, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const redactor = yield* Effect.fromResult(makeRedactor(flags, cli))
    const journal = (yield* openServerJournal(cli, flags.journal)) ??
      (yield* Effect.mapError(makeMemoryJournal({ chained: false }), ({ message }) => new UsageError(message)))
    journalNetwork(journal)
    return Context.make(Shell, makeJournaled(shell, journal, yield* currentHost, { redactor })).pipe(
      Context.add(Journal, journal),
    )
  })

const loadHttp = Effect.tryPromise({
  try: () => import("./overHttp.ts"),
  catch: (error) => new UsageError(`mcp --http needs the package hono: npm install hono (${error})`),
})

const loadSpells = Effect.promise(() => import("./spells.ts"))

const hasCommand = ({ ALLOWED_COMMANDS = "" }: AllowlistVariables): boolean => ALLOWED_COMMANDS.trim() !== ""

const noCommand =
  "no command may run: list some with --allow-command or in ALLOWED_COMMANDS, as in ALLOWED_COMMANDS=git,ls"

/** The server settings that follow from a policy. */
const settingsOf = (
  { flags }: McpRequest,
  policy: AccessPolicy | undefined,
  stop: StopRequest,
): McpToolOptions & McpIdentity => ({
  name: "sluice",
  version,
  defaultTimeout: flags.timeout,
  maxOutputBytes: flags["max-output"],
  policy,
  signal: stop.signal,
})

/** Serves over HTTP, or over stdin and stdout by `overStdio`, and returns the exit status. */
const serve = <R>(
  { http }: McpRequest,
  { cli, output, stop }: CliContext,
  options: McpServerOptions<R>,
  overStdio: Effect.Effect<void, OptionError | AccessPolicyError, Stdio.Stdio>,
): Effect.Effect<number, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    // The server has read its variables. `/proc` still shows the original environment block.
    yield* Effect.sync(() => cli.forget(isServerVariable))
    if (http !== undefined) {
      const { overHttp } = yield* loadHttp
      yield* overHttp(options, http, output, stop.signal)
      return 0
    }
    const stdio = yield* makeStdio(cli, output)
    yield* Effect.raceFirst(
      overStdio.pipe(
        Effect.mapError(({ message }) => new UsageError(message)),
        Effect.provideService(Stdio.Stdio, stdio),
      ),
      aborted(stop.signal),
    )
    return stop.by() === undefined ? 0 : exitStatusOfStop(stop)
  })

const serveTools = (request: McpRequest, all: CliContext): Effect.Effect<number, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    // Without an allowlist nothing may run.
    const allowed = request.allowed ?? emptyAllowlist
    if (!hasCommand(allowed)) yield* tryMessage(all.output, noCommand)
    const { policy, shell } = yield* guardShell(all.shell, { ...request, allowed }, all.output)
    if (request.flags.terminals) yield* requireTerminals(policy, shell)
    const context = yield* services(all, request, shell)
    const settings = { ...settingsOf(request, policy, all.stop), terminals: request.flags.terminals }
    return yield* serve(request, all, { ...settings, context }, Effect.provideContext(serveStdio(settings), context))
  })

const serveSpells = (request: McpRequest, all: CliContext): Effect.Effect<number, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const { chooseSpells, localSpellServices, sandboxSpellServices } = yield* loadSpells
    const { flags } = request
    const { isolation } = localShellOptions(request)
    // In a sandbox no program of this machine can run, so it needs no list.
    const hasList = request.allowed !== undefined && hasCommand(request.allowed)
    const opened = yield* flags.sandbox
      ? sandboxSpellServices(flags)
      : localSpellServices(flags, all, isolation, hasList)
    const allowed = flags.sandbox || request.allowed === undefined
      ? request.allowed ?? (flags.sandbox ? undefined : emptyAllowlist)
      : { ...request.allowed, ALLOWED_CWD_ROOTS: request.allowed.ALLOWED_CWD_ROOTS ?? opened.root }
    const canRun = allowed === undefined || hasCommand(allowed)
    if (!canRun) yield* tryMessage(all.output, `${noCommand}; only spells on files are served`)
    const { policy, shell } = yield* guardShell(opened.shell, { ...request, allowed }, all.output)
    const spells = yield* Effect.fromResult(chooseSpells(flags, canRun))
    const context = yield* opened.withFiles(yield* services(all, request, shell))
    // The journal has been opened, so its file exists.
    const approval = yield* approvalOf(request, all, opened.folder, canRun && !flags["read-only"])
    const options = { ...settingsOf(request, policy, all.stop), spells, approval }
    return yield* serve(request, all, { ...options, context }, Effect.provideContext(serveStdio(options), context))
  })

const approvals: Readonly<Record<Approve, ApprovalPolicy.ApprovalPolicy>> = {
  "ask": ApprovalPolicy.ask,
  "workspace-write": ApprovalPolicy.workspaceWrite,
  "full": ApprovalPolicy.full,
}

const journalInRoot =
  "the journal is in --root: spells on files leave it alone, but commands can write it; keep it elsewhere"

/** The approval policy, without the files of this program; none where all may be cast. */
const approvalOf = (
  { flags: { approve = "full", journal } }: McpRequest,
  { cli, output }: CliContext,
  folder: string | undefined,
  canRun: boolean,
): Effect.Effect<ApprovalPolicy.ApprovalPolicy | undefined, UsageError> =>
  Effect.gen(function* () {
    const own = ownFileRules(cli, folder, yield* configuredLocation(cli, journal))
    if (canRun && own.length > ownFileRules(cli, folder, undefined).length) yield* tryMessage(output, journalInRoot)
    const { rules, ...policy } = approvals[approve]
    return approve === "full" && own.length === 0 ? undefined : { ...policy, rules: [...rules, ...own] }
  })

export const mcp: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const texts = yield* applyConfigFlag(cli, "mcp", words.flags)
    const request = yield* Effect.fromResult(readMcpRequest(texts, cli))
    return yield* withLocalShell(
      cli,
      (all) => request.flags.spells ? serveSpells(request, all) : serveTools(request, all),
      localShellOptions(request),
    )
  })
