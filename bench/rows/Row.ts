/**
 * One row of the bench: what the process of one (runtime, tool) pair does and reports.
 *
 * @module
 */
import type { Command, Tool } from "../tools/Tool.ts"

/** How much is done in one measurement. */
export interface Sizes {
  readonly spawns: number
  readonly bytes: number
  readonly lineBytes: number
  readonly textBytes: number
  readonly memoryBytes: number
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
}

/** Numbers by name. */
export type Values = Record<string, number>

/** Measures one tool. `undefined`: the tool cannot do this. */
export type Measure = (tool: Tool, job: Job) => Promise<Values> | undefined

/** Milliseconds that `run` takes. */
export const timed = async (run: () => PromiseLike<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** Waits. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
