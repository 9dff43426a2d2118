/**
 * Makes the shells that answer commands in place of processes: a mock, a dry run and recordings. Loaded when a runner has one.
 */
import * as Effect from "effect/Effect"
import { display } from "../command/plain/secret.ts"
import { makeDescriber } from "../leaves/local/dry-run/makeDescriber.ts"
import type { Host } from "../host/Host.ts"
import type { LocalShellSettings } from "../leaves/local/LocalShellOptions.ts"
import { makeMock } from "../leaves/mock/makeMock.ts"
import * as MockRun from "../leaves/mock/MockRun.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import { pathText } from "./argumentWords.ts"
import { recordedRuns, recordingShell, stepsOf } from "./recordings.ts"
import type { RunnerOptions } from "./Runner.ts"
import type { RunShell } from "./Stage.ts"

const mockShell = (mock: NonNullable<RunnerOptions["mock"]>, queue: { readonly maxConcurrency: number }): RunShell =>
  makeMock((exec) => {
    const answer = mock({
      line: formatCommandLine(exec),
      command: exec.command,
      args: exec.arguments.map(display),
      isScript: exec.useShell,
      cwd: exec.workingDirectory,
    })
    if (answer === undefined) return undefined
    const { delay, ...result } = typeof answer === "string" ? { stdout: answer } : answer
    return [...(delay === undefined ? [] : [MockRun.wait(delay)]), ...stepsOf(result)]
  }, queue).shell

/**
 * The shell that describes commands: each is a scripted process that writes its description to its stdout, wherever
 * that goes.
 */
const dryRunShell = (
  host: Host,
  settings: LocalShellSettings,
  queue: { readonly maxConcurrency: number },
): RunShell => {
  const describe = makeDescriber(host, settings)
  return makeMock(
    (exec) =>
      MockRun.effect((process) =>
        Effect.flatMap(
          Effect.result(describe(exec)),
          (result) =>
            result._tag === "Success"
              ? process.write("stdout", result.success.bytes)
              : process.fail(result.failure.reason, result.failure.message),
        )
      ),
    queue,
  ).shell
}

/** Makes the shell that a runner's options ask for. `local` is that of this machine. */
export const standInShell = async (
  { maxConcurrency = 256, dryRun, mock, record }: RunnerOptions,
  host: Host,
  settings: LocalShellSettings,
  local: () => RunShell,
): Promise<RunShell> => {
  const queue = { maxConcurrency }
  if (mock !== undefined) return mockShell(mock, queue)
  if (record === undefined || dryRun === true) return dryRunShell(host, settings, queue)
  const { mode = "auto" } = record
  const fs = await import("node:fs")
  const file = pathText(record.file)
  return mode === "replay" || (mode === "auto" && fs.existsSync(file))
    ? makeMock(recordedRuns(fs.readFileSync(file, "utf8"), file), queue).shell
    : (fs.writeFileSync(file, ""), recordingShell(local(), (line) => fs.appendFileSync(file, line)))
}
