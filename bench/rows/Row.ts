/**
 * One row of the bench: what the process of one (runtime, tool) pair does and reports.
 *
 * @module
 */
import type { Command, Tool } from "../tools/Tool.ts"

/** How much is done in one measurement. */
export interface Sizes {
  readonly spawns: number
  /** Commands before the warm ones, and the time that they may take. */
  readonly warmSpawns: number
  readonly warmMillis: number
  /** Commands that wait at once. */
  readonly waiting: number
  readonly bytes: number
  readonly lineBytes: number
  readonly textBytes: number
  readonly memoryBytes: number
  /** Time in which a server is asked. */
  readonly serverSeconds: number
  /** Lines of a journaled command, as bytes. */
  readonly journalBytes: number
  /** Entries of a journal that is verified, and commands of one that is listed. */
  readonly entries: number
  readonly commands: number
}

/** What a row has to work with. */
export interface Job {
  readonly sizes: Sizes
  /** A program that ends at once with success. */
  readonly nothing: Command
  /** A program that writes so many bytes to stdout, faster than anybody reads. */
  readonly writer: (bytes: number) => Command
  /** `sh -c script`. */
  readonly shell: (script: string) => Command
  /** A folder of the measurement's own. */
  readonly folder: string
}

/** Numbers by name. */
export type Values = Record<string, number>

/** Measures one tool. `undefined`: the tool cannot do this. */
export type Measure = (tool: Tool, job: Job) => Promise<Values> | undefined

/** Measures one case of a row that has its own. */
export type MeasureCase = (id: string, job: Job) => Promise<Values>

/** Milliseconds that `run` takes. */
export const timed = async (
  run: () => PromiseLike<unknown>,
): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** Waits. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
