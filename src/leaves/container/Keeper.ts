/** Keeps one container running: its first process waits for the end of its stdin. */
import { onAbort } from "../../base/abort.ts"
import { runPromise } from "../../base/stderrLogs.ts"
import type { Host, HostProcess } from "../../host/Host.ts"
import type { ContainerSettings, Engine } from "./ContainerSettings.ts"
import { readText } from "../../host/runToEnd.ts"
import { isInTime } from "../../host/waitRealTime.ts"
import { type Labels, removeArguments, runArguments } from "./engineCommand.ts"
import { closeMillis, runEngine, startClient } from "./runEngine.ts"

/**
 * The shell waits for its background process and reaps meanwhile the processes that lost their parents. When the first
 * process of a container ends, the kernel kills the others. A background process has no stdin, so it waits on another
 * descriptor.
 */
const script = `exec 3<&0
(while read -r _; do :; done) <&3 &
echo ready
wait $!`

/** A container that runs, or the reason why it does not. */
export interface Keeper {
  readonly container: string
  /** The engine's output and exit code, if it made no container. */
  readonly failure: { readonly exitCode: number; readonly text: string } | undefined
  readonly hasEnded: () => boolean
  readonly ended: Promise<void>
  /** Ends the container; resolves when it is removed. */
  readonly close: () => Promise<void>
}

/**
 * Makes a container, and waits until it runs. Rejects with the runtime's error if the engine cannot be started.
 * Aborting `closing` makes the start fail: pulling an image may take minutes.
 */
export const startKeeper = async (
  host: Host,
  engine: Engine,
  settings: ContainerSettings,
  name: string,
  labels: Labels,
  closing: AbortSignal,
): Promise<Keeper> => {
  const process: HostProcess = await startClient(
    host,
    engine.program,
    runArguments(engine, settings, { name, labels, words: ["sh", "-c", script] }),
  )
  let ended: number | undefined
  const exited = new Promise<void>((resolve) =>
    process.onExit(({ exitCode }) => {
      ended = exitCode
      resolve()
    })
  )
  const stderr = readText(process.stderr)
  let forget = (): void => {}
  const isReady = await new Promise<boolean>((resolve) => {
    process.stdout?.read((bytes) => resolve(bytes !== undefined))
    forget = onAbort(closing, () => {
      process.kill("SIGKILL")
      resolve(false)
    })
  })
  forget()
  if (!isReady) await exited
  else void readText(process.stdout)
  return {
    container: name,
    failure: isReady ? undefined : { exitCode: ended ?? -1, text: closing.aborted ? "" : await stderr },
    hasEnded: () => ended !== undefined,
    ended: exited,
    close: async () => {
      await process.stdin?.end()
      if (await isInTime(exited, closeMillis)) return
      // The container is paused, or its commands have stopped the process that waits in it.
      await runPromise(runEngine(host, engine.program, removeArguments(engine, name)))
      process.kill("SIGKILL")
      await exited
    },
  }
}
