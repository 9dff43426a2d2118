/** Makes runners: the functions `$`, `run`, `shell`, `lines`, `pipeline` and `which` with common options. */
import * as CommandLine from "effect/process/CommandLine"
import * as Result from "effect/Result"
import { OptionError } from "../base/OptionError.ts"
import { requireNode } from "../base/requireNode.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import type { ShellExecOptions } from "../command/ShellExecOptions.ts"
import { isSecret } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import { parseTemplate } from "../command/template.ts"
import { TemplateError } from "../command/plain/TemplateError.ts"
import { findHost } from "../host/findHost.ts"
import type { Host } from "../host/Host.ts"
import { resolveLocalSettings } from "../leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../leaves/local/makeLocalService.ts"
import { toAbsolute } from "../host/paths.ts"
import { systemShell } from "../host/systemShell.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import type { TemplateArgument } from "./Argument.ts"
import { type CallSite, callSite } from "./callSite.ts"
import { checkRunnerOptions, checkRunOptions } from "./checkOptions.ts"
import type { LazyCommand } from "./LazyCommand.ts"
import { CommandHandle } from "./CommandHandle.ts"
import { splitInput } from "./runInput.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { Runner, RunnerOptions, RunTag, ScriptRunner } from "./Runner.ts"
import { defaultScriptShell } from "./defaultScriptShell.ts"
import type { RunShell } from "./Stage.ts"
import { scriptTemplate } from "./scriptTemplate.ts"
import { templateAdvice } from "./templateAdvice.ts"
import { findProgram } from "./findProgram.ts"
import { enclosingOptions, nestOptions } from "./within.ts"
import { areValues, isTemplate, pathText, templateWords, variableOf, wordsOf } from "./argumentWords.ts"

const execOptions = (options: RunOptions): ShellExecOptions => {
  const { check: _c, cwd, env, input, shell: _h, signal: _s, stderr: _e, stdin: _i, stdout: _o, verbose: _v, ...rest } =
    options
  const { value } = splitInput(input)
  return {
    ...rest,
    ...(cwd === undefined ? undefined : { cwd: pathText(cwd) }),
    ...(env === undefined ? undefined : { env: variablesOf(env) }),
    ...(value === undefined ? undefined : { input: value }),
  }
}

const variablesOf = (env: NonNullable<RunOptions["env"]>): Record<string, Word | null> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, variableOf(name, value)]),
  )

export const makeRunner = (settings: RunnerOptions = {}): Runner => {
  requireNode()
  checkRunnerOptions(settings)
  const {
    cleanup,
    maxConcurrency = 256,
    defaultShell,
    dieWithParent,
    dryRun = false,
    mock,
    preferPowerShell,
    maxQueued,
    record,
    ...defaults
  } = settings
  const leaf = { cleanup, maxConcurrency, defaultShell, dieWithParent, preferPowerShell, maxQueued }
  let service: RunShell | Promise<RunShell> | undefined
  const hostOf = (): Host => {
    const host = findHost()
    if (host === undefined) throw new Error("commands need Deno, Bun or Node: this runtime starts no processes")
    return host
  }
  const localShell = (): RunShell => makeLocalShell(hostOf(), resolveLocalSettings(leaf))
  const shellOf = (): RunShell | Promise<RunShell> =>
    service ??= mock !== undefined || record !== undefined || dryRun
      ? import("./onDemand.ts").then(({ standInShell }) =>
        standInShell(settings, hostOf(), resolveLocalSettings(leaf), localShell)
      )
      : localShell()
  const toPath = ({ workingDirectory = "." }: ShellExec, path: string): string => {
    const host = hostOf()
    const platform = host.os === "windows" ? "windows" : "posix"
    return toAbsolute(platform, toAbsolute(platform, host.cwd() ?? "/", workingDirectory), path)
  }
  /** Merges the options of the runner, of the enclosing `within` and of the command. */
  const mergeOptions = (where: string, options: RunOptions): RunOptions => {
    checkRunOptions(where, options)
    return nestOptions(nestOptions(defaults, enclosingOptions()), options)
  }
  const makeCommand = (
    exec: ShellExec,
    options: RunOptions,
    site: CallSite,
    line = formatCommandLine(exec),
  ): LazyCommand =>
    new CommandHandle(shellOf, [{ exec, options, line, resolve: (path) => toPath(exec, path) }], site, $)
  const runAt = (site: CallSite, ...[command, args = [], given = {}]: Parameters<Runner["run"]>): LazyCommand => {
    const options = mergeOptions("run", given)
    if (typeof command !== "string" && !(command instanceof URL)) {
      throw new OptionError("command", "run: the program is a name, a path or a file: URL")
    }
    return makeCommand(ShellExec.make(pathText(command), wordsOf("run", args), execOptions(options)), options, site)
  }

  // The call site is captured while its frame exists: JavaScriptCore drops the frames of tail calls.
  const run: Runner["run"] = (...call) => runAt(callSite(run), ...call)
  const lines: Runner["lines"] = (...call) => runAt(callSite(lines), ...call).lines()

  const tagWith = (given: RunOptions): RunTag => {
    function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
    function tag(more: RunOptions): RunTag
    function tag(
      first: TemplateStringsArray | RunOptions,
      ...values: ReadonlyArray<TemplateArgument>
    ): LazyCommand | RunTag {
      if (!isTemplate(first)) {
        checkRunOptions("$", first)
        return tagWith({ ...given, ...first })
      }
      const site = callSite(tag)
      const options = mergeOptions("$", given)
      const exec = parseTemplate(first, templateWords(values), execOptions(options))
      return makeCommand(Result.getOrThrowWith(exec, templateAdvice), options, site)
    }
    return tag
  }

  const script = (text: string, given: RunOptions, site: CallSite): LazyCommand => {
    const options = mergeOptions("shell", given)
    return makeCommand(ShellExec.shell(text, { ...execOptions(options), ...shellOption(options) }), options, site)
  }
  const isPortable = ({ shell = defaultScriptShell(leaf) }: RunOptions): boolean => shell === "portable"
  const shellOption = (options: RunOptions): ShellExecOptions => isPortable(options) ? { shell: "portable" } : {}
  const scriptOf = (
    { raw }: TemplateStringsArray,
    values: ReadonlyArray<TemplateArgument>,
    given: RunOptions,
    site: CallSite,
  ): LazyCommand => {
    const words = templateWords(values)
    // The command line shows the script with its values in place; so does the command that a test sees.
    const shown = raw.map((part, index) => part + shownValue(words[index])).join("")
    if (mock !== undefined || dryRun) return script(shown, given, site)
    const { script: text, values: variables } = scriptTemplate(raw, words)
    if (variables.length === 0) return script(text, given, site)
    const host = hostOf()
    const options = mergeOptions("shell", given)
    const isHere = isPortable(options)
    if (host.os === "windows" && !isHere) {
      const message =
        "a script of cmd.exe cannot hold a value safely: pass it in the environment (env), use $, or the portable shell"
      throw TemplateError.because("UnsupportedSyntax", message)
    }
    const program = defaultShell ?? systemShell(host) ?? "/bin/sh"
    const exec = isHere
      ? ShellExec.make(text, variables, { ...execOptions(options), useShell: true, shell: "portable" })
      : ShellExec.make(program, ["-c", text, "sh", ...variables], execOptions(options))
    return makeCommand(exec, options, site, formatCommandLine(ShellExec.shell(shown)))
  }
  const scriptsWith = (given: RunOptions): ScriptRunner => {
    function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
    function tag(text: string, options?: RunOptions): LazyCommand
    function tag(more: RunOptions): ScriptRunner
    function tag(
      first: TemplateStringsArray | RunOptions | string,
      ...rest: ReadonlyArray<TemplateArgument | RunOptions | undefined>
    ): LazyCommand | ScriptRunner {
      if (typeof first === "string") {
        return script(first, areOptions(rest[0]) ? { ...given, ...rest[0] } : given, callSite(tag))
      }
      if (isTemplate(first)) return scriptOf(first, areValues(rest) ? rest : [], given, callSite(tag))
      checkRunOptions("shell", first)
      return scriptsWith({ ...given, ...first })
    }
    return tag
  }

  const $ = tagWith({})
  return {
    $,
    run,
    shell: scriptsWith({}),
    lines,
    pipeline: (commands, options) => {
      const [first, ...others] = Array.isArray(commands) ? commands : []
      if (!(first instanceof CommandHandle)) {
        throw new OptionError("commands", "pipeline: write a list of commands, at least one")
      }
      return others.reduce<LazyCommand>((joined, next) => joined.pipe(next, options), first)
    },
    which: (name, options = {}) => findProgram(hostOf(), name, execOptions(mergeOptions("which", options))),
  }
}

// Plain JavaScript can pass anything; invalid values and options are refused where they are read.
const areOptions = (u: unknown): u is RunOptions => typeof u === "object" && u !== null

const shownValue = (value: Word | ReadonlyArray<Word> | undefined): string =>
  value === undefined ? "" : CommandLine.display(typeof value === "string" || isSecret(value) ? [value] : value)
